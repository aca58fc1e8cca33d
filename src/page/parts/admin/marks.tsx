// Boxes to mark some of a list with, under one name.

type Choice = { readonly id: string; readonly name: string };

type MarksProps = {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly marked: readonly string[];
  readonly onChange: (marked: readonly string[]) => void;
};

/** What is marked keeps the order of the list. */
export function Marks({ title, choices, marked, onChange }: MarksProps) {
  const toggle = (id: string, isOn: boolean) =>
    onChange(choices.map((one) => one.id).filter((one) => (one === id ? isOn : marked.includes(one))));
  return (
    <fieldset class="marks">
      <legend>{title}</legend>
      {choices.map(({ id, name }) => (
        <label key={id} class="mark">
          <input
            type="checkbox"
            checked={marked.includes(id)}
            onChange={({ currentTarget: { checked } }) => toggle(id, checked)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
