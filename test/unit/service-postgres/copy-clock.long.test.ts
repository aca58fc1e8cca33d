// Copies of the service on one database go by the clock of that: a copy whose own clock is wrong, or is set while it
// runs, says so, and shows and decides what the others do. A step of the clock of the database is carried over once.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ALL_SEE_MS } from '../../../src/service/clock-carrier.ts';
import { until } from '../../e2e/until.ts';
import { query } from '../service-http/database.ts';
import { minerRecord } from '../service-http/records.ts';
import { type Rig, recordingLog, startRig, steppedClock } from '../service-http/rig.ts';
import { connect } from '../service-http/wire-agent.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Both have one clock of the database, and each its own. */
async function startCopies(copyAheadMs: number) {
  const shared = { passedMs: 0, setMs: 0, copyMissesMs: 0 };
  const databaseClock = (nowMs: number) => nowMs + shared.passedMs + shared.setMs;
  const rig = await startRig({ databaseClock });
  const clock = steppedClock();
  clock.set(copyAheadMs);
  const log = recordingLog();
  const started = await startRig({
    databasePath: rig.databasePath,
    clock,
    log,
    databaseClock: (nowMs) => databaseClock(nowMs) - shared.copyMissesMs,
  });
  const copy: Rig = { ...started, clock };
  return {
    rig,
    copy,
    log,
    /** On every host. */
    pass(ms: number) {
      shared.passedMs += ms;
      rig.clock.step(ms);
      clock.step(ms);
    },
    /** The host of the copy stands still meanwhile, and so do its clocks, until `wakeCopy`. */
    passBesideCopy(ms: number) {
      shared.passedMs += ms;
      shared.copyMissesMs = ms;
      rig.clock.step(ms);
    },
    wakeCopy() {
      shared.copyMissesMs = 0;
    },
    setDatabase(ms: number) {
      shared.setMs += ms;
    },
  };
}

const statusesOn = async (rig: Rig, path: string) =>
  (await rig.get(path)).body.data.map(({ status }: { status: string }) => status);

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'a copy whose clock is off by %i ms, from its start and while it runs',
  async (offMs) => {
    const { rig, copy, log, pass } = await startCopies(offMs);
    const { clock } = copy;
    const path = rig.farm('/miner/latest?pageSize=1000');
    const both = async () => [await statusesOn(rig, path), await statusesOn({ ...copy, get: getOf(copy, rig) }, path)];
    const [live, dead] = [randomUUID(), randomUUID()];
    // Of the two that report one is connected to the copy.
    const agent = await connect({ ...copy, clock: rig.clock }, { outbox: randomUUID() });
    const report = (keys: readonly string[]) =>
      agent.report(keys.map((key, index) => minerRecord(index + 1, rig.clock.nowMs(), { key })));
    await report([live, dead]);
    const said = () => log.lines.filter(({ message }) => message.includes('differs from that of the database'));
    await until(
      async () => said(),
      (lines) => lines.length === 1,
    );
    expect(Math.round(Number(said()[0]?.fields.aheadMs) / MINUTE_MS)).toBe(Math.round(offMs / MINUTE_MS));
    expect(await both()).toEqual([
      ['online', 'online'],
      ['online', 'online'],
    ]);
    pass(2 * MINUTE_MS);
    await report([live]);
    pass(2 * MINUTE_MS);
    expect(await both()).toEqual([
      ['online', 'stale'],
      ['online', 'stale'],
    ]);

    const stored = () => query(rig, 'SELECT stale_at, reported_at, created_at FROM miners ORDER BY ip_num');
    const before = await stored();
    clock.set(-2 * offMs);
    const figures = async () => (await fetch(`${copy.url}/metrics`, { headers: { 'x-api-key': rig.key } })).text();
    for (let looks = 0; looks < 10; looks++) expect((await both())[1]).toEqual(['online', 'stale']);
    await until(figures, (text) =>
      text.includes(`pithead_clock_steps_total{direction="${offMs > 0 ? 'back' : 'forward'}"} 1`),
    );
    await until(figures, (text) => /pithead_database_clock_difference_seconds -?7\d{3}\.?/.test(text));
    expect(await stored()).toEqual(before);
    expect(await both()).toEqual([
      ['online', 'stale'],
      ['online', 'stale'],
    ]);
    expect(await query(rig, "SELECT type FROM events WHERE type = 'clock_stepped'")).toEqual([]);
  },
);

/** The copy made keys of its own farm's workspace: the first one's are good on it too. */
const getOf = (copy: Rig, rig: Rig) => (path: string) => copy.get(path, { 'x-api-key': rig.key });

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'the clock of the database is set by %i ms: each copy goes on, and one of them carries over what lives',
  async (setByMs) => {
    const { rig, copy, pass, setDatabase } = await startCopies(0);
    const path = rig.farm('/miner/latest?pageSize=1000');
    const both = async () => [await statusesOn(rig, path), await statusesOn({ ...copy, get: getOf(copy, rig) }, path)];
    const agent = await connect({ ...copy, clock: rig.clock }, { outbox: randomUUID() });
    const [live, dead] = [randomUUID(), randomUUID()];
    await agent.report([
      minerRecord(1, rig.clock.nowMs(), { key: live }),
      minerRecord(2, rig.clock.nowMs(), { key: dead }),
    ]);
    pass(4 * MINUTE_MS);
    await agent.report([minerRecord(1, rig.clock.nowMs(), { key: live })]);
    setDatabase(setByMs);
    const stepped = () => query(rig, "SELECT detail FROM events WHERE type = 'clock_stepped'");
    await until(
      async () => {
        expect(await both()).toEqual([
          ['online', 'stale'],
          ['online', 'stale'],
        ]);
        return stepped();
      },
      (found) => found.length > 0,
    );
    pass(2 * MINUTE_MS);
    expect(await both()).toEqual([
      ['online', 'stale'],
      ['online', 'stale'],
    ]);
    pass(2 * MINUTE_MS);
    expect(await both()).toEqual([
      ['stale', 'stale'],
      ['stale', 'stale'],
    ]);
    expect(await stepped()).toHaveLength(1);
  },
);

test('a copy whose host stood still for two hours: what fell silent meanwhile stays stale, and what is live stays live', async () => {
  const { rig, copy, passBesideCopy, wakeCopy } = await startCopies(0);
  const path = rig.farm('/miner/latest?pageSize=1000');
  const agent = await connect(rig, { outbox: randomUUID() });
  const [live, dead] = [randomUUID(), randomUUID()];
  await agent.report([
    minerRecord(1, rig.clock.nowMs(), { key: live }),
    minerRecord(2, rig.clock.nowMs(), { key: dead }),
  ]);
  passBesideCopy(2 * HOUR_MS);
  await agent.report([minerRecord(1, rig.clock.nowMs(), { key: live })]);
  await until(
    () => query(rig, 'SELECT at FROM service_time'),
    ([time]) => Number(time?.at) > rig.clock.nowMs() - MINUTE_MS,
  );
  wakeCopy();
  const ofCopy = () => statusesOn({ ...copy, get: getOf(copy, rig) }, path);
  await until(ofCopy, (statuses) => statuses[1] === 'stale');
  // Until long after a copy has looked for what was written by the time of before.
  const endMs = performance.now() + 2 * ALL_SEE_MS;
  while (performance.now() < endMs) {
    expect(await statusesOn(rig, path)).toEqual(['online', 'stale']);
    expect(await ofCopy()).toEqual(['online', 'stale']);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await query(rig, "SELECT type FROM events WHERE type = 'clock_stepped'")).toEqual([]);
});
