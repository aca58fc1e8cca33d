// Follows one task until it is proven or has failed. What is only sent is not shown as done.
import { useEffect } from 'preact/hooks';
import type { z } from 'zod';
import type { taskV2Schema } from '../../../wire/api/tasks.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Age } from '../../parts/bits.tsx';

type Task = z.infer<typeof taskV2Schema>;
const EVERY_MS = 2_000;

type ProofProps = { readonly what: string; readonly batchId: string; readonly onDone: () => void };

export function TaskProof({ what, batchId, onDone }: ProofProps) {
  const { ref, farm } = useFarm();
  const texts = useTexts();
  const path = farmPath(ref, `task-batches/${batchId}/tasks?page_size=1`);
  const { answer } = useAsked<Answer<readonly Task[]>>(path, EVERY_MS);
  const task = answer?.data[0];
  const isOver = task !== undefined && task.status !== 'pending' && task.status !== 'running';
  useEffect(() => {
    if (isOver) onDone();
  }, [isOver]);
  const status = task?.status ?? 'pending';
  return (
    <p class={`note task-proof task-${status}`} role="status">
      <a href={`/f/${farm.id}/tasks/${batchId}`}>
        <strong>{what}</strong>: {texts.task.status[status]}
      </a>{' '}
      {task?.message} {isOver && <Age atMs={Date.parse(task.updated_at)} />}
    </p>
  );
}
