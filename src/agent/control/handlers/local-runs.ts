// Tasks that people of this host ask for, miner by miner through the task queue, reported step by step. When the caller
// goes, what has not been started is given up. It finds no miners and sends nothing itself.
import { withForcedCanary } from '../../../model/task.ts';
import { TASK_LABELS } from '../../tasks/contract.ts';
import type { LocalCommand } from '../../tasks/queue/admission.ts';
import { heldBackText, ruleOf } from '../../tasks/queue/rollout-rule.ts';
import type { TaskQueue } from '../../tasks/queue/task-queue.ts';
import type { RunRequest, Step } from '../messages.ts';

type Miner = { readonly key: string; readonly ip: string };

/** Enough for many miners, a few at a time; after that a person should look again. */
const EXPIRES_S = 4 * 3_600;

export function createLocalRuns(
  tasks: Pick<TaskQueue, 'runLocalBatch' | 'cancelAll' | 'abortAll'>,
  paramsOf: (request: RunRequest, miner: Miner) => RunRequest['params'] = ({ params }) => params,
) {
  /** Each gives up what one run has not handed to the queue yet, and says how many. */
  const holding = new Set<(message: string) => number>();

  return {
    /**
     * Resolves with the number of those that succeeded when all are over; `detach`: when the queue has them, which then
     * go on without the caller. Rejects with CancelledError when the queue stops, with RefusedError when it takes no
     * more.
     */
    async run(
      request: RunRequest & { readonly batchId: string; readonly by?: string | undefined },
      miners: readonly Miner[],
      onStep: (step: Step) => void,
      signal: AbortSignal,
    ): Promise<number> {
      const { name, concurrency, detach = false, by, batchId } = request;
      const rollout = withForcedCanary(name, request.rollout);
      let succeeded = 0;

      const carryOut = async (some: readonly Miner[]) => {
        const ids = new Map<string, string>();
        const commands = some.map(
          ({ key, ip }): LocalCommand => ({
            name,
            minerKey: key,
            params: paramsOf(request, { key, ip }),
            by,
            expiresInS: EXPIRES_S,
            onState(state) {
              if (state === 'accepted' || state === 'final') return;
              const message = TASK_LABELS[state];
              onStep({ ip, task_id: ids.get(key) ?? null, status: 'running', message, evidence: {} });
            },
          }),
        );
        const { runs } = tasks.runLocalBatch(commands, batchId, rollout && ruleOf(rollout));
        const giveUp = () => void tasks.cancelAll(runs.map(({ taskId }) => taskId));
        const heldFrom = rollout?.canary || some.length;
        const told = some.map(async ({ key, ip }, i) => {
          const run = runs[i];
          if (run === undefined) return;
          ids.set(key, run.taskId);
          const message = i < heldFrom ? TASK_LABELS.accepted : heldBackText(heldFrom);
          onStep({ ip, task_id: run.taskId, status: 'pending', message, evidence: {} });
          const end = await run.outcome;
          if (end.status === 'succeeded') succeeded++;
          onStep({ ip, task_id: run.taskId, ...end });
        });
        const over = Promise.all(told);
        if (detach) {
          // It rejects when the queue stops: what is left goes on with the next start.
          over.catch(() => {});
          return;
        }
        signal.addEventListener('abort', giveUp, { once: true });
        if (signal.aborted) giveUp();
        try {
          await over;
        } finally {
          signal.removeEventListener('abort', giveUp);
        }
      };

      if (concurrency === undefined) {
        if (miners.length > 0) await carryOut(miners);
        return succeeded;
      }
      const held = [...miners];
      const giveUpHeld = (message: string) => {
        const left = held.splice(0);
        for (const { ip } of left) onStep({ ip, task_id: null, status: 'cancelled', message, evidence: {} });
        return left.length;
      };
      const onAbort = () => void giveUpHeld('cancelled before it was started');
      const oneByOne = async () => {
        for (let next = held.shift(); next !== undefined; next = held.shift()) await carryOut([next]);
      };
      holding.add(giveUpHeld);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      try {
        await Promise.all(Array.from({ length: Math.min(concurrency, held.length) }, oneByOne));
      } finally {
        holding.delete(giveUpHeld);
        signal.removeEventListener('abort', onAbort);
      }
      return succeeded;
    },
    /** Also what is still to be handed to the queue; says how many. */
    abortAll(reason: string): number {
      const message = `given up with all others: ${reason}`;
      const left = [...holding].reduce((sum, giveUpHeld) => sum + giveUpHeld(message), 0);
      return left + tasks.abortAll(reason);
    },
  };
}
