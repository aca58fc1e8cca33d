// Looks regularly which agents went offline or came back, and has it recorded. It says nothing of agents after a start
// of the service, after a pause of its process or while the database was away: then they had no service to be heard by.
import type { Clock } from '../../base/clock.ts';
import { createRound } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import type { EventStore } from '../store/store.ts';

const LOOK_MS = 15_000;
/** Agents try to connect at least once a minute, and have to be heard by then. */
const SETTLE_MS = 150_000;
/** Between two looks: more means that the process stood still. */
const PAUSE_MS = 60_000;

type PresenceParts = {
  readonly events: Pick<EventStore, 'notePresence'>;
  /** Throws while the database does not answer. */
  readonly check: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
};

export function createAgentPresence({ events, check, clock, log }: PresenceParts) {
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let settledAtMs = Number.POSITIVE_INFINITY;
  const look = async () => {
    const nowMs = clock.elapsedMs();
    if (nowMs - lookedAtMs > PAUSE_MS) settledAtMs = nowMs + SETTLE_MS;
    // A look that fails does not count: the next one settles anew.
    lookedAtMs = Number.NEGATIVE_INFINITY;
    if (nowMs >= settledAtMs) await events.notePresence(clock.nowMs());
    else await check();
    lookedAtMs = nowMs;
  };
  return createRound('looking for agents that are offline', LOOK_MS, look, clock, log);
}
