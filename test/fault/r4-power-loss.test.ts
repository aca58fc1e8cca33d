// What a power cut would leave: the calls of a process on the files of its outbox are recorded, and each prefix of them
// is played back with what had not been synced kept or dropped at random.
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { contents, makeDir, readOldest } from '../unit/agent/outbox/farm-records.ts';
import { afterPowerCut, countUnsynced, DURABLE, LOG_FILE, record } from './recorded-writes.ts';
import { seeded } from './seeded.ts';
import { canTrace } from './strace.ts';
import { isFull, report } from './table.ts';

const PREFIXES = isFull ? 1_000 : 40;
const SLICES = isFull ? 60 : 10;

test.runIf(canTrace)('a power cut at any moment loses nothing that was promised', async () => {
  const seed = Number(process.env.PITHEAD_SEED ?? 20_261_121);
  const random = seeded(seed);
  const dir = makeDir({ isQuick: true });
  let unsynced = 0;
  let promises = 0;
  const problems: string[] = [];
  try {
    const steps = await record(dir.path('recorded'), [String(SLICES), '5']);
    const counted = countUnsynced(steps, LOG_FILE);
    promises = counted.promises;
    unsynced = counted.unsynced;
    const first = steps.findIndex((step) => step.kind === 'promise');
    for (let trial = 0; trial < PREFIXES; trial++) {
      const end = first + Math.floor(random() * (steps.length - first));
      const prefix = steps.slice(0, end + 1);
      const files = afterPowerCut(prefix, random);
      const folder = dir.path(`trial-${trial}`);
      mkdirSync(folder);
      for (const name of DURABLE) {
        const bytes = files.get(name);
        if (bytes !== undefined) writeFileSync(join(folder, name), bytes);
      }
      const outbox = openOutbox(folder, { clock: systemClock, log: silentLog, newEpoch: randomUUID });
      await outbox.setUplinks(['farm']);
      const has = new Set(contents(await readOldest(outbox, 'farm', { maxSlices: 1_000, maxBytes: 1e9 })).tasks);
      await outbox.close();
      const lost = prefix.flatMap((step) => (step.kind === 'promise' && !has.has(step.outcome) ? [step.outcome] : []));
      if (lost.length > 0) problems.push(`after ${end} calls: ${lost.join()}`);
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    dir.remove();
  }
  process.stdout.write(
    problems
      .slice(0, 5)
      .map((problem) => `  ${problem}\n`)
      .join(''),
  );
  report({
    id: 'R4',
    value: `${promises - unsynced} of ${promises} acknowledgements after their sync; ${PREFIXES} prefixes, seed ${seed}: ${problems.length} with something promised missing`,
    bar: '100 %; 1,000 prefixes, 0 missing',
    isMet: promises > 0 && unsynced === 0 && problems.length === 0,
  });
});
