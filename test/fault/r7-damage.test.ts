import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { OUTBOX_FILE, openOutbox } from '../../src/agent/outbox/open.ts';
import { renderError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { contents, makeDir, outcome, readOldest, sample } from '../unit/agent/outbox/farm-records.ts';
import { seeded } from './seeded.ts';
import { isFull, isWithin, report } from './table.ts';

const TRIALS = isFull ? 2_000 : 100;
const SLICES = 40;
const clock = createVirtualClock();
const open = (folder: string) => openOutbox(folder, { clock, log: silentLog, newEpoch: randomUUID });

/** Files of an outbox that holds SLICES slices, partly in the log: as a kill leaves them. */
async function makeFiles(folder: string): Promise<{ main: Buffer; wal: Buffer; samples: Set<number>; tasks: number }> {
  mkdirSync(folder);
  const outbox = open(folder);
  await outbox.setUplinks(['farm']);
  const samples = new Set<number>();
  for (let slice = 0; slice < SLICES; slice++) {
    const numbers = Array.from({ length: 20 }, (_, index) => slice * 20 + index);
    for (const number of numbers) samples.add(number);
    await outbox.append([...numbers.map((number) => sample(number, clock.nowMs())), outcome(slice, clock.nowMs())]);
    // Half of it in the main file.
    if (slice === SLICES / 2) {
      await outbox.close();
      return makeRest(folder, samples);
    }
  }
  throw new Error('not reached');
}

async function makeRest(folder: string, samples: Set<number>) {
  const outbox = open(folder);
  for (let slice = SLICES / 2 + 1; slice < SLICES; slice++) {
    const numbers = Array.from({ length: 20 }, (_, index) => slice * 20 + index);
    for (const number of numbers) samples.add(number);
    await outbox.append([...numbers.map((number) => sample(number, clock.nowMs())), outcome(slice, clock.nowMs())]);
  }
  copyFileSync(join(folder, OUTBOX_FILE), join(folder, 'main'));
  copyFileSync(join(folder, `${OUTBOX_FILE}-wal`), join(folder, 'wal'));
  await outbox.close();
  return { main: readFileSync(join(folder, 'main')), wal: readFileSync(join(folder, 'wal')), samples, tasks: SLICES };
}

test('cuts and flips anywhere: it starts, hands out nothing that was changed, and declares what is missing', async () => {
  const seed = Number(process.env.PITHEAD_SEED ?? 20_261_121);
  const random = seeded(seed);
  const dir = makeDir({ isQuick: true });
  let slowestMs = 0;
  let undeclared = 0;
  let corrupt = 0;
  let crashes = 0;
  try {
    const whole = await makeFiles(dir.path('whole'));
    const hurt = (bytes: Buffer): Buffer => {
      if (random() < 0.4) return bytes.subarray(0, Math.floor(random() * bytes.length));
      const copy = Buffer.from(bytes);
      for (let flip = 0; flip < 1 + random() * 4; flip++) {
        const at = Math.floor(random() * copy.length);
        copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      }
      return copy;
    };
    for (let trial = 0; trial < TRIALS; trial++) {
      const folder = dir.path(`trial-${trial}`);
      mkdirSync(folder);
      const isMain = random() < 0.6;
      writeFileSync(join(folder, OUTBOX_FILE), isMain ? hurt(whole.main) : whole.main);
      writeFileSync(join(folder, `${OUTBOX_FILE}-wal`), isMain ? whole.wal : hurt(whole.wal));
      const before = performance.now();
      try {
        const outbox = open(folder);
        await outbox.setUplinks(['farm']);
        await outbox.append([outcome(SLICES, clock.nowMs())]);
        slowestMs = Math.max(slowestMs, performance.now() - before);
        await outbox.flush();
        await readOldest(outbox, 'farm', { maxSlices: 1_000, maxBytes: 1e9 });
        await outbox.flush();
        // What the reading found damaged may have begun a new file.
        const { samples, gaps, tasks } = contents(
          await readOldest(outbox, 'farm', { maxSlices: 1_000, maxBytes: 1e9 }),
        );
        const isHonest = samples.every((number) => whole.samples.has(number));
        if (!isHonest || new Set(samples).size !== samples.length) corrupt++;
        const isWhole = samples.length === whole.samples.size && tasks.length === whole.tasks + 1;
        if (!isWhole && gaps.length === 0) undeclared++;
        await outbox.close();
      } catch (error) {
        crashes++;
        process.stdout.write(`trial ${trial}: ${renderError(error)}\n`);
      }
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    dir.remove();
  }
  report({
    id: 'R7',
    value: `${TRIALS} cuts and flips, seed ${seed}: ${crashes} crashes, ${corrupt} corrupt delivered, ${undeclared} losses undeclared, slowest start ${Math.round(slowestMs)} ms`,
    bar: '2,000: 0, 0, 0, start ≤ 5 s',
    isMet: crashes + corrupt + undeclared === 0 && isWithin(slowestMs, 5_000),
  });
});
