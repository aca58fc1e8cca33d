// Some rounds of all that an agent keeps beside its outbox: tasks from a service, logins, accepted devices, miners and
// their states. It says what was promised, and what the disk refused.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { openTrustRecord, TRUST_FILE } from '../../src/agent/device/trust/trust-record.ts';
import { MinerRegistry } from '../../src/agent/fleet/identity/miner-registry.ts';
import { createOpsStatuses } from '../../src/agent/fleet/ops-status.ts';
import { openDesiredPools } from '../../src/agent/pool-lock/desired-pools.ts';
import { type AuditTrail, openAuditTrail } from '../../src/agent/state/audit-trail.ts';
import { agentDatabasePath, openAgentDatabase } from '../../src/agent/state/database.ts';
import { instanceIdOf } from '../../src/agent/state/instance-id.ts';
import { openLastingClock } from '../../src/agent/state/lasting-clock.ts';
import { createMinerStateStore } from '../../src/agent/state/miner-state-store.ts';
import { createTaskQueue } from '../../src/agent/tasks/queue/task-queue.ts';
import { taskSettingsSchema } from '../../src/agent/tasks/settings.ts';
import { filePin } from '../../src/agent/uplink/signatures/key-pin.ts';
import { createMessageGuard } from '../../src/agent/uplink/signatures/message-guard.ts';
import { renderError } from '../../src/base/errors.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { createSimFarm } from '../unit/agent/tasks/sim-farm.ts';
import { type Signer, signTask, task } from '../unit/agent/uplink/signatures/signed.ts';
import { AGENT_MIGRATIONS } from './agent-migrations.ts';
import { deviceOf, keyOf, PIN_FILE, poolsOf, whoOf } from './agent-promises.ts';

const AGENT_ID = '0198a7a2-0000-7000-8000-00000000000a';
const UPLINK = 'farm';
/** Longer than any part waits before it writes again. */
const AGAIN_MS = 31_000;
const ATTEMPTS = 20;
const HOUR_MS = 3_600_000;

/**
 * `committed <promise>`, `noted <what may be so from now on>`, `refused <what>: <as it shows>`, `bad <what>` (refused
 * and not shown, or never done), `not opened: <why>`.
 */
type Say = (line: string) => void;

export type Cycle = {
  readonly folder: string;
  /** Of the rounds: an earlier cycle had those before it. */
  readonly first?: number;
  readonly rounds: number;
  /** The service. */
  readonly signer: Signer;
  readonly say: Say;
};

/** False when a database could not be opened: the agent is to be started again. */
export async function runAgentCycle({ folder, first = 0, rounds, signer, say }: Cycle): Promise<boolean> {
  const surroundings = createSurroundings(folder, signer, say);
  const agent = opened(surroundings);
  if (agent === undefined) return false;
  agent.queue.start();
  for (let round = first; round < first + rounds; round++) {
    await takeTasks(agent, round);
    await trustDevices(agent, round);
    await knowMiners(agent, round);
  }
  await close(agent);
  const twice = [...agent.farm.miners.values()].filter(({ reboots }) => reboots > 1).length;
  if (twice > 0) say(`bad ${twice} were restarted twice`);
  return true;
}

function createSurroundings(folder: string, signer: Signer, say: Say) {
  const clock = createVirtualClock();
  const logged: string[] = [];
  const note = (_fields: unknown, message: string) => void logged.push(message);
  const log: Log = { ...silentLog, warn: note, error: note };
  const promise = (what: string) => say(`committed ${what}`);
  return { folder, clock, log, logged, say, promise, farm: createSimFarm(clock), signer };
}
type Surroundings = ReturnType<typeof createSurroundings>;

function opened(surroundings: Surroundings): Agent | undefined {
  const { folder, log, say } = surroundings;
  let db: DatabaseSync | undefined;
  try {
    db = openAgentDatabase(agentDatabasePath(folder), AGENT_MIGRATIONS, log);
    return openParts(surroundings, db);
  } catch (error) {
    db?.close();
    say(`not opened: ${renderError(error)}`);
    return undefined;
  }
}

/** As the agent opens them; throws when it cannot start. */
function openParts(surroundings: Surroundings, db: DatabaseSync) {
  const { folder, clock, log, promise } = surroundings;
  const time = openLastingClock(db, clock, log);
  const audit = openAuditTrail(db, { nowMs: clock.nowMs, vault: undefined });
  const pin = filePin(join(folder, PIN_FILE));
  promise(`instance ${instanceIdOf(db, randomUUID)}`);
  return {
    ...{ ...surroundings, db, time, audit, pin },
    queue: openQueue(surroundings, db, audit),
    states: createMinerStateStore(db, clock, z.object({ round: z.int() })),
    guard: createMessageGuard(db, { uplink: UPLINK, agentId: AGENT_ID, pin, clock, log, audit: () => {} }),
    registry: new MinerRegistry(db, { clock, newKey: randomUUID }),
    opsStatuses: createOpsStatuses(db, [UPLINK], log),
    trust: openTrustRecord(join(folder, TRUST_FILE), clock),
  };
}
type Agent = ReturnType<typeof openParts>;

function openQueue({ clock, log, farm, promise }: Surroundings, db: DatabaseSync, audit: AuditTrail) {
  const desired = openDesiredPools(db);
  return createTaskQueue(db, {
    ...{ clock, log, audit, settings: taskSettingsSchema.parse({}) },
    deps: {
      ...farm.deps,
      act(key, ...rest) {
        promise(`acted ${key}`);
        return farm.deps.act(key, ...rest);
      },
      onEnd: ({ minerKey: key }) => desired.set(key, { pools: poolsOf(key), isLocked: true, failures: 0, nextMs: 0 }),
      async report(record) {
        if (record.kind === 'task' && record.status !== 'running' && record.status !== 'pending')
          promise(`ended ${record.task_id} ${record.status}`);
        await farm.deps.report(record);
      },
    },
  });
}

/** A promise when nothing was logged meanwhile: such a step never throws. */
function ifUnlogged({ logged, promise, say }: Surroundings, what: string, step: () => void): void {
  const before = logged.length;
  step();
  if (logged.length === before) promise(what);
  else say(`refused ${what}: ${logged.at(-1)}`);
}

/** Again and again while the disk refuses, as those do who ask for it. `shown` = what the agent says of a refusal. */
async function insist(
  { clock, say }: Surroundings,
  what: string,
  attempt: () => boolean | void | Promise<void>,
  shown: () => string | undefined = () => undefined,
): Promise<void> {
  for (let count = 0; count < ATTEMPTS; count++) {
    let reason: string | undefined;
    try {
      if ((await attempt()) !== false) return;
      reason = shown();
    } catch (error) {
      // Each caller in the agent logs it.
      reason = renderError(error);
    }
    say(reason === undefined ? `bad ${what}: refused and not shown` : `refused ${what}: ${reason}`);
    await clock.advance(AGAIN_MS);
  }
  say(`bad ${what}: never done`);
}

/** Two tasks, which a service signs anew for each connection until they are taken. */
async function takeTasks(agent: Agent, round: number): Promise<void> {
  const { clock, farm, say } = agent;
  const nowMs = clock.nowMs();
  const times = {
    created_at: new Date(nowMs).toISOString(),
    expires_at: new Date(nowMs + HOUR_MS).toISOString(),
  };
  const [first, second] = [keyOf(2 * round + 1), keyOf(2 * round + 2)];
  for (const key of [first, second]) farm.add(key, { awayS: 20, hashAfterS: 5 });
  const tasks = [
    task({ ...times, miner_key: first }),
    task({ ...times, miner_key: second, name: 'miner.light.update', params: { on: true } }),
  ];
  await insist(agent, 'tasks', () => connectFor(agent, tasks));
  const isOver = () => tasks.every(({ task_id }) => farm.finals().some((record) => record.task_id === task_id));
  for (let count = 0; count < ATTEMPTS && !isOver(); count++) await clock.advance(AGAIN_MS);
  if (!isOver()) say('bad tasks: without an end');
}

/** One connection to the service, which has these tasks. */
function connectFor(agent: Agent, tasks: readonly ReturnType<typeof task>[]): void {
  const { clock, guard, pin, queue, signer, say, promise } = agent;
  const session = guard.begin();
  const at = new Date(clock.nowMs()).toISOString();
  const { publicKey: task_key } = signer;
  const welcome = () =>
    session.onWelcome({ type: 'welcome', protocol: 1, acked_seq: 0, at, task_key, task_key_changes: [] });
  if (pin.read() === undefined) ifUnlogged(agent, `pinned ${task_key}`, welcome);
  else welcome();
  let seq = session.taskSeq;
  const sign = (one: (typeof tasks)[number]) =>
    signTask({ agent_id: AGENT_ID, nonce: session.nonce, welcomed_at: at, seq: ++seq, task: one }, signer);
  const commands = session.admit(tasks.map(sign));
  if (commands.length < tasks.length) say('bad tasks: refused by the guard');
  queue.acceptAll(commands, UPLINK);
  for (const { task_id } of commands) promise(`received ${task_id}`);
  promise(`admitted ${seq}`);
}

async function trustDevices(agent: Agent, round: number): Promise<void> {
  const { trust, promise, say } = agent;
  const [who, device, earlier] = [whoOf(round), deviceOf(round), deviceOf(round - 1)];
  const fault = () => trust.fault();
  await insist(agent, 'a login', () => trust.attempts.begin(who, device.family), fault);
  promise(`tried ${round}`);
  await insist(agent, 'a verdict', () => trust.attempts.settle(who, device.family, 'accepted'), fault);
  promise(`welcome ${round}`);
  trust.met(device);
  await insist(agent, 'a device', () => trust.accept([device], undefined, 'someone'), fault);
  promise(`trusted ${device.ip}`);
  if (round > 0) {
    say(`noted forgetting ${earlier.ip}`);
    const pins = () => trust.allPins().filter(({ ip }) => ip === earlier.ip);
    await insist(agent, 'a device to forget', () => trust.forget(pins()), fault);
    promise(`forgotten ${earlier.ip}`);
  }
  await insist(agent, 'a restart', () => trust.commandRestarts.note(who), fault);
  promise(`restarted ${round}`);
  if (fault() !== undefined) say(`bad trust: still ${fault()}`);
}

async function knowMiners(agent: Agent, round: number): Promise<void> {
  const { registry, states, opsStatuses, time, audit, clock, promise } = agent;
  const { ip, serialNumber } = deviceOf(round);
  let key = '';
  await insist(agent, 'a sighting', () => {
    const seen = registry.observe({ ip, serialNumber, driverId: 'antminer-stock', at: clock.nowMs() });
    if (seen.kind !== 'resolved') throw new Error(`seen as ${seen.kind}`);
    key = seen.key;
    promise(`named ${key} ${ip}`);
  });
  for (const urgent of [key, keyOf(1)]) states.note(urgent, { round }, true);
  await insist(agent, 'states', () => states.writeDue());
  promise(`state ${keyOf(1)} ${round}`);
  const miners = [{ miner_key: key, ops_status: 'maintenance' as const }];
  ifUnlogged(agent, `out ${key}`, () => opsStatuses.take(UPLINK, { is_first: round === 0, miners }));
  ifUnlogged(agent, `time ${Math.floor(time.clock.elapsedMs())}`, () => time.keep());
  const { seq, hash } = audit.head();
  promise(`head ${seq} ${hash}`);
}

/** In the order of the agent, which logs what fails. */
async function close({ clock, db, queue, guard, registry, states, time, trust, say }: Agent): Promise<void> {
  await clock.finish(queue.stop());
  guard.stop();
  for (const part of [() => states.writeAll(), () => registry.flush(), time.keep, trust.close, () => db.close()]) {
    try {
      await part();
    } catch (error) {
      say(`refused the end: ${renderError(error)}`);
    }
  }
}
