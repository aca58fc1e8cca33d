// How soon the end of an outage is noticed: polls and the look at what many suffer from, together, by their own times.

import { expect, test } from 'vitest';
import { drivers } from '../../../../../drivers/index.ts';
import { judge } from '../../../../../src/agent/fleet/anomaly/judge.ts';
import { outageMigrations } from '../../../../../src/agent/fleet/outages/outage-store.ts';
import { type OutageMiner, Outages } from '../../../../../src/agent/fleet/outages/outages.ts';
import { silentLog } from '../../../../../src/base/log.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import { VisitMemory } from '../../../../../src/driver/visit/memory.ts';
import { QUIET } from '../../../../contract/quiet.ts';
import { createFarm, minersOf } from '../../poll/farm.ts';
import { DEFAULTS, healthy } from '../anomaly/fixture.ts';

const MINUTE = 60_000;
const LOOK_MS = 5_000;
const MINERS = 35;

type Miner = OutageMiner & { -readonly [K in 'judgement']: OutageMiner[K] };

const context = QUIET;

function startSite() {
  const [driver] = drivers;
  if (driver === undefined) throw new Error('there is no driver');
  const miners = minersOf(MINERS).map(({ key, ip }): Miner => {
    const target = { ip, driver, known: {}, memory: new VisitMemory() };
    return { key, target, judgement: undefined, reported: undefined };
  });
  const onResult = (key: string) => {
    const miner = miners.find((one) => one.key === key);
    const result = farm.resultsOf(key).at(-1)?.result;
    if (miner === undefined || result === undefined) return;
    const atMs = farm.clock.nowMs();
    const sample =
      result.kind === 'failed'
        ? ({ kind: 'failed', code: 'peer.timeout', consecutive: result.consecutive, context } as const)
        : ({ kind: 'ok', reading: healthy(atMs / MINUTE), unparsable: [], loginRefused: false, context } as const);
    miner.judgement = judge(miner.judgement, sample, DEFAULTS, atMs).judgement;
  };
  const farm = createFarm({}, { onResult });
  const { clock, poller } = farm;
  const outages = new Outages(openSqlite(':memory:', [outageMigrations]), {
    ...{ clock, log: silentLog, agentIds: [], miners: () => miners, pollMs: () => MINUTE },
    ...{ isOutOfOperation: () => false, emit: () => {}, pollSoon: (key) => poller.pollSoon(key) },
  });
  for (const { key, target } of miners) poller.add({ key, ip: target.ip });
  poller.start();
  const run = async (minutes: number) => {
    for (let ms = 0; ms < minutes * MINUTE; ms += LOOK_MS) {
      await clock.advance(LOOK_MS);
      outages.look();
    }
  };
  const hang = (isOn: boolean, count: number) => {
    for (const { key } of miners.slice(0, count)) farm.manners.set(key, isOn ? 'hung' : 'ok');
  };
  return { run, hang, outages, poller, visitsOf: (key: string) => farm.timesOf(key).length };
}

test.each([10, 11, 12, 13, 14])(
  'miners that hung for %i minutes are all read three minutes after they are back',
  async (minutes) => {
    const { run, hang, outages, poller } = startSite();
    await run(3);
    hang(true, 12);
    await run(minutes);
    expect(outages.current()).toMatchObject([{ kind: 'contact', minerCount: 12 }]);
    expect(poller.stats().failing).toBe(12);
    hang(false, 12);
    await run(3);
    expect(poller.stats().failing).toBe(0);
    expect(outages.current()).toEqual([]);
  },
);

test('as long as none of them answers, one poll a minute is all that it costs', async () => {
  const { run, hang, visitsOf } = startSite();
  const visits = () => Array.from({ length: 12 }, (_, i) => visitsOf(`m${i}`)).reduce((sum, count) => sum + count, 0);
  await run(3);
  hang(true, 12);
  await run(20);
  const before = visits();
  await run(60);
  // In an hour: each every five minutes, and sixty in turns.
  expect(visits() - before).toBeLessThanOrEqual(12 * 12 + 60);
});
