// Reports that the clock of an agent differs from ours: in the log with each hello, as an event of its farm at most
// once an hour. Records are dated by our clock all the same: see agent-clock.ts.
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Agent, EventStore } from '../store/store.ts';

/** A clock that is off by more than this is reported. */
const DIFFERS_MS = 60_000;
const AGAIN_MS = 3_600_000;

type NotesParts = {
  readonly events: Pick<EventStore, 'recordForAgent'>;
  readonly clock: Pick<Clock, 'nowMs' | 'elapsedMs'>;
  readonly log: Log;
};

/** Notes how far an agent's clock is ahead of ours, ms; returns that where it is reported, else null. */
export function createClockNotes({ events, clock, log }: NotesParts) {
  /** Of every agent whose clock ever differed here: as many as are enrolled. */
  const reportedAtMs = new Map<string, number>();
  return (agent: Pick<Agent, 'id' | 'farmId'>, skewMs: number): number | null => {
    if (Math.abs(skewMs) <= DIFFERS_MS) return null;
    const fields = { agentId: agent.id, skewMs: Math.round(skewMs) };
    log.warn(fields, 'the clock of the agent differs from ours');
    const nowMs = clock.elapsedMs();
    if (nowMs - (reportedAtMs.get(agent.id) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return fields.skewMs;
    reportedAtMs.set(agent.id, nowMs);
    events
      .recordForAgent({ agent, type: 'clock_differs', atMs: clock.nowMs(), detail: { ahead_ms: fields.skewMs } })
      .catch((error: unknown) => log.warn({ ...fields, error: renderError(error) }, 'keep an event of an agent'));
    return fields.skewMs;
  };
}
