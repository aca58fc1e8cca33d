// Reboots that a technician asks for where no agent runs: the same queue, the same proof and the same bounds as the
// agent's own tasks. After it ends it leaves on record that these restarts were its own, and nothing else. A running
// agent's queue would not see it: where there is one, it is asked instead.
import pLimit from 'p-limit';
import { v4 as newUuid } from 'uuid';
import { systemClock } from '../../base/clock.ts';
import { CancelledError, ConfigError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { formatIpv4 } from '../../base/net/ipv4.ts';
import { openSqlite } from '../../base/storage/sqlite.ts';
import { SCAN_PORTS } from '../../driver/identify.ts';
import type { AgentConfig } from '../config/config.ts';
import type { Preview, Step } from '../control/messages.ts';
import type { DeviceClient, MinerTarget } from '../device/device-client.ts';
import { isMiner, noMiner, type RecognisedMiner } from '../device/recognised.ts';
import { MinerRegistry } from '../fleet/identity/miner-registry.ts';
import { identityMigrations } from '../fleet/identity/storage/store.ts';
import { factsIn } from '../fleet/sighting.ts';
import { createNeighbours } from '../host/neighbours.ts';
import { TASK_LABELS } from '../tasks/contract.ts';
import { createObservations } from '../tasks/execution/observations.ts';
import { minersAtOnce } from '../tasks/pace/share.ts';
import { tasksMigrations } from '../tasks/queue/journal.ts';
import { createTaskQueue } from '../tasks/queue/task-queue.ts';
import type { TaskSettings } from '../tasks/settings.ts';
import { rangesOrThrow, withDeviceClient } from './reach.ts';

const MAX_MINERS = 1_000;
const RECOGNISED_AT_ONCE = 32;

type Request = {
  readonly config: AgentConfig;
  readonly ips: readonly string[];
  readonly force: boolean;
  /** Gets what was recognised, before anything is sent. Throws where nothing is to be sent. */
  agree(preview: Preview): Promise<void>;
};

/**
 * Recognises the miners, then reboots them; an address that was named by itself and has none is `unknown` to `agree`.
 * Throws ConfigError when a range is wrong, and what `agree` throws.
 */
export async function rebootOnce(
  { config, ips, force, agree }: Request,
  onStep: (step: Step) => void,
  signal: AbortSignal,
): Promise<{ total: number; succeeded: number }> {
  const ranges = rangesOrThrow(ips, []);
  if (ranges.toProbe > MAX_MINERS) {
    throw new ConfigError('read the ranges', [
      { path: 'ips', message: `hold ${ranges.toProbe} addresses; at most ${MAX_MINERS} are rebooted at a time` },
    ]);
  }
  const addresses = ranges.ranges.flatMap(({ range, spans }) =>
    spans.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, index) => ({
        ip: formatIpv4(first + index),
        isNamed: range.form === 'single',
      })),
    ),
  );
  return withDeviceClient(config, ranges, (client) =>
    rebootAll(client, config.tasks, { addresses, force, agree }, onStep, signal),
  );
}

type Address = { readonly ip: string; readonly isNamed: boolean };
type Wanted = Pick<Request, 'force' | 'agree'> & { readonly addresses: readonly Address[] };

const NOTHING_FORESEEN = { kw: null, eta_s: null, eta_is_guess: false } as const;

/** Resolves when all are over. */
async function rebootAll(
  client: DeviceClient,
  settings: TaskSettings,
  { addresses, force, agree }: Wanted,
  onStep: (step: Step) => void,
  signal: AbortSignal,
): Promise<{ total: number; succeeded: number }> {
  const db = openSqlite(':memory:', [tasksMigrations, identityMigrations]);
  const registry = new MinerRegistry(db, { clock: systemClock, newKey: newUuid });
  const neighbours = createNeighbours(systemClock);
  const targets = new Map<string, MinerTarget>();
  const targetOf = (key: string) => {
    const target = targets.get(key);
    if (target === undefined) throw new CancelledError('work on a miner that is not ours');
    return target;
  };
  /** Who it is that is meant: by the time that its turn comes another unit may have its address. */
  const meet = ({ target, identity, outcome }: RecognisedMiner) => {
    const { ip, driver } = target;
    const facts = factsIn({ ...identity, ...outcome?.reading });
    const sighting = { ip, driverId: driver.id, at: systemClock.nowMs(), ...facts, neighbour: neighbours.at(ip) };
    // A unit that shows the same facts elsewhere was named as well, and answered there a moment ago.
    const observed = registry.observe(sighting, { old: 'itself', isExpectedBack: false });
    if (observed.kind !== 'resolved') return undefined;
    targets.set(observed.key, target);
    return observed.key;
  };
  const queue = createTaskQueue(db, {
    clock: systemClock,
    log: silentLog,
    settings,
    deps: {
      find(key) {
        const target = targets.get(key);
        return target && { ip: target.ip, driverId: target.driver.id, abilities: target.driver.abilities };
      },
      mayReach: () => true,
      act(key, ability, params, actSignal) {
        const target = targetOf(key);
        client.noteRestart(target.ip);
        return client.act(target, ability, params, actSignal);
      },
      ...createObservations({
        ...{ clock: systemClock, client, registry, neighbours, targetOf, signal },
        // Nothing polls here, and no other miners are taken in.
        fleet: { get: () => undefined, recognised: () => Promise.resolve() },
        pollMs: () => 0,
        onError() {},
      }),
      onPhase() {},
      report: () => Promise.resolve(),
    },
  });
  await queue.start();
  const recognising = pLimit(RECOGNISED_AT_ONCE);
  const recognise = async ({ ip, isNamed }: Address): Promise<Recognition | undefined> => {
    const found = await recognising(() => client.recognise(ip, new Set(SCAN_PORTS), signal));
    if (!isMiner(found)) return isNamed ? { ip, problem: noMiner(ip, found) } : undefined;
    const key = meet(found);
    if (key === undefined) return { ip, problem: 'it is not clear which miner answers there' };
    const { make = found.target.driver.make, model } = { ...found.identity, ...found.outcome?.reading };
    return { ip, key, model: [make, model].filter(Boolean).join(' ') };
  };
  const reboot = async ({ ip, key }: MetMiner): Promise<boolean> => {
    const step = { ip, task_id: null, evidence: {} };
    const { outcome } = queue.runLocal({
      name: 'miner.system.reboot',
      minerKey: key,
      params: { force },
      onState(state) {
        if (state !== 'final')
          onStep({ ...step, status: state === 'accepted' ? 'pending' : 'running', message: LABELS[state] });
      },
    });
    const { status, message, evidence } = await outcome;
    onStep({ ...step, status, message, evidence });
    return status === 'succeeded';
  };
  const onAbort = () => queue.abortAll('stopped by the technician');
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const recognised = (await Promise.all(addresses.map(recognise))).filter((each) => each !== undefined);
    const miners = recognised.filter((each) => 'key' in each);
    const problems = recognised.filter((each) => 'problem' in each);
    const unknown = problems.map(({ ip, problem }) => ({ name: ip, reason: problem }));
    const atOnce = minersAtOnce(settings.reboot.concurrency, miners.length);
    const selected = miners.map((each) => ({ ...each, power_w: null }));
    await agree({ miners: selected, unknown, left_out: [], at_once: atOnce, ...NOTHING_FORESEEN });
    const proven = await Promise.all(miners.map(reboot));
    return { total: miners.length, succeeded: proven.filter(Boolean).length };
  } finally {
    signal.removeEventListener('abort', onAbort);
    await queue.stop();
    db.close();
  }
}

type MetMiner = { readonly ip: string; readonly key: string; readonly model: string };
type Recognition = MetMiner | { readonly ip: string; readonly problem: string };

const LABELS = {
  ...TASK_LABELS,
  started: 'is being told to restart',
  verifying: 'is watched until it is back',
} as const;
