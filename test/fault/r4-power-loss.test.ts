// What a power cut would leave: the calls of a process on the files of its outbox are recorded, and each prefix of them
// is played back with what had not been synced kept, torn or dropped at random. The agent's other databases are in
// agent-disk.test.ts, that of the service in service-disk.test.ts.
import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { contents, makeDir, readOldest } from '../unit/agent/outbox/farm-records.ts';
import { cutAgainAndAgain, reportCuts } from './power-cut.ts';
import { record } from './recorded-writes.ts';
import { seeded } from './seeded.ts';
import { canTrace } from './strace.ts';
import { isFull } from './table.ts';

const PREFIXES = isFull ? 500 : 40;
const SLICES = isFull ? 60 : 10;

/** Each promise ends with the number of an outcome. */
async function missingIn(folder: string, promised: readonly string[]): Promise<string[]> {
  const outbox = openOutbox(folder, { clock: systemClock, log: silentLog, newEpoch: randomUUID });
  await outbox.setUplinks(['farm']);
  const has = new Set(contents(await readOldest(outbox, 'farm', { maxSlices: 1_000, maxBytes: 1e9 })).tasks);
  await outbox.close();
  return promised.filter((what) => !has.has(Number(what.split(' ')[1])));
}

test.runIf(canTrace)('a power cut at any moment loses nothing that was promised', async () => {
  const seed = Number(process.env.PITHEAD_SEED ?? 20_261_121);
  const dir = makeDir({ isQuick: true });
  try {
    const steps = await record(dir.path('recorded'), [String(SLICES), '5']);
    const cuts = { count: PREFIXES, random: seeded(seed), folder: dir.path('trial') };
    reportCuts('outbox', { steps, seed, ...cuts, problems: await cutAgainAndAgain(steps, cuts, missingIn) });
  } finally {
    dir.remove();
  }
});
