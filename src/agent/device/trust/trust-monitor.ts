// The agent's part of trust: opens the record of this host, counts the devices that wait for a person, and emits an
// event when that changes.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Vault } from '../../../base/storage/vault.ts';
import type { ReportRecord } from '../../../wire/records.ts';
import type { TrustSources } from '../device-client.ts';
import { type Decision, openTrustRecord, TRUST_FILE } from './trust-record.ts';
import { type Waiting, waitingDevices } from './waiting.ts';

/** Addresses that one event names. */
const MAX_NAMED = 20;
/** The record is counted for a person who asks at most so often. */
const FRESH_MS = 2_000;

export function createTrustMonitor(
  parts: Omit<TrustSources, 'record'> & {
    readonly stateDir: string;
    readonly vault: Vault | undefined;
    readonly clock: Clock;
    readonly log: Log;
    /** Of this agent, at each service that it reports to. */
    readonly agentIds: readonly string[];
    readonly emit: (record: ReportRecord) => void;
    /** Writes it to the audit trail; throws where it cannot. */
    readonly onDecision: (decision: Decision) => void;
  },
) {
  const { clock, log } = parts;
  const record = openTrustRecord(join(parts.stateDir, TRUST_FILE), clock, { vault: parts.vault });
  let announced: readonly string[] = [];
  let reportedFault: string | undefined;
  let counted: { readonly atMs: number; readonly devices: readonly Waiting[] } | undefined;

  const heldBack = (): readonly Waiting[] => {
    const nowMs = clock.monotonicMs();
    if (counted === undefined || nowMs - counted.atMs >= FRESH_MS) {
      counted = { atMs: nowMs, devices: waitingDevices(record, clock.nowMs()).filter(({ isHeldUp }) => isHeldUp) };
    }
    return counted.devices;
  };

  /** What commands decided beside the agent, or before it started. One may be written twice when that is cut short. */
  const takeDecisions = () => {
    try {
      const decisions = record.decisions.all();
      for (const decision of decisions) parts.onDecision(decision);
      const last = decisions.at(-1);
      if (last !== undefined) record.decisions.taken(last.id);
    } catch (error) {
      log.error({ error: renderError(error) }, 'write decisions about devices to the audit trail');
    }
  };

  return {
    sources: { record, neighbourAt: parts.neighbourAt, mayLogIn: parts.mayLogIn },
    state: () => ({ waiting: heldBack().length, fault: record.fault() ?? null }),
    /** Called about once a minute. */
    check(): void {
      takeDecisions();
      const fault = record.fault();
      if (fault !== undefined && fault !== reportedFault)
        log.error(
          { fault },
          'no factory login is tried and no accepted device is known: the record of trust cannot be used',
        );
      reportedFault = fault;
      const waiting = heldBack();
      const ips = waiting.map(({ ip }) => ip);
      // One that was accepted and waits as another device within the same minute is news too.
      const reasons = waiting.map(({ ip, why }) => `${ip} ${why}`);
      if (isDeepStrictEqual(reasons, announced)) return;
      announced = reasons;
      if (ips.length === 0) return;
      const detail = { count: ips.length, addresses: ips.slice(0, MAX_NAMED) };
      log.warn(detail, 'devices wait for a person before they get their login: pithead trust list');
      const at = new Date(clock.nowMs()).toISOString();
      for (const key of parts.agentIds) parts.emit({ kind: 'event', type: 'trust_waiting', key, at, detail });
    },
    close() {
      takeDecisions();
      record.close();
    },
  };
}
