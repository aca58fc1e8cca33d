// The second person of a task batch: says that the batch waits for one, lets another person confirm it, and then names
// who did.
import type { z } from 'zod';
import { TASK_KINDS } from '../../../model/tasks/task-kinds.data.ts';
import type { batchV2Schema } from '../../../wire/api/tasks.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useFarm } from '../../live/farm-state.ts';
import { RefusalNote } from '../../parts/bits.tsx';

type Ordered = Pick<z.infer<typeof batchV2Schema>, 'task_name' | 'status' | 'created_by' | 'metadata'>;

/** No agent has got it: another person has to confirm it first. */
export const isHeld = ({ status, metadata }: Ordered): boolean =>
  status === 'pending' && metadata.needs_second_person === true && metadata.confirmed === undefined;

type Props = { readonly batch: Ordered; readonly path: string; readonly onConfirmed: () => void };

export function SecondPerson({ batch, path, onConfirmed }: Props) {
  const { task } = useTexts();
  const confirmedBy = nameIn(batch.metadata.confirmed);
  if (confirmedBy !== undefined) return <p class="note">{task.confirmedBy(confirmedBy)}</p>;
  if (!isHeld(batch)) return null;
  return (
    <>
      <p class="note note-bad">{task.waitsForSecond}</p>
      <Confirm {...{ batch, path, onConfirmed }} />
    </>
  );
}

function Confirm({ batch, path, onConfirmed }: Props) {
  const { session } = useApp();
  const { may } = useFarm();
  const { task } = useTexts();
  const command = useCommand();
  const state = session.value;
  const isOwn = state.kind === 'open' && state.session.person.id === batch.created_by.id;
  if (isOwn) return <p class="note">{task.ownOrder}</p>;
  const kind = Object.entries(TASK_KINDS).find(([name]) => name === batch.task_name)?.[1];
  if (kind === undefined || !may(kind.permission)) return null;
  const confirm = async () => {
    await command.run({ method: 'POST', path: `${path}/confirm` });
    onConfirmed();
  };
  return (
    <>
      <button type="button" class="act act-main" disabled={command.isBusy} onClick={() => void confirm()}>
        {task.confirm}
      </button>
      <RefusalNote refusal={command.refusal} />
    </>
  );
}

/** Who it was, as the service writes it: `{ by: { name }, at }`. */
function nameIn(confirmed: unknown): string | undefined {
  if (typeof confirmed !== 'object' || confirmed === null || !('by' in confirmed)) return undefined;
  const { by } = confirmed;
  return typeof by === 'object' && by !== null && 'name' in by ? String(by.name) : undefined;
}
