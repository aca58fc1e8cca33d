// The lights of miners on a walk: each is ordered as a task of the service. On is not waited for; off is tried again
// while the miner is still busy with on, and waited for at the end.
import type { Clock } from '../../../base/clock.ts';
import { PeerError, renderError } from '../../../base/errors.ts';
import { createdAnswerSchema } from '../../../wire/api/tasks.ts';
import { CommandFailed } from '../../output/exit.ts';
import type { Asks } from '../location-service.ts';

/** A walk goes on sooner: a light that comes later is of no use. */
const EXPIRES_S = 60;
const TRIES = 10;
const RETRY_MS = 2_000;

export type Lights = ReturnType<typeof createLights>;

/** `onTrouble` = a light that could not be switched off. */
export function createLights(service: Asks, clock: Clock, onTrouble: (text: string) => void) {
  const open = new Set<Promise<void>>();
  const putOut = async (minerId: string, ip: string) => {
    let problem = await order(service, minerId, false);
    for (let tries = 1; problem !== null && tries < TRIES; tries++) {
      await clock.sleep(RETRY_MS);
      problem = await order(service, minerId, false);
    }
    if (problem !== null) onTrouble(`the light of ${ip} may still be on: ${problem}`);
  };
  return {
    /** Why it cannot be switched on; null = it goes on. */
    on: (minerId: string): Promise<string | null> => order(service, minerId, true),
    off(minerId: string, ip: string): void {
      const work = putOut(minerId, ip).finally(() => open.delete(work));
      open.add(work);
    },
    /** Until all that were to go out are ordered to. */
    settle: async (): Promise<void> => void (await Promise.all(open)),
  };
}

/** Why it is not switched; null = it is. */
async function order({ ask }: Asks, minerId: string, on: boolean): Promise<string | null> {
  const task = { task_name: 'miner.light.update', miner_ids: [minerId], params: { on }, expires_in_s: EXPIRES_S };
  try {
    const { meta } = await ask(createdAnswerSchema, { method: 'POST', path: '/task-batches', body: task });
    return meta.summary.created_count > 0 ? null : (meta.skipped[0]?.message ?? 'its light cannot be switched');
  } catch (error) {
    if (error instanceof CommandFailed || error instanceof PeerError) return renderError(error);
    throw error;
  }
}
