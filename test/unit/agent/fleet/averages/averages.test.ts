// The 24-hour average: honest about what it does not know, and the same after a restart.
import { describe, expect, test } from 'vitest';
import { Averages, BUCKET_MS } from '../../../../../src/agent/fleet/averages/averages.ts';
import { averagesMigrations, decodeCells, encodeCells } from '../../../../../src/agent/fleet/averages/store.ts';
import { clockMigrations, openLastingClock } from '../../../../../src/agent/state/lasting-clock.ts';
import { silentLog } from '../../../../../src/base/log.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 5);

function bench(options: { maxMiners?: number } = {}) {
  const db = openSqlite(':memory:', [averagesMigrations]);
  const clock = { now: START_MS, elapsedMs: () => clock.now };
  const open = () => new Averages(db, { clock, ...options });
  const it = {
    db,
    clock,
    averages: open(),
    restart: async () => {
      it.averages = open();
      await it.averages.load();
    },
    /** Polls each minute for a while, and writes what is due; `rate` gives the hashrate, undefined = did not answer. */
    run: async (forMs: number, rate: (minute: number) => number | undefined, key = 'a') => {
      for (let minute = 0; minute < forMs / 60_000; minute++) {
        const hashrate = rate(minute);
        if (hashrate !== undefined) it.averages.add(key, hashrate, clock.now);
        await it.averages.writeDue();
        clock.now += 60_000;
      }
    },
  };
  return it;
}

describe('the 24-hour average', () => {
  test('is unknown until half of the day is covered', async () => {
    const { run, averages, clock } = bench();
    await run(12 * HOUR_MS - BUCKET_MS, () => 110e12);
    clock.now -= 60_000;
    expect(averages.average24h('a')).toBeUndefined();
    clock.now += 60_000;
    await run(BUCKET_MS, () => 110e12);
    clock.now -= 60_000;
    expect(averages.average24h('a')).toBe(110e12);
  });

  test('does not count gaps as zero', async () => {
    const { run, averages, clock } = bench();
    await run(24 * HOUR_MS, (minute) => (minute % 60 < 20 ? undefined : 100e12));
    clock.now -= 60_000;
    expect(averages.average24h('a')).toBe(100e12);
  });

  test('counts an answered zero as zero', async () => {
    const { run, averages, clock } = bench();
    await run(24 * HOUR_MS, (minute) => (minute < 12 * 60 ? 0 : 100e12));
    clock.now -= 60_000;
    expect(averages.average24h('a')).toBe(50e12);
  });

  test('weighs time, not samples: a dense hour counts no more than a sparse one', () => {
    const { averages, clock } = bench();
    for (let bucket = 0; bucket < 144; bucket++) {
      const isDense = bucket < 72;
      for (let poll = 0; poll < (isDense ? 40 : 2); poll++)
        averages.add('a', isDense ? 90e12 : 110e12, clock.now + poll * 1_000);
      clock.now += BUCKET_MS;
    }
    clock.now -= 1;
    expect(averages.average24h('a')).toBe(100e12);
  });

  test('forgets what is older than a day', async () => {
    const { run, averages, clock } = bench();
    await run(24 * HOUR_MS, () => 10e12);
    await run(24 * HOUR_MS, () => 100e12);
    clock.now -= 60_000;
    expect(averages.average24h('a')).toBe(100e12);
    clock.now += 13 * HOUR_MS;
    expect(averages.average24h('a')).toBeUndefined();
  });

  test('keeps miners apart', () => {
    const { run, averages, clock } = bench();
    for (let bucket = 0; bucket < 144; bucket++) {
      for (let miner = 0; miner < 300; miner++) averages.add(`m${miner}`, miner * 1e12, clock.now);
      clock.now += BUCKET_MS;
    }
    clock.now -= 1;
    expect(run).toBeTypeOf('function');
    expect([0, 1, 255, 256, 299].map((miner) => averages.average24h(`m${miner}`))).toEqual([
      0, 1e12, 255e12, 256e12, 299e12,
    ]);
    expect(averages.average24h('nobody')).toBeUndefined();
  });

  test('ignores numbers that are none', async () => {
    const { run, averages, clock } = bench();
    await run(24 * HOUR_MS, (minute) => [100e12, Number.NaN, -5, Number.POSITIVE_INFINITY][minute % 4]);
    clock.now -= 60_000;
    expect(averages.average24h('a')).toBe(100e12);
  });
});

describe('on disk', () => {
  test('a clean restart changes nothing', async () => {
    const rate = (minute: number) => 100e12 + minute * 1e9;
    const unbroken = bench();
    await unbroken.run(20 * HOUR_MS, rate);
    const broken = bench();
    await broken.run(7 * HOUR_MS + 5 * 60_000, rate);
    await broken.averages.flush();
    await broken.restart();
    await broken.run(13 * HOUR_MS - 5 * 60_000, (minute) => rate(minute + 7 * 60 + 5));
    expect(broken.averages.average24h('a')).toBe(unbroken.averages.average24h('a'));
  });

  test('a kill loses at most the open bucket', async () => {
    const { run, clock, ...it } = bench();
    await run(15 * HOUR_MS + 9 * 60_000, () => 100e12);
    const killed = bench();
    expect(killed.averages.average24h('a')).toBeUndefined();
    const again = new Averages(it.db, { clock });
    await again.load();
    expect(again.average24h('a')).toBe(100e12);
    const stored = it.db.prepare('SELECT COUNT(*) AS n FROM average_bucket').get()?.n;
    expect(stored).toBe(90);
  });

  test('writes once per bucket, one blob for all miners', async () => {
    const { averages, clock, db } = bench();
    const writes = () => Number(db.prepare('SELECT total_changes() AS n').get()?.n);
    for (let miner = 0; miner < 50; miner++) averages.add(`m${miner}`, 1e12, clock.now);
    await averages.writeDue();
    expect(writes()).toBeLessThanOrEqual(1);
    clock.now += BUCKET_MS;
    averages.add('m0', 1e12, clock.now);
    await averages.writeDue();
    const afterFirst = writes();
    for (let poll = 0; poll < 9; poll++) averages.add('m1', 1e12, clock.now + poll * 60_000);
    await averages.writeDue();
    expect(writes()).toBe(afterFirst);
    clock.now += BUCKET_MS;
    averages.add('m0', 1e12, clock.now);
    await averages.writeDue();
    expect(writes() - afterFirst).toBe(1);
  });

  test('keeps a day of buckets and no more', async () => {
    const { run, db } = bench();
    await run(40 * HOUR_MS, () => 1e12);
    expect(Number(db.prepare('SELECT COUNT(*) AS n FROM average_bucket').get()?.n)).toBeLessThanOrEqual(144);
  });

  test('a damaged blob costs its ten minutes', async () => {
    const it = bench();
    await it.run(20 * HOUR_MS, () => 100e12);
    await it.averages.flush();
    it.db.exec("UPDATE average_bucket SET entries = x'0102' WHERE bucket % 3 = 0");
    await it.restart();
    expect(it.averages.average24h('a')).toBe(100e12);
  });

  test('the blob gives back what went in', () => {
    const cells = [
      { count: 0, sum: 0 },
      { count: 255, sum: 2.8e16 },
      { count: 1, sum: 0.1 },
    ];
    expect(decodeCells(encodeCells(cells))).toEqual(cells);
  });
});

describe('bounds and clocks', () => {
  test('a miner that was silent for a day leaves nothing to the next one', async () => {
    const it = bench({ maxMiners: 1 });
    await it.run(24 * HOUR_MS, () => 100e12);
    it.clock.now += 24 * HOUR_MS;
    await it.run(HOUR_MS, () => 50e12, 'b');
    await it.restart();
    expect(it.averages.average24h('b')).toBeUndefined();
    await it.run(48 * HOUR_MS, () => 50e12, 'b');
    it.clock.now -= 60_000;
    expect(it.averages.average24h('b')).toBe(50e12);
  });

  test('beyond its room it takes no more miners, until one has been silent for a day', async () => {
    const it = bench({ maxMiners: 2 });
    await it.run(HOUR_MS, () => 1e12, 'a');
    await it.run(24 * HOUR_MS, () => 1e12, 'b');
    await it.run(24 * HOUR_MS, () => 7e12, 'c');
    it.clock.now -= 60_000;
    expect(it.averages.average24h('c')).toBe(7e12);
  });

  test.each([-24, -1, 1, 24])(
    'a wall clock that is set by %i hours costs nothing, also over a restart',
    async (hours) => {
      const host = createVirtualClock(START_MS);
      const db = openSqlite(':memory:', [averagesMigrations, clockMigrations]);
      const begin = async () => {
        const time = openLastingClock(db, host, silentLog);
        const averages = new Averages(db, { clock: time.clock });
        await averages.load();
        const poll = async (forMs: number) => {
          for (let doneMs = 0; doneMs < forMs; doneMs += 60_000) {
            averages.add('a', 100e12, time.clock.elapsedMs());
            await averages.writeDue();
            await host.advance(60_000);
          }
        };
        return { time, averages, poll };
      };
      const { time, averages, poll } = await begin();
      await poll(8 * HOUR_MS);
      host.stepWall(hours * HOUR_MS);
      await poll(4 * HOUR_MS + BUCKET_MS);
      expect(averages.average24h('a')).toBe(100e12);
      await averages.flush();
      time.keep();
      const again = await begin();
      expect(again.averages.average24h('a')).toBe(100e12);
      host.stepWall(-hours * HOUR_MS);
      await again.poll(HOUR_MS);
      expect(again.averages.average24h('a')).toBe(100e12);
    },
  );

  test('samples out of order at a bucket boundary do not make it write again and again', async () => {
    const { averages, clock, db } = bench();
    const writes = () => Number(db.prepare('SELECT total_changes() AS n').get()?.n);
    averages.add('a', 1e12, clock.now);
    averages.add('a', 1e12, clock.now + BUCKET_MS);
    await averages.writeDue();
    const before = writes();
    for (let poll = 0; poll < 10; poll++) {
      averages.add('b', 1e12, clock.now + BUCKET_MS - 1);
      averages.add('a', 1e12, clock.now + BUCKET_MS + 1);
      await averages.writeDue();
    }
    expect(writes()).toBe(before);
  });
});
