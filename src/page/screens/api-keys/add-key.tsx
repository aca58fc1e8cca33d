// Asks for a new key: who uses it, what it may do, its last day. Offered is only what the person may do too.
import { useSignal } from '@preact/signals';
import { enoughFor, PERMISSIONS, permissionsOf, ROLES } from '../../../model/permissions/permissions.ts';
import type { KeyCreation, KeyWithText } from '../../../wire/api/keys.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useWorkspaceMay } from '../../live/workspace-may.ts';
import { Marks } from '../../parts/admin/marks.tsx';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { dayOf, endOf } from '../people/last-day.ts';

/** A forgotten key ends by itself. */
const LIFE_MS = 365 * 86_400_000;

type AddKeyProps = {
  readonly path: string;
  readonly onMade: (key: KeyWithText) => void;
  readonly onClose: () => void;
};

export function AddKey({ path, onMade, onClose }: AddKeyProps) {
  const { nowMs } = useApp();
  const texts = useTexts();
  const may = useWorkspaceMay();
  const command = useCommand();
  /** Undefined = the permissions that are marked. */
  const role = useSignal<(typeof ROLES)[number] | undefined>('viewer');
  const marked = useSignal<readonly string[]>([]);
  const isNoneMarked = useSignal(false);
  const firstDay = useSignal(dayOf(new Date(nowMs.value + LIFE_MS).toISOString()));
  const given = PERMISSIONS.filter((needed) => enoughFor(needed).some(may));
  const roles = ROLES.filter((one) => permissionsOf(one).every((needed) => given.includes(needed)));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const permissions = given.filter((one) => marked.value.includes(one));
    isNoneMarked.value = role.value === undefined && permissions.length === 0;
    if (isNoneMarked.value) return;
    const body: KeyCreation = {
      name: String(form.get('name') ?? ''),
      ...(role.value === undefined ? { permissions } : { role: role.value }),
      expires_at: endOf(String(form.get('end') ?? '')),
    };
    const key = await command.run<KeyWithText>({ method: 'POST', path, body });
    if (key !== undefined) onMade(key);
  };
  return (
    <Dialog title={texts.apiKeys.add} onClose={onClose}>
      <form onSubmit={submit}>
        <label>
          {texts.apiKeys.name}
          <input name="name" autocomplete="off" required maxLength={128} />
        </label>
        <label>
          {texts.apiKeys.role}
          <select
            value={role.value ?? ''}
            onChange={({ currentTarget: { value } }) => {
              role.value = roles.find((one) => one === value);
            }}
          >
            {roles.map((one) => (
              <option key={one} value={one}>
                {texts.role[one]}: {texts.people.mayDo[one]}
              </option>
            ))}
            <option value="">{texts.apiKeys.single}</option>
          </select>
        </label>
        {role.value === undefined && (
          <Marks
            title={texts.apiKeys.permissions}
            choices={given.map((id) => ({ id, name: texts.settings.permissions[id] }))}
            marked={marked.value}
            onChange={(chosen) => {
              marked.value = chosen;
            }}
          />
        )}
        <label>
          {texts.apiKeys.lastDay}
          <input name="end" type="date" defaultValue={firstDay.value} />
        </label>
        {isNoneMarked.value && (
          <p class="note note-bad" role="alert">
            {texts.apiKeys.noneMarked}
          </p>
        )}
        <RefusalNote refusal={command.refusal} />
        <FormButtons label={texts.apiKeys.addNow} isDisabled={command.isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
