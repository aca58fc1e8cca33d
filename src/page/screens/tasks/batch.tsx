// One task batch: each of its miners with what was proven, what runs, and why something failed; and how to stop it.
import { useSignal } from '@preact/signals';
import { useRoute } from 'preact-iso/router';
import type { z } from 'zod';
import type { batchDetailSchema, taskV2Schema } from '../../../wire/api/tasks.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { type Refusal, useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { labelOf } from '../../model/label.ts';
import { Age, Loading, RefusalNote } from '../../parts/bits.tsx';
import { ActFlow } from '../act/act-flow.tsx';
import { actOfTask } from '../act/acts.ts';
import { taskText } from './batch-line.tsx';
import { SaveLogs } from './save-logs.tsx';
import { SecondPerson } from './second-person.tsx';

type Detail = z.infer<typeof batchDetailSchema>;
type Task = z.infer<typeof taskV2Schema>;
const EVERY_MS = 2_000;
const OVER_EVERY_MS = 30_000;
const MOST = 1_000;

export function TaskBatch() {
  const { params } = useRoute();
  const { ref, may } = useFarm();
  const { format } = useApp();
  const texts = useTexts();
  const path = farmPath(ref, `task-batches/${params.id}`);
  const detail = useAsked<Answer<Detail>>(path, EVERY_MS);
  const batch = detail.answer?.data;
  const isOver = batch !== undefined && batch.pending_count + batch.running_count === 0;
  // What is over does not change, and the logs of many miners are long.
  const everyMs = isOver ? OVER_EVERY_MS : EVERY_MS;
  const tasks = useAsked<Answer<readonly Task[]>>(`${path}/tasks?page_size=${MOST}`, everyMs);
  if (batch === undefined) return detail.refusal === undefined ? <Loading /> : <RefusalNote refusal={detail.refusal} />;
  const failed = tasks.answer?.data.filter(({ status }) => status === 'failed' || status === 'timeout') ?? [];
  return (
    <section>
      <h1>{texts.task.batch(taskText(batch.task_name, texts), batch.task_count)}</h1>
      <p class="note">
        {texts.task.status[batch.status]} · {texts.task.by(batch.created_by.name)} ·{' '}
        <Age atMs={Date.parse(batch.created_at)} />
      </p>
      <p class="big" role="status">
        {texts.task.summary(
          batch.succeed_count,
          batch.running_count,
          batch.pending_count,
          batch.failed_count + batch.timeout_count,
        )}
      </p>
      {batch.cancelled_count > 0 && <p class="note">{texts.task.stopped(batch.cancelled_count)}</p>}
      <progress max={batch.task_count} value={batch.task_count - batch.pending_count - batch.running_count}>
        {format.value.percent(1 - (batch.pending_count + batch.running_count) / Math.max(1, batch.task_count))}
      </progress>
      <SecondPerson batch={batch} path={path} onConfirmed={detail.again} />
      <StoppedWhy metadata={batch.metadata} />
      <div class="actions">
        {!isOver && may('tasks.cancel') && <Stop path={path} onStopped={detail.again} />}
        {isOver && failed.length > 0 && <Retry batch={batch} failed={failed} />}
        {batch.task_name === 'miner.log.get' && <SaveLogs id={batch.id} tasks={tasks.answer?.data ?? []} />}
      </div>
      <TaskRows tasks={tasks.answer?.data ?? []} />
    </section>
  );
}

function StoppedWhy({ metadata }: { metadata: Detail['metadata'] }) {
  const stopped = metadata.stopped;
  if (typeof stopped !== 'object' || stopped === null || !('reason' in stopped)) return null;
  return <p class="note note-bad">{String(stopped.reason)}</p>;
}

function Stop({ path, onStopped }: { path: string; onStopped: () => void }) {
  const { ask } = useApp();
  const texts = useTexts();
  const refusal = useSignal<Refusal | undefined>(undefined);
  const stop = async () => {
    const outcome = await ask<Answer<Detail>>({ method: 'POST', path: `${path}/cancel` });
    refusal.value = outcome.kind === 'ok' ? undefined : outcome;
    onStopped();
  };
  return (
    <>
      <button type="button" class="act" onClick={() => void stop()}>
        {texts.task.stop}
      </button>
      <RefusalNote refusal={refusal.value} />
    </>
  );
}

function Retry({ batch, failed }: { batch: Detail; failed: readonly Task[] }) {
  const { may } = useFarm();
  const texts = useTexts();
  const isOpen = useSignal(false);
  const act = actOfTask(batch.task_name, batch.task_params);
  if (act === undefined || !may(act.permission)) return null;
  return (
    <>
      <button type="button" class="act" onClick={() => (isOpen.value = true)}>
        {texts.task.retry} ({failed.length})
      </button>
      {isOpen.value && (
        <ActFlow
          act={act}
          minerIds={failed.flatMap(({ miner_id }) => miner_id ?? [])}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </>
  );
}

/** What a person has to look at comes first; of one kind the order stays. */
const URGENCY = [
  'failed',
  'timeout',
  'running',
  'pending',
  'cancelled',
  'succeeded',
] as const satisfies readonly Task['status'][];
const byUrgency = (one: Task, other: Task): number => URGENCY.indexOf(one.status) - URGENCY.indexOf(other.status);

function TaskRows({ tasks }: { tasks: readonly Task[] }) {
  const { minerOf, farm } = useFarm();
  const texts = useTexts();
  return (
    <ul class="work">
      {tasks.toSorted(byUrgency).map(({ id, miner_id, status, message }) => {
        const miner = minerOf(miner_id ?? '');
        return (
          <li key={id} class={`line line-${status}`}>
            <a href={`/f/${farm.id}/miners/${miner_id}`}>
              <strong>{miner === undefined ? texts.common.unknown : labelOf(miner)}</strong>
              <span class="line-count">{texts.task.status[status]}</span>
              <span class="line-place">{miner?.ip}</span>
              {message !== null && <span class="line-message">{message}</span>}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
