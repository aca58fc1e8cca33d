// What a task sees of its miner: the answers of that miner, never those of another unit at its address; which unit is
// there when none of them says so; and what may be sent then. It sends nothing but looks.
import type { Clock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import type { AbilityName } from '../../../driver/contract.ts';
import type { VisitOutcome } from '../../../driver/visit/visit.ts';
import type { DeviceClient, MinerTarget } from '../../device/device-client.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { MinerRegistry } from '../../fleet/identity/miner-registry.ts';
import type { Sighting } from '../../fleet/identity/record.ts';
import { factsIn, knownOf } from '../../fleet/sighting.ts';
import { failed, type TargetIdentity, type TaskDeps, type TaskOutcome } from '../contract.ts';

const OTHER_UNIT = 'another unit stands at this address now';
/** However seldom is polled: no unit is exchanged for another, started and on the network in less. */
const RECENT_MS = 60_000;

export function createObservations(parts: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly client: Pick<DeviceClient, 'read' | 'readFresh' | 'targetOf'>;
  readonly fleet: Pick<Fleet, 'get' | 'recognised'>;
  readonly registry: Pick<MinerRegistry, 'whoIs' | 'answersAs' | 'get'>;
  readonly neighbours: { at(ip: string): Sighting['neighbour'] };
  /** Throws CancelledError when the miner has left. */
  readonly targetOf: (key: string) => MinerTarget;
  /** How often each miner is polled. */
  readonly pollMs: () => number;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
  /** Who answered instead could not be taken in. */
  onError(error: unknown, ip: string): void;
}): Pick<TaskDeps, 'observe' | 'identifyTarget'> {
  const { clock, client, fleet, registry, neighbours, targetOf, pollMs, signal } = parts;

  /** So that the move is known now, and not with the next poll that happens to ask who it is. */
  const meet = (asked: MinerTarget, found: ReturnType<MinerRegistry['whoIs']>, outcome: VisitOutcome) => {
    const { ip, driver } = asked;
    // Nothing of the unit that stood here: what it said and how it was met would be taken for this one's.
    const target = client.targetOf(ip, found?.driverId ?? driver.id, found === undefined ? {} : knownOf(found));
    if (target === undefined) return;
    const recognised = {
      ...{ status: 'identified' as const, target, outcome },
      ...{ identity: { confidence: 'sure' as const }, evidence: { family: undefined } },
    };
    fleet.recognised(ip, recognised, signal).catch((error: unknown) => parts.onError(error, ip));
  };

  /** Its last poll was answered by itself, a moment ago. */
  const wasSeenRecently = (key: string, isNameless: boolean): boolean => {
    const { answered, reading } = fleet.get(key) ?? {};
    if (answered === undefined || reading === undefined || answered.isLoginRefused) return false;
    if (clock.monotonicMs() - answered.atMs > Math.min(pollMs(), RECENT_MS)) return false;
    return isNameless || registry.answersAs(key, factsIn(reading));
  };

  return {
    async observe(key, lookSignal, isFresh = false) {
      const target = targetOf(key);
      const { ip } = target;
      const outcome = await (isFresh
        ? client.readFresh(target, lookSignal)
        : client.read(target, lookSignal, 'command'));
      const found = registry.whoIs({ ip, ...factsIn(outcome.reading), neighbour: neighbours.at(ip) });
      if (found?.key === key) return outcome.reading;
      meet(target, found, outcome);
      throw new RefusedError('refused.other-unit', OTHER_UNIT);
    },
    identifyTarget(key, shown) {
      const entry = registry.get(key);
      if (entry === undefined) return 'unknown';
      // A miner without MAC and serial number looks like others of its model, and must be worked on all the same.
      const isNameless = entry.mac === null && entry.serialNumber === null;
      const { ip } = targetOf(key);
      // The look has just had this host find out the MAC behind the address.
      const neighbour = neighbours.at(ip);
      const isItself = shown !== undefined && registry.answersAs(key, { ...factsIn(shown), neighbour });
      if (isItself || (shown !== undefined && isNameless)) return 'itself';
      if (registry.whoIs({ ip, neighbour })?.key !== key) return 'another';
      const isNeighbour = neighbour?.isShared === false && registry.answersAs(key, { neighbour });
      return isNeighbour || wasSeenRecently(key, isNameless) ? 'itself' : 'unknown';
    },
  };
}

/** What it costs when the wrong unit takes it: `lasting` = until a person notices and undoes it. */
const HARM = {
  reboot: 'passing',
  light: 'passing',
  log: 'passing',
  powerMode: 'lasting',
  pools: 'lasting',
  firmware: 'lasting',
  password: 'lasting',
} as const satisfies Readonly<Record<AbilityName, 'passing' | 'lasting'>>;

/**
 * Why nothing is sent to an address whose miner did not say who it is, because it hangs or its login is refused, or
 * because another unit stands there and is silent too; undefined = it may go. A hung miner is the one that has to be
 * rebooted, and a reboot of the wrong unit is over in minutes: that may go. What stays with the unit that takes it goes
 * only where something else shows that it is the one that is meant.
 */
export function refuseUnidentified(
  standing: TargetIdentity,
  ability: AbilityName,
  taskName: string,
): TaskOutcome | undefined {
  switch (standing) {
    case 'itself':
      return undefined;
    case 'another':
      return failed(`refused: ${OTHER_UNIT}`);
    case 'unknown':
      if (HARM[ability] === 'passing') return undefined;
      return failed(
        `refused: nothing shows who stands at this address, and ${taskName} would stay with the wrong unit; reboot it, or ask for it again when it answers`,
      );
  }
}
