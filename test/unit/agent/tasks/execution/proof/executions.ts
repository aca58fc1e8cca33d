// Executions and looks for the tests of proofs: no clock, no device, no queue.
import { z } from 'zod';
import type { Execution } from '../../../../../../src/agent/tasks/execution/proof/effect.ts';
import type { Look, Proof } from '../../../../../../src/agent/tasks/execution/proof/proof.ts';
import { newRow } from '../../../../../../src/agent/tasks/queue/admission.ts';
import type { Baseline } from '../../../../../../src/agent/tasks/stored-task.ts';
import type { Ability } from '../../../../../../src/driver/contract.ts';

const ACTED_MS = 1_000_000;

export type More = Partial<Execution> & { readonly baseline?: Partial<Baseline> };

export const ruleOf = (more: Partial<Ability>): Ability => ({
  effect: 'once',
  offlineS: [0, 0],
  params: z.looseObject({}),
  act: () => Promise.reject(new Error('a proof sends nothing')),
  ...more,
});

/** Of a command that was sent one second after a look at the miner, with this in it. */
export function executionOf(
  { baseline, ...more }: More & Pick<Execution, 'ability'>,
  taskParams: Readonly<Record<string, unknown>> = {},
): Execution {
  const ids = { taskId: 'task', batchId: null, name: 'miner.system.reboot', minerKey: 'miner', uplink: null };
  const row = newRow({ ...ids, params: taskParams, source: 'service', expiresMs: ACTED_MS * 2 }, ACTED_MS - 1_000);
  return {
    task: { ...row, baseline: baseline && { atMs: ACTED_MS - 1_000, ...baseline } },
    rule: undefined,
    params: taskParams,
    actedMs: ACTED_MS,
    isRecovered: false,
    isReplyLost: false,
    ...more,
  };
}

/**
 * Looks at `lookAt(atS)` as often as the proof wants it, from `fromS` on, until it ends. `uses` = what became of the
 * capacity, each time that it changed.
 */
export function follow<State>(proof: Proof<State>, lookAt: (atS: number) => Look, fromS = 0) {
  let waiting = proof.begin(fromS);
  let atS = fromS;
  const looks: number[] = [];
  const uses: { readonly use: string; readonly atS: number }[] = [];
  for (let count = 0; count < 10_000; count++) {
    atS += waiting.waitS;
    looks.push(atS);
    const next = proof.step(waiting.state, lookAt(atS), atS);
    if ('status' in next) return { outcome: next, atS, looks, uses };
    const use = next.capacity ?? 'kept';
    if ((uses.at(-1)?.use ?? 'kept') !== use) uses.push({ use, atS });
    waiting = next;
  }
  throw new Error('the proof does not end');
}
