// Looks at a miner until a proof has its answer. It sends nothing but looks, and it always ends, because every proof
// does. It judges nothing itself.
import { afterAct, type TaskOutcome, type TaskParts } from '../../contract.ts';
import type { Controls, Execution } from '../execution.ts';
import { askedBefore } from './asked-before.ts';
import { effectProof } from './effect.ts';
import { changedOutcome, createLooker } from './look.ts';
import { passwordProof, passwordWatch } from './password.ts';
import type { Look, Proof, Waiting } from './proof.ts';
import { rebootProof } from './reboot.ts';

type Held = Pick<Controls, 'stop' | 'capacity'>;

/** Ends with an outcome, or rejects with CancelledError when `stop` aborts. */
export async function verify(parts: TaskParts, execution: Execution, held: Held): Promise<TaskOutcome> {
  try {
    if (execution.ability === 'reboot')
      return await untilProven(parts, execution, held, rebootProof({ execution, settings: parts.settings.reboot }));
    if (execution.ability === 'password') {
      const watch = passwordWatch(parts, execution, held.stop);
      return await untilProven(parts, execution, held, passwordProof(execution, watch.shown), watch);
    }
    const { execution: asked, ask } = askedBefore(execution);
    return await untilProven(parts, execution, held, effectProof(asked), { onLook: ask });
  } catch (error) {
    const outcome = changedOutcome(error, execution.task, parts);
    if (outcome === undefined) throw error;
    return afterAct(outcome);
  }
}

/** What is done beside the looks. */
type Beside = { onLook?(look: Look): Promise<void>; tryAgain?(): void };

async function untilProven<State>(
  parts: TaskParts,
  execution: Execution,
  { stop, capacity }: Held,
  proof: Proof<State>,
  { onLook, tryAgain }: Beside = {},
): Promise<TaskOutcome> {
  const { clock } = parts;
  // Monotonic from here on; what lies before is told by the elapsed time that lasts over a restart of the agent.
  const startMs = clock.monotonicMs();
  const beforeMs = Math.max(0, clock.elapsedMs() - execution.actedMs);
  const sinceActS = () => (beforeMs + clock.monotonicMs() - startMs) / 1_000;
  // A restart shows in what is asked anyway; what was set has to be asked for.
  const lookAgain = createLooker(parts, execution.task, stop, execution.ability !== 'reboot');
  let waiting = proof.begin(sinceActS());
  for (;;) {
    if (waiting.waitS > 0) await clock.sleep(waiting.waitS * 1_000, stop);
    const look = await lookAgain();
    await onLook?.(look);
    const next = proof.step(waiting.state, look, sinceActS());
    if ('status' in next) return next;
    free(next.capacity, capacity);
    if (next.triesAgain) tryAgain?.();
    waiting = next;
  }
}

function free(use: Waiting<unknown>['capacity'], capacity: Controls['capacity']): void {
  if (use === 'back') capacity.onBack();
  else if (use !== undefined) capacity.onUnproven(use === 'unproven-away');
}
