// Which units show the same facts, as a person is shown them, and the person's word on which is the miner.
import type { Clock } from '../../../base/clock.ts';
import { plainText } from '../../../model/plain-text.ts';
import type { Dispute, MinerRegistry } from '../../fleet/identity/miner-registry.ts';
import type { MinerEntry } from '../../fleet/identity/record.ts';
import type { Named } from '../../fleet/miner-selectors.ts';
import type { Settled, Settlement } from '../../fleet/settlement.ts';
import type { Identities, SettledUnits, SettleRequest, ShownUnit } from '../messages.ts';
import { isoOf } from '../status.ts';

export function createIdentities(parts: {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly registry: Pick<MinerRegistry, 'disputes' | 'undecided' | 'get'>;
  readonly settlement: Settlement;
  /** The miners that are meant, among those that are known. */
  readonly name: (names: readonly string[]) => Named;
}) {
  const { clock, registry, settlement, name } = parts;
  return {
    identities(): Identities {
      const nowMs = clock.nowMs();
      const undecided = registry.undecided().flatMap(({ ip, key }) => {
        const miner = registry.get(key);
        return miner === undefined ? [] : [shownUndecided(ip, miner, nowMs)];
      });
      return { disputes: [...registry.disputes().map((dispute) => shownDispute(dispute, nowMs)), ...undecided] };
    },
    /** What is left as it is has its reason. */
    async settle({ units, dry_run: isDryRun, ...request }: SettleRequest, signal: AbortSignal): Promise<SettledUnits> {
      const by = plainText(request.by) ?? 'unknown';
      if (units === undefined)
        return (await settlement.settle({ wanted: 'all', isDryRun, by }, signal)).map(shownSettled);
      const { miners, unknown } = name(units);
      const wanted = miners.map(({ key }) => key);
      const settled = await settlement.settle({ wanted, isDryRun, by }, signal);
      const strangers = unknown.map((one) => ({
        ...{ ip: one.name, outcome: 'left' as const, reason: one.reason, key: null, from: null, rejected: [] },
      }));
      return [...settled.map(shownSettled), ...strangers];
    },
  };
}

const shownSettled = ({ rejected, ...settled }: Settled): SettledUnits[number] => ({
  ...settled,
  rejected: [...rejected],
});

function shownDispute(
  { miner, claimant, facts, state, sinceMs }: Dispute,
  nowMs: number,
): Identities['disputes'][number] {
  const units = [miner, claimant].flatMap(({ ip }) => ip ?? []);
  return {
    ...{ miner: shownUnit(miner, nowMs), claimant: shownUnit(claimant, nowMs), facts: [...facts], state },
    since: isoOf(Math.min(sinceMs, nowMs)),
    withheld: state === 'rejected' ? units.slice(-1) : units,
  };
}

const shownUndecided = (ip: string, miner: MinerEntry, nowMs: number): Identities['disputes'][number] => ({
  miner: shownUnit(miner, nowMs),
  claimant: { ...NOTHING, ip },
  ...{ facts: [], state: 'undecided', since: null, withheld: [ip] },
});

const NOTHING = {
  ...{ key: null, model: null, network_mac: null, mac: null, serial_number: null, boards: 0, last_seen: null },
} as const satisfies Omit<ShownUnit, 'ip'>;

/** A wall clock that was set back must not make it seen in the future. */
const shownUnit = (entry: MinerEntry, nowMs: number): ShownUnit => ({
  ...{ key: entry.key, ip: entry.ip ?? entry.lastIp, model: entry.model, network_mac: entry.netMac },
  ...{ mac: entry.macSource === 'device' ? entry.mac : null, serial_number: entry.serialNumber },
  boards: entry.boardSerials?.split('\n').length ?? 0,
  last_seen: isoOf(Math.min(entry.lastSeenMs, nowMs)),
});
