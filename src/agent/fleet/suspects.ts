// Reports to the services which devices show the facts of other miners or change their identity: one event for all,
// when the list changes. It judges nothing.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { EventRecord } from '../../wire/records.ts';
import type { Suspect } from './identity/miner-registry.ts';

/** All are counted, at most these are named. */
const MAX_NAMED = 200;

export function createSuspectReport(parts: {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
  readonly suspects: () => readonly Suspect[];
  /** What the services call this agent. */
  readonly agentIds: readonly string[];
  emit(record: EventRecord): void;
}) {
  let reported = '';
  return {
    /** At most one event per call. To be called about once a minute. */
    report(): void {
      const suspects = parts.suspects().toSorted((a, b) => (a.ip < b.ip ? -1 : 1));
      const now = suspects.map(({ ip, reason }) => `${ip} ${reason}`).join();
      if (now === reported) return;
      reported = now;
      const reasons = { claims: 0, changes: 0 };
      for (const { reason } of suspects) reasons[reason]++;
      const addresses = suspects.slice(0, MAX_NAMED).map(({ ip }) => ip);
      const detail = { count: suspects.length, addresses, reasons };
      const at = new Date(parts.clock.nowMs()).toISOString();
      if (suspects.length > 0) parts.log.warn(detail, 'devices show the facts of other miners, or change who they are');
      for (const key of parts.agentIds) parts.emit({ kind: 'event', type: 'identity_suspects', key, at, detail });
    },
  };
}
