// A new rack, or a change of one: its container, and how many slots it has and how they are numbered.
import { useSignal } from '@preact/signals';
import { DIRECTIONS, FIRST_CORNERS, MAX_LINES, type RackShape } from '../../../model/locations/rack-grid.ts';
import { useTexts } from '../../app-state.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type Rack, rackPath, useChange } from './use-places.ts';

const USUAL: RackShape = { rows: 10, columns: 10, first: 'top-left', direction: 'rows', serpentine: false };

type FormProps = {
  /** Undefined = a new one. */
  readonly rack: Rack | undefined;
  readonly containers: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
};

export function RackForm({ rack, containers, onClose, onDone }: FormProps) {
  const texts = useTexts();
  const { send, refusal, isBusy } = useChange();
  const name = useSignal(rack?.name ?? '');
  const container = useSignal(rack?.container ?? '');
  const shape = useSignal<RackShape>(rack?.shape ?? USUAL);
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = { container: container.value === '' ? null : container.value, shape: shape.value };
    if (!(await send('PUT', rackPath(name.value.trim()), body))) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title={rack === undefined ? texts.places.addRack : texts.places.changeRack(rack.name)} onClose={onClose}>
      <form onSubmit={save}>
        {rack === undefined && (
          <label>
            {texts.places.name}
            <input
              required
              maxLength={64}
              autocomplete="off"
              value={name.value}
              onInput={({ currentTarget: { value } }) => (name.value = value)}
            />
          </label>
        )}
        <label>
          {texts.places.container}
          <select value={container.value} onChange={({ currentTarget: { value } }) => (container.value = value)}>
            <option value="">{texts.places.noContainer}</option>
            {containers.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <ShapeFields shape={shape.value} onChange={(part) => (shape.value = { ...shape.value, ...part })} />
        <RefusalNote refusal={refusal.value} />
        <button type="submit" class="act act-main" disabled={isBusy.value}>
          {texts.common.save}
        </button>
      </form>
    </Dialog>
  );
}

type ShapeProps = { readonly shape: RackShape; readonly onChange: (part: Partial<RackShape>) => void };

function ShapeFields({ shape, onChange }: ShapeProps) {
  const { places } = useTexts();
  return (
    <>
      <div class="inline">
        {(['rows', 'columns'] as const).map((name) => (
          <label key={name}>
            {places[name]}
            <input
              type="number"
              required
              min={1}
              max={MAX_LINES}
              value={shape[name]}
              onInput={({ currentTarget: { valueAsNumber } }) => onChange({ [name]: valueAsNumber })}
            />
          </label>
        ))}
      </div>
      <label>
        {places.first}
        <select
          value={shape.first}
          onChange={({ currentTarget: { value } }) => onChange({ first: oneOf(FIRST_CORNERS, value) })}
        >
          {FIRST_CORNERS.map((corner) => (
            <option key={corner} value={corner}>
              {places.corners[corner]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {places.direction}
        <select
          value={shape.direction}
          onChange={({ currentTarget: { value } }) => onChange({ direction: oneOf(DIRECTIONS, value) })}
        >
          {DIRECTIONS.map((direction) => (
            <option key={direction} value={direction}>
              {places.directions[direction]}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={shape.serpentine}
          onChange={({ currentTarget: { checked } }) => onChange({ serpentine: checked })}
        />{' '}
        {places.serpentine}
      </label>
    </>
  );
}

const oneOf = <T extends string>(words: readonly [T, ...T[]], text: string): T =>
  words.find((word) => word === text) ?? words[0];
