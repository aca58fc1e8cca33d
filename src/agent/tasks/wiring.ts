// What the task queue needs of the rest of the agent: its miners by their keys, the ways to act on them and to look at
// them, the tasks of the agent's own, and who hears of what came of it. It decides nothing.
import type { Clock } from '../../base/clock.ts';
import { CancelledError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ScanRanges } from '../../base/net/ranges.ts';
import type { DeviceClient } from '../device/device-client.ts';
import { type ImageTarget, unfitByContent, unfitByName } from '../firmware/image-fit.ts';
import type { FirmwareStore } from '../firmware/store.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { MinerRegistry } from '../fleet/identity/miner-registry.ts';
import { unitFactsSchema } from '../fleet/identity/record.ts';
import { factsIn } from '../fleet/sighting.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Poller } from '../poll/poller.ts';
import type { PoolGuard } from '../pool-lock/guard.ts';
import type { Scanning } from '../scan/scanning.ts';
import type { TaskDeps } from './contract.ts';
import { createObservations } from './execution/observations.ts';
import { createLoginTask } from './kinds/login-task.ts';
import { createPoolLockTask } from './kinds/pool-lock-task.ts';
import { createRefreshTask } from './kinds/refresh-task.ts';
import { createScanTask } from './kinds/scan-task.ts';
import { scannedOf } from './kinds/scanned.ts';
import { createOwnUpdate } from './kinds/self-update.ts';
import { createFarmDraw } from './pace/draw.ts';
import { poolFactsOf } from './pool-facts.ts';
import type { TaskSettings } from './settings.ts';

export const POOL_UPDATE = 'miner.pool.update';
export const POOL_LOCK = 'miner.pool.lock';

type DeviceUse =
  | 'act'
  | 'givenLogins'
  | 'read'
  | 'readFresh'
  | 'secrets'
  | 'targetOf'
  | 'whyNoPassword'
  | 'passwordShown'
  | 'tryPasswordAgain';

type LookParts = Pick<Parameters<typeof createObservations>[0], 'neighbours' | 'signal' | 'onError'> & {
  readonly registry: Parameters<typeof createObservations>[0]['registry'] &
    Pick<MinerRegistry, 'rivals' | 'isContested' | 'compare'>;
};

export function wireTasks(
  parts: LookParts & {
    readonly clock: Clock;
    readonly log: Log;
    /** Read anew with each use: they may change while the agent runs. */
    readonly settings: {
      readonly stateDir: string;
      readonly ranges: ScanRanges;
      readonly poll: { readonly interval: number };
      readonly update: { readonly allowedHosts: readonly string[] };
      readonly tasks: TaskSettings;
    };
    readonly client: Pick<DeviceClient, DeviceUse>;
    readonly fleet: Pick<Fleet, 'get' | 'all' | 'polled' | 'recognised' | 'setRebooting'>;
    readonly poller: Pick<Poller, 'pollNow'>;
    readonly scanning: Pick<Scanning, 'planFor' | 'manual'>;
    readonly firmware: Pick<FirmwareStore, 'find' | 'mayFetch'>;
    readonly pools: PoolGuard;
    readonly outbox: Pick<Outbox, 'append'>;
    readonly mayReach: (ip: string) => boolean;
    /** Of the drivers in use. */
    readonly driverIds: () => readonly string[];
    readonly retiredAs: (key: string) => string | undefined;
  },
): TaskDeps {
  const { clock, log, settings, client, fleet, poller, scanning, firmware, pools, outbox, mayReach } = parts;
  const targetOf = (key: string) => {
    const state = fleet.get(key);
    if (state === undefined) throw new CancelledError('work on a miner that has left');
    return state.target;
  };
  const imageTarget = (key: string): ImageTarget => {
    const { reading, reported, target } = fleet.get(key) ?? {};
    return {
      driverId: target?.driver.id ?? '',
      make: reading?.make ?? reported?.extras.make ?? undefined,
      model: reading?.model ?? (reported?.document.model || undefined),
    };
  };
  return {
    find(key) {
      const target = fleet.get(key)?.target;
      if (target === undefined) return undefined;
      const { id: driverId, abilities, withheld = [] } = target.driver;
      return { ip: target.ip, driverId, abilities, withheld };
    },
    unitOf: (key) => unitFactsSchema.safeParse(parts.registry.get(key)).data,
    compare: (unit, ip, shown) =>
      parts.registry.compare(unit, ip, { ...factsIn(shown), neighbour: parts.neighbours.at(ip) }),
    mayReach,
    doubtOf: (key) => doubtOf(parts.registry, key),
    act: (key, ability, params, signal, image) => client.act(targetOf(key), ability, params, signal, image),
    ...createObservations({ ...parts, targetOf, pollMs: () => settings.poll.interval }),
    image: (params, signal) => firmware.find(params, signal),
    imageFit: {
      byName: (key, name, family) => unfitByName(name, family, imageTarget(key), parts.driverIds()),
      byContent: (key, image) => unfitByContent(image, imageTarget(key)),
    },
    mayFetch: (url) => firmware.mayFetch(url),
    poolFacts: (key) => poolFactsOf(fleet.get(key), pools.desiredFor(key)?.pools),
    passwords: {
      whyNot: (key) => client.whyNoPassword(targetOf(key)),
      shown: (key, wanted, signal) => client.passwordShown(targetOf(key), wanted, signal),
      tryAgain: (key) => client.tryPasswordAgain(targetOf(key)),
    },
    secretsOf: (key) => [...client.secrets(), ...pools.secretsOf(key)],
    onPhase(key, phase) {
      fleet.setRebooting(key, phase === 'rebooting');
      if (phase === 'idle') poller.pollNow(key);
    },
    retiredAs: parts.retiredAs,
    draw: createFarmDraw({ clock, get: (key) => fleet.get(key), all: () => fleet.all() }),
    report: (record) => outbox.append([record]).then(() => undefined),
    agentTasks: {
      'agent.scan.create': createScanTask({
        ...{ clock, log, configured: () => settings.ranges, planFor: scanning.planFor, scans: scanning.manual },
        describe: scannedOf,
        report: (record) => outbox.append([record]).then(() => undefined),
      }),
      'agent.login.update': createLoginTask({
        ...{ configured: () => settings.ranges, planFor: scanning.planFor, scans: scanning.manual },
        ...{ describe: scannedOf, logins: client.givenLogins },
      }),
      'agent.self.update': createOwnUpdate(settings.stateDir, settings.update.allowedHosts, { clock, log }),
      'miner.refresh.get': createRefreshTask({
        ...{ clock, fleet, poller, agentStops: parts.signal, observeMs: () => settings.tasks.observeS * 1_000 },
        read: (key, signal) => client.readFresh(targetOf(key), signal),
      }),
      [POOL_LOCK]: createPoolLockTask({ clock, guard: pools, observeMs: () => settings.tasks.observeS * 1_000 }),
    },
    onEnd({ name, minerKey, params }, { status }) {
      if (name === POOL_UPDATE && status === 'succeeded') pools.setDesired(minerKey, params.pools);
    },
  };
}

/**
 * Why nothing that changes this miner may be sent, with the address that is in the way and what to do; undefined = it
 * may.
 */
function doubtOf(registry: LookParts['registry'], key: string): string | undefined {
  const ip = registry.get(key)?.ip ?? 'its address';
  const others = registry.rivals(key).map((other) => other.ip);
  if (others.length > 0) {
    const where = others.slice(0, MAX_NAMED).join(', ') + (others.length > MAX_NAMED ? ' and more' : '');
    return `${ip} and ${where} show the same MAC or serial number, and only one can be the miner; look at both, then: pithead identity settle <the right one>`;
  }
  if (!registry.isContested(ip)) return undefined;
  return `${ip} changes who it is; look at the device there, and ask again when it has reported the same identity for an hour`;
}
const MAX_NAMED = 3;
