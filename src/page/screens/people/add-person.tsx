// Asks for a new person: name, roles, last day.
import { useSignal } from '@preact/signals';
import type { PersonCreation, PersonWithCode } from '../../../wire/api/people/people.ts';
import { workspacePath } from '../../api/paths.ts';
import { useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useFarm } from '../../live/farm-state.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { endOf } from './last-day.ts';
import { RoleFields, type Roles } from './role-fields.tsx';

type AddPersonProps = { readonly onAdded: (person: PersonWithCode) => void; readonly onClose: () => void };

export function AddPerson({ onAdded, onClose }: AddPersonProps) {
  const { ref } = useFarm();
  const texts = useTexts();
  const { run, isBusy, refusal } = useCommand();
  const roles = useSignal<Roles>({ role: 'technician', farm_roles: [] });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const body: PersonCreation = {
      name: String(form.get('name') ?? ''),
      expires_at: endOf(String(form.get('end') ?? '')),
      ...roles.value,
    };
    const path = workspacePath(ref.workspaceId, 'people');
    const person = await run<PersonWithCode>({ method: 'POST', path, body });
    if (person !== undefined) onAdded(person);
  };
  return (
    <Dialog title={texts.people.add} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {texts.people.name}
          <input name="name" autocomplete="off" required maxLength={64} />
        </label>
        <RoleFields value={roles.value} onChange={(chosen) => (roles.value = chosen)} />
        <label>
          {texts.people.lastDay}
          <input name="end" type="date" />
        </label>
        <RefusalNote refusal={refusal} />
        <FormButtons label={texts.people.addNow} isDisabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
