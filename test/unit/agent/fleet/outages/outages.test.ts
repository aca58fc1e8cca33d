// A farm whose pool or switch dies: one finding, one event when it begins and one when it is over, and the flags of its
// miners point at it.
import type { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { drivers } from '../../../../../drivers/index.ts';
import { judge } from '../../../../../src/agent/fleet/anomaly/judge.ts';
import { outageMigrations } from '../../../../../src/agent/fleet/outages/outage-store.ts';
import { type OutageMiner, Outages } from '../../../../../src/agent/fleet/outages/outages.ts';
import { silentLog } from '../../../../../src/base/log.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import { VisitMemory } from '../../../../../src/driver/visit/memory.ts';
import { toMinerDocument } from '../../../../../src/model/document.ts';
import type { Reading } from '../../../../../src/model/reading.ts';
import { type EventRecord, eventRecordSchema } from '../../../../../src/wire/records.ts';
import { QUIET } from '../../../../contract/quiet.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';
import { DEFAULTS, healthy } from '../anomaly/fixture.ts';

const POLL_MS = 60_000;
const LOOK_MS = 10_000;

type Miner = OutageMiner & { -readonly [K in 'judgement' | 'reported']: OutageMiner[K] };

/** Miners that are polled once a minute, spread over it, and an agent that looks every ten seconds. */
function createFarm(count: number, ipOf: (i: number) => string) {
  const clock = createVirtualClock();
  const [driver] = drivers;
  if (driver === undefined) throw new Error('there is no driver');
  const db = openSqlite(':memory:', [outageMigrations]);
  const events: EventRecord[] = [];
  const askedFor: string[] = [];
  const miners = Array.from({ length: count }, (_, i): Miner => {
    const target = { ip: ipOf(i), driver, known: {}, memory: new VisitMemory() };
    return { key: `m${i}`, target, judgement: undefined, reported: undefined };
  });
  const open = (on: DatabaseSync) =>
    new Outages(on, {
      ...{
        clock,
        log: silentLog,
        agentIds: ['018f0000-0000-7000-8000-000000000001'],
        miners: () => miners,
        pollMs: () => POLL_MS,
      },
      isOutOfOperation: () => false,
      pollSoon: (key) => void askedFor.push(key),
      emit: (event) => void events.push(event),
    });
  let outages = open(db);
  const fails = new Map<string, number>();

  const poll = (miner: Miner, reading: Reading | undefined) => {
    const context = QUIET;
    const consecutive = reading === undefined ? (fails.get(miner.key) ?? 0) + 1 : 0;
    fails.set(miner.key, consecutive);
    const sample =
      reading === undefined
        ? ({ kind: 'failed', code: 'peer.timeout', consecutive, context } as const)
        : ({ kind: 'ok', reading, unparsable: [], loginRefused: false, context } as const);
    const { judgement } = judge(miner.judgement, sample, DEFAULTS, clock.nowMs());
    miner.judgement = judgement;
    miner.reported = toMinerDocument({
      ...{
        reading,
        previous: miner.reported,
        ip: miner.target.ip,
        driverId: driver.id,
        isLastCheckOk: reading !== undefined,
      },
      ...{ unstableReason: null, flags: outages.pointed(miner.key, judgement.flags) },
      isMining: judgement.history.mining?.is,
      ...{ hashrate24hHs: undefined, lastReadingAtMs: undefined },
    });
  };

  let minute = 0;
  return {
    events,
    miners,
    /** Miners for which a poll was wanted soon, since the last call. */
    askedFor: () => askedFor.splice(0),
    current: () => outages.current(),
    restart() {
      outages = open(db);
    },
    /** Polls all for that long; `readingOf` undefined = that miner does not answer. */
    async run(minutes: number, readingOf: (i: number, minute: number) => Reading | undefined) {
      for (let end = minute + minutes; minute < end; minute++) {
        let atMs = 0;
        for (const [i, miner] of miners.entries()) {
          const dueMs = Math.floor((i * POLL_MS) / count);
          for (; atMs + LOOK_MS <= dueMs; atMs += LOOK_MS) {
            await clock.advance(LOOK_MS);
            outages.look();
          }
          poll(miner, readingOf(i, minute));
        }
        for (; atMs < POLL_MS; atMs += LOOK_MS) {
          await clock.advance(LOOK_MS);
          outages.look();
        }
      }
    },
    flagged: () => miners.flatMap(({ reported }) => reported?.extras.flags.filter(({ finding }) => finding) ?? []),
  };
}

const well = (_: number, minute: number) => healthy(minute);
const poolDead = (_: number, minute: number): Reading => {
  const pools = (healthy(minute).pools ?? []).map((pool) => ({ ...pool, isAlive: false, isActive: false }));
  return { ...healthy(minute), pools };
};
const typesOf = (events: readonly EventRecord[]) => events.map(({ type }) => type);

test('35 miners whose pool dies: one finding, 35 flags that point at it, and it is over as one', async () => {
  const farm = createFarm(35, (i) => `10.0.${i % 4}.${i + 1}`);
  await farm.run(3, well);
  expect(farm.current()).toEqual([]);
  await farm.run(8, poolDead);
  const key = 'pool:eu.pool.example:3333';
  expect(farm.current()).toMatchObject([{ key, title: 'pool eu.pool.example:3333 dead: 35 miners', minerCount: 35 }]);
  const flags = farm.flagged();
  expect(flags.filter(({ type }) => type === 'pool')).toHaveLength(35);
  expect(new Set(flags.map(({ finding }) => finding))).toEqual(new Set([key]));
  expect(typesOf(farm.events)).toEqual(['finding_raised']);
  expect(farm.events[0]?.detail).toMatchObject({ finding: key, kind: 'pool', miner_count: 35, of: 35 });
  expect(farm.events[0]?.detail.addresses).toHaveLength(35);
  await farm.run(8, well);
  expect(farm.current()).toEqual([]);
  expect(farm.flagged()).toEqual([]);
  expect(typesOf(farm.events)).toEqual(['finding_raised', 'finding_cleared']);
  expect(farm.events[1]?.detail).toMatchObject({ finding: key, miner_count: 35 });
  for (const event of farm.events) expect(eventRecordSchema.safeParse(event).error).toBeUndefined();
});

test('40 of 62 miners of a network fall silent: one finding that names the network and how many', async () => {
  const farm = createFarm(70, (i) => (i < 62 ? `10.0.3.${i + 1}` : `10.0.4.${i + 1}`));
  await farm.run(3, well);
  const cut = (i: number, minute: number) => (i < 40 ? undefined : healthy(minute));
  await farm.run(2, cut);
  // Miners that stay silent are polled seldom: the first flag must carry the key already.
  expect(farm.flagged()).toHaveLength(40);
  await farm.run(6, cut);
  const [finding, ...others] = farm.current();
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ kind: 'contact', title: '10.0.3.0/24: 40 of 62 miners do not answer' });
  expect(finding?.key).toMatch(/^contact:10\.0\.3\.0\/24@/);
  expect(farm.flagged().map((flag) => flag.finding)).toEqual(Array(40).fill(finding?.key));
  expect(typesOf(farm.events)).toEqual(['finding_raised']);
  // Those that fell silent first come back first: it stays the same finding, and no new one begins.
  await farm.run(5, (i, minute) => (i >= 20 && i < 40 ? undefined : healthy(minute)));
  expect(farm.current().map(({ key, minerCount }) => [key, minerCount])).toEqual([[finding?.key, 20]]);
  await farm.run(3, well);
  expect(farm.current()).toEqual([]);
  expect(typesOf(farm.events)).toEqual(['finding_raised', 'finding_cleared']);
});

test('24 of 240 miners fall silent with their switch for two minutes: one finding, one flag each that points at it, and all is over', async () => {
  const farm = createFarm(240, (i) => `10.0.3.${i + 1}`);
  await farm.run(3, well);
  await farm.run(2, (i, minute) => (i < 24 ? undefined : healthy(minute)));
  expect(farm.current()).toMatchObject([{ title: '10.0.3.0/24: 24 of 240 miners do not answer' }]);
  expect(farm.flagged()).toHaveLength(24);
  await farm.run(3, well);
  expect(farm.current()).toEqual([]);
  expect(farm.flagged()).toEqual([]);
  expect(typesOf(farm.events)).toEqual(['finding_raised', 'finding_cleared']);
});

test('35 miners whose first pool dies use their second: one mild finding, and another one when that dies, too', async () => {
  const farm = createFarm(35, (i) => `10.0.3.${i + 1}`);
  const withBackup =
    (first: boolean, second: boolean) =>
    (_: number, minute: number): Reading => {
      const [pool] = healthy(minute).pools ?? [];
      if (pool === undefined) throw new Error('a healthy miner has a pool');
      const backup = { index: 1, url: 'backup.example:443', user: 'w', isAlive: second, isActive: second && !first };
      return { ...healthy(minute), pools: [{ ...pool, isAlive: first, isActive: first }, backup] };
    };
  await farm.run(3, withBackup(true, true));
  // What comes back soon is no matter.
  await farm.run(8, withBackup(false, true));
  await farm.run(4, withBackup(true, true));
  expect(farm.events).toEqual([]);
  await farm.run(16, withBackup(false, true));
  const title = 'pool eu.pool.example:3333 dead: 35 miners use another';
  expect(farm.current()).toMatchObject([{ title, severity: 'minor' }]);
  expect(farm.events.map(({ type, detail }) => [type, detail.title])).toEqual([['finding_raised', title]]);
  await farm.run(8, withBackup(false, false));
  expect(farm.current()).toMatchObject([{ title: 'pool eu.pool.example:3333 dead: 35 miners', severity: 'critical' }]);
  await farm.run(8, withBackup(true, true));
  expect(farm.current()).toEqual([]);
  expect(typesOf(farm.events)).toEqual(['finding_raised', 'finding_cleared', 'finding_raised', 'finding_cleared']);
});

test('35 miners whose pool lives and accepts nothing: one finding that says so, until it accepts', async () => {
  const farm = createFarm(35, (i) => `10.0.3.${i + 1}`);
  const stuck = (_: number, minute: number): Reading => {
    const pools = (healthy(minute).pools ?? []).map((pool) => ({ ...pool, accepted: 9_000 }));
    return { ...healthy(minute), pools };
  };
  await farm.run(3, well);
  await farm.run(18, stuck);
  const title = 'pool eu.pool.example:3333 accepts no share: 35 miners';
  expect(farm.current()).toMatchObject([{ title, severity: 'critical' }]);
  expect(farm.flagged()).toHaveLength(35);
  await farm.run(6, well);
  expect(farm.current()).toEqual([]);
  expect(farm.events.map(({ type, detail }) => [type, detail.title])).toEqual([
    ['finding_raised', title],
    ['finding_cleared', title],
  ]);
});

test('a restart neither reports a finding again nor forgets that it is over', async () => {
  const farm = createFarm(12, (i) => `10.0.3.${i + 1}`);
  await farm.run(8, poolDead);
  farm.restart();
  await farm.run(2, poolDead);
  expect(typesOf(farm.events)).toEqual(['finding_raised']);
  farm.restart();
  await farm.run(8, well);
  expect(typesOf(farm.events)).toEqual(['finding_raised', 'finding_cleared']);
});

test('miners that fail one by one over a day, and one with a dead pool, each have their own trouble', async () => {
  const farm = createFarm(10, (i) => `10.0.3.${i + 1}`);
  await farm.run(3, well);
  await farm.run(30, (i, minute) => (minute > 3 + i * 8 && i < 4 ? undefined : healthy(minute)));
  await farm.run(5, (i, minute) => (i === 5 ? poolDead(i, minute) : healthy(minute)));
  expect(farm.current()).toEqual([]);
  expect(farm.events).toEqual([]);
  expect(farm.flagged()).toHaveLength(1);
});

test('one miner of a dead network is asked for each minute, each in its turn; nothing else is', async () => {
  const farm = createFarm(20, (i) => `10.0.3.${i + 1}`);
  await farm.run(3, well);
  expect(farm.askedFor()).toEqual([]);
  const cut = (i: number, minute: number) => (i < 12 ? undefined : healthy(minute));
  await farm.run(4, cut);
  farm.askedFor();
  await farm.run(12, cut);
  expect(farm.askedFor().toSorted()).toEqual(
    farm.miners
      .slice(0, 12)
      .map(({ key }) => key)
      .toSorted(),
  );
});

test('where one of them answers again the others are asked for, until they answer; no miner of other networks', async () => {
  const farm = createFarm(40, (i) => `10.0.${i < 20 ? 3 : 4}.${i + 1}`);
  await farm.run(3, well);
  const isCut = (i: number) => i % 20 < 12;
  await farm.run(10, (i, minute) => (isCut(i) ? undefined : healthy(minute)));
  farm.askedFor();
  await farm.run(1, (i, minute) => (isCut(i) && i !== 5 ? undefined : healthy(minute)));
  const others = farm.miners.slice(0, 12).flatMap(({ key }, i) => (i === 5 ? [] : [key]));
  const asked = farm.askedFor();
  expect(asked).toEqual(expect.arrayContaining(others));
  expect(asked).not.toContain('m5');
  // One for each network is that of the minute.
  expect(asked).toHaveLength(others.length + 2);
  await farm.run(3, well);
  farm.askedFor();
  await farm.run(3, well);
  expect(farm.askedFor()).toEqual([]);
});

test('a miner that is silent alone keeps its pauses', async () => {
  const farm = createFarm(20, (i) => `10.0.3.${i + 1}`);
  await farm.run(3, well);
  await farm.run(10, (i, minute) => (i === 3 ? undefined : healthy(minute)));
  await farm.run(3, well);
  expect(farm.askedFor()).toEqual([]);
});
