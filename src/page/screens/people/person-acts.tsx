// What an administrator does with a person at once: codes, ending sessions, disabling, and after a question removing.
import { useSignal } from '@preact/signals';
import type { CodeRequest, Person, PersonCode, PersonEdit } from '../../../wire/api/people/people.ts';
import type { EndedSessions } from '../../../wire/api/people/session.ts';
import { useTexts } from '../../app-state.ts';
import { type Command, useCommand } from '../../live/ask/use-command.ts';
import { RefusalNote } from '../../parts/bits.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CodeDialog } from './code-dialog.tsx';

type PersonActsProps = {
  readonly person: Person;
  readonly path: string;
  readonly onChanged: () => void;
  readonly onRemoved: () => void;
};

export function PersonActs({ person, path, onChanged, onRemoved }: PersonActsProps) {
  const texts = useTexts();
  const command = useCommand();
  const { name, is_disabled, is_wall } = person;
  const code = useSignal<PersonCode | undefined>(undefined);
  const ended = useSignal<number | undefined>(undefined);
  const isRemoving = useSignal(false);
  const makeCode = async (purpose: CodeRequest['purpose']) => {
    const body: CodeRequest = { purpose };
    code.value = await command.run<PersonCode>({ method: 'POST', path: `${path}/code`, body });
  };
  const endAll = async () => {
    const answer = await command.run<EndedSessions>({ method: 'DELETE', path: `${path}/sessions` });
    ended.value = answer?.ended_count;
    if (answer !== undefined) onChanged();
  };
  const setDisabled = async () => {
    const body: PersonEdit = { is_disabled: !is_disabled };
    if ((await command.run({ method: 'PATCH', path, body })) !== undefined) onChanged();
  };
  const acts = [
    ...(is_wall ? [] : [[texts.people.newPassword, () => makeCode('reset')] as const]),
    [texts.people.pair, () => makeCode('pair')],
    [texts.people.endSessions, endAll],
    [is_disabled ? texts.people.enable : texts.people.disable, setDisabled],
  ] as const;
  return (
    <>
      <h2>{texts.people.acts}</h2>
      <div class="actions">
        {acts.map(([label, act]) => (
          <button key={label} type="button" class="act" disabled={command.isBusy} onClick={() => void act()}>
            {label}
          </button>
        ))}
        <button type="button" class="act" onClick={() => (isRemoving.value = true)}>
          {texts.people.remove}
        </button>
      </div>
      {ended.value !== undefined && <p class="note note-good">{texts.people.ended(ended.value)}</p>}
      {!isRemoving.value && <RefusalNote refusal={command.refusal} />}
      {code.value !== undefined && (
        <CodeDialog
          name={name}
          code={code.value}
          onClose={() => {
            code.value = undefined;
          }}
        />
      )}
      {isRemoving.value && (
        <RemoveDialog {...{ name, path, command }} onClose={() => (isRemoving.value = false)} onRemoved={onRemoved} />
      )}
    </>
  );
}

type RemoveProps = {
  readonly name: string;
  readonly path: string;
  readonly command: Command;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
};

function RemoveDialog({ name, path, command, onClose, onRemoved }: RemoveProps) {
  const texts = useTexts();
  const remove = async () => {
    if ((await command.run({ method: 'DELETE', path })) !== undefined) onRemoved();
  };
  return (
    <Dialog title={texts.people.removeAsk(name)} onClose={onClose}>
      <p>{texts.people.removeHint}</p>
      <RefusalNote refusal={command.refusal} />
      <div class="actions">
        <button type="button" class="act act-main" disabled={command.isBusy} onClick={() => void remove()}>
          {texts.people.remove}
        </button>
        <button type="button" class="act" onClick={onClose}>
          {texts.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
