// Changes the roles and the last day of a person. A screen keeps its role, as the service wants it.
import { useSignal } from '@preact/signals';
import type { Person, PersonEdit } from '../../../wire/api/people/people.ts';
import { useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { dayOf, endOf } from './last-day.ts';
import { RoleFields, type Roles } from './role-fields.tsx';

type PersonFormProps = { readonly person: Person; readonly path: string; readonly onChanged: () => void };

export function PersonForm({ person, path, onChanged }: PersonFormProps) {
  const texts = useTexts();
  const { run, isBusy, refusal } = useCommand();
  const { role, farm_roles, expires_at, is_wall } = person;
  const roles = useSignal<Roles>({ role, farm_roles });
  const day = useSignal(dayOf(expires_at));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const body: PersonEdit = {
      ...(!is_wall && roles.value),
      // An end within a day stays as it is while its day does.
      ...(day.value !== dayOf(expires_at) && { expires_at: endOf(day.value) }),
    };
    if ((await run({ method: 'PATCH', path, body })) !== undefined) onChanged();
  };
  const isChanged =
    JSON.stringify(roles.value) !== JSON.stringify({ role, farm_roles }) || day.value !== dayOf(expires_at);
  return (
    <form onSubmit={submit} class="narrow">
      <h2>{texts.people.change}</h2>
      {!is_wall && <RoleFields value={roles.value} onChange={(chosen) => (roles.value = chosen)} />}
      <label>
        {texts.people.lastDay}
        <input
          type="date"
          value={day.value}
          onInput={({ currentTarget: { value } }) => {
            day.value = value;
          }}
        />
      </label>
      <RefusalNote refusal={refusal} />
      <div class="actions">
        <button type="submit" class="act act-main" disabled={isBusy || !isChanged}>
          {texts.common.save}
        </button>
      </div>
    </form>
  );
}
