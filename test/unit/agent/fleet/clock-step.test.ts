// What the fleet says of its miners when the wall clock of the host is set: nothing that it decides moves, and nothing
// is dated after now.
import { expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import type { MinerTarget } from '../../../../src/agent/device/device-client.ts';
import { anomalySettingsSchema } from '../../../../src/agent/fleet/anomaly/settings.ts';
import { Averages } from '../../../../src/agent/fleet/averages/averages.ts';
import { averagesMigrations } from '../../../../src/agent/fleet/averages/store.ts';
import { Fleet } from '../../../../src/agent/fleet/fleet.ts';
import { MinerRegistry } from '../../../../src/agent/fleet/identity/miner-registry.ts';
import { identityMigrations } from '../../../../src/agent/fleet/identity/storage/store.ts';
import { storedStateSchema } from '../../../../src/agent/fleet/stored-state.ts';
import { clockMigrations, openLastingClock } from '../../../../src/agent/state/lasting-clock.ts';
import { createMinerStateStore, minerStateMigrations } from '../../../../src/agent/state/miner-state-store.ts';
import { PeerError } from '../../../../src/base/errors.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { VisitMemory } from '../../../../src/driver/visit/memory.ts';
import type { Reading } from '../../../../src/model/reading.ts';
import type { MinerRecord, ReportRecord } from '../../../../src/wire/records.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const IP = '10.0.0.1';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const STEPS = [-24 * HOUR_MS, -2 * HOUR_MS, -HOUR_MS, -1_000, 1_000, HOUR_MS, 24 * HOUR_MS];
const HASHING: Reading = {
  ...{ hashrateHs: 1e14, expected: { hashrateHs: 1e14 }, isMining: true },
  ...{ miningMode: 'normal', mac: 'AA:00:00:00:00:01', uptimeS: 90_000 },
};

function startFleet() {
  const host = createVirtualClock();
  const db = openSqlite(':memory:', [identityMigrations, averagesMigrations, minerStateMigrations, clockMigrations]);
  const records: MinerRecord[] = [];
  /** What the wall clock said when the newest record was made. */
  let emittedMs = 0;
  let keys = 0;
  const begin = () => {
    const time = openLastingClock(db, host, silentLog);
    const { clock } = time;
    const states = createMinerStateStore(db, clock, storedStateSchema);
    const fleet = new Fleet({
      clock,
      log: silentLog,
      client: {
        targetOf,
        read: () => Promise.reject(new PeerError('peer.timeout', 'read', 'soon')),
        forgetRefusals() {},
      },
      mayReach: () => true,
      registry: new MinerRegistry(db, { clock, newKey: () => `00000000-0000-7000-8000-00000000000${++keys}` }),
      neighbours: { at: () => undefined },
      averages: new Averages(db, { clock }),
      states,
      settings: anomalySettingsSchema.parse({}),
      isOutOfOperation: () => false,
      poolTrouble: () => undefined,
      ownActions: () => [],
      pointed: (_, flags) => flags,
      emit(record: ReportRecord) {
        emittedMs = host.nowMs();
        if (record.kind === 'miner') records.push(record);
      },
      schedule: { set() {}, drop() {} },
    });
    return { fleet, states, time };
  };
  let run = begin();
  const { signal } = new AbortController();
  const recognised = (target: MinerTarget, confidence: 'sure' | 'generic', reading: Reading) =>
    run.fleet.recognised(
      IP,
      {
        ...{ status: 'identified' as const, target, identity: { confidence }, evidence: { family: undefined } },
        outcome: { reading, answered: [], failed: [], unparsable: [], isLoginRefused: false, elapsedMs: 1 },
      },
      signal,
    );
  let failures = 0;
  return {
    host,
    records,
    read: (reading: Reading = HASHING) => {
      failures = 0;
      return recognised(targetOf(IP, 'antminer-stock'), 'sure', reading);
    },
    readByStranger: () => recognised(targetOf(IP, 'cgminer'), 'generic', {}),
    driver: () => [...run.fleet.all()][0]?.target.driver.id,
    fail() {
      const [{ key } = { key: '' }] = run.fleet.all();
      run.fleet.pollFailed(key, new PeerError('peer.timeout', 'read', 'soon'), ++failures);
    },
    /** The agent ends in order, and starts again. */
    async restart(earlierUntilMs: number) {
      await run.states.writeAll();
      run.time.keep();
      run = begin();
      await run.fleet.restore(earlierUntilMs);
    },
    newest() {
      const record = records.at(-1);
      if (record === undefined) throw new Error('nothing was reported');
      const { document, extras } = record;
      const times = [record.at, document.last_updated_at, ...extras.flags.map(({ since }) => since)];
      const future = times.filter((time) => time !== null && Date.parse(time) > emittedMs);
      const updatedAgoMs = emittedMs - Date.parse(document.last_updated_at ?? '');
      return { document, flags: extras.flags, future, updatedAgoMs };
    },
  };
}

function targetOf(ip: string, driverId: string): MinerTarget {
  const driver = drivers.find(({ id }) => id === driverId);
  if (driver === undefined) throw new Error('there is no such driver');
  return { ip, driver, known: {}, memory: new VisitMemory() };
}

/** Polls after which the flag of `type` is there, one a minute. */
async function pollsUntil(fleet: ReturnType<typeof startFleet>, type: string, poll: () => Promise<void> | void) {
  for (let polls = 1; polls <= 30; polls++) {
    await fleet.host.advance(MINUTE_MS);
    await poll();
    expect(fleet.newest().future).toEqual([]);
    if (fleet.newest().flags.some((flag) => flag.type === type)) return polls;
  }
  throw new Error(`no flag ${type} within 30 polls`);
}

async function settled() {
  const fleet = startFleet();
  for (let poll = 0; poll < 30; poll++) {
    await fleet.read();
    await fleet.host.advance(MINUTE_MS);
  }
  await fleet.read();
  expect(fleet.newest().flags).toEqual([]);
  return fleet;
}

const stopped = (fleet: ReturnType<typeof startFleet>) => fleet.read({ ...HASHING, hashrateHs: 0, isMining: false });

test.each(STEPS)(
  'after a step of %i ms a miner that is unplugged is known to be, since it is, and never in the future',
  async (stepMs) => {
    const still = await settled();
    const usual = await pollsUntil(still, 'network', still.fail);
    const fleet = await settled();
    fleet.host.stepWall(stepMs);
    expect(await pollsUntil(fleet, 'network', fleet.fail)).toBe(usual);
    const { document, updatedAgoMs } = fleet.newest();
    expect(document.last_check_succeed).toBe(false);
    expect(Math.abs(updatedAgoMs - usual * MINUTE_MS)).toBeLessThanOrEqual(1_000);
  },
);

test.each(STEPS)(
  'after a step of %i ms a miner that stops hashing is flagged as soon as without one',
  async (stepMs) => {
    const still = await settled();
    const usual = await pollsUntil(still, 'low_hashrate', () => stopped(still));
    const fleet = await settled();
    fleet.host.stepWall(stepMs);
    expect(await pollsUntil(fleet, 'low_hashrate', () => stopped(fleet))).toBe(usual);
  },
);

test.each(STEPS)('a flag that stood before a step of %i ms stays, and is not set in the future', async (stepMs) => {
  const fleet = await settled();
  await pollsUntil(fleet, 'network', fleet.fail);
  await fleet.host.advance(10 * MINUTE_MS);
  fleet.fail();
  fleet.host.stepWall(stepMs);
  fleet.fail();
  expect(fleet.newest().future).toEqual([]);
  expect(fleet.newest().flags.map(({ type }) => type)).toEqual(['network']);
  await fleet.restart(fleet.host.nowMs());
  fleet.fail();
  expect(fleet.newest().future).toEqual([]);
});

test.each([-24 * HOUR_MS, -2 * HOUR_MS])(
  'over a restart with a step of %i ms nothing lies in the future, and ages stand',
  async (stepMs) => {
    const fleet = await settled();
    await fleet.host.advance(5 * MINUTE_MS);
    fleet.fail();
    const untilMs = fleet.host.nowMs();
    fleet.host.stepWall(stepMs);
    await fleet.restart(untilMs);
    fleet.fail();
    const { future, updatedAgoMs } = fleet.newest();
    expect(future).toEqual([]);
    expect(Math.abs(updatedAgoMs - 5 * MINUTE_MS)).toBeLessThanOrEqual(1_000);
  },
);

test.each(STEPS)(
  'what a driver read a moment ago is believed against a stranger after a step of %i ms, and no longer than ever',
  async (stepMs) => {
    const fleet = await settled();
    fleet.host.stepWall(stepMs);
    await fleet.readByStranger();
    expect(fleet.driver()).toBe('antminer-stock');
    await fleet.host.advance(16 * MINUTE_MS);
    await fleet.readByStranger();
    expect(fleet.driver()).toBe('cgminer');
  },
);
