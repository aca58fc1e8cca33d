// An outbox, and a journal beside it, on a disk that somebody else fills and frees again. Prints its account as JSON.
// Arguments: folder, seconds for each phase.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { openAgentDatabase } from '../../src/agent/state/database.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { contents, outcome, readOldest, sample } from '../unit/agent/outbox/farm-records.ts';

const [folder = '', seconds = '1'] = process.argv.slice(2);
const PHASE_MS = Number(seconds) * 1_000;
const TICK_MS = 20;
const PER_TICK = 40;
const filler = join(folder, 'filler');

const journal = openAgentDatabase(
  join(folder, 'agent.sqlite'),
  [{ owner: 'journal', steps: ['CREATE TABLE steps (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT'] }],
  silentLog,
);
const write = journal.prepare('INSERT INTO steps (text) VALUES (?)');
const outbox = openOutbox(folder, {
  clock: systemClock,
  log: silentLog,
  newEpoch: randomUUID,
  settings: { flushMs: 50 },
});
await outbox.setUplinks(['farm']);

let produced = 0;
let outcomes = 0;
let journalled = 0;
let journalFailures = 0;
let wasFull = false;
const waiting: Promise<unknown>[] = [];

/** Takes every byte that is left, again and again: others do not leave us what we let go. */
function fill(): void {
  const file = openSync(filler, 'a');
  const block = Buffer.alloc(64 * 1024, 1);
  try {
    while (writeSync(file, block) > 0);
  } catch {
    wasFull = true;
  } finally {
    closeSync(file);
  }
}

async function run(isFilling: boolean): Promise<void> {
  const endsAtMs = performance.now() + PHASE_MS;
  let isFirst = true;
  while (performance.now() < endsAtMs) {
    // What was let go by us is ours; a disk that is filled to the last byte, once.
    if (isFilling && isFirst) fill();
    isFirst = false;
    for (let index = 0; index < PER_TICK; index++) {
      const record = sample(++produced, Date.now());
      outbox.offer({ ...record, key: randomUUID(), abilities: [randomUUID(), randomUUID(), randomUUID()] });
    }
    if (produced % (PER_TICK * 10) === 0) {
      waiting.push(outbox.append([outcome(++outcomes, Date.now())]).catch(() => {}));
      try {
        write.run(`step ${outcomes} ${randomUUID()}`);
        journalled++;
      } catch {
        journalFailures++;
      }
    }
    await systemClock.sleep(TICK_MS);
  }
}

await run(false);
await run(true);
const freeWhenFull = statfsSync(folder).bavail;
rmSync(filler);
const freedAtMs = performance.now();
const isNormal = () => {
  const { fault, isFull, pendingRecords, undeclaredRecords } = outbox.state();
  return fault === undefined && !isFull && pendingRecords < 1_000 && undeclaredRecords === 0;
};
do {
  outbox.offer(sample(++produced, Date.now()));
  await systemClock.sleep(TICK_MS);
} while (!isNormal() && performance.now() - freedAtMs < 61_000);
const normalMs = performance.now() - freedAtMs;
await run(false);
await Promise.all(waiting);
await outbox.flush();
const { samples, tasks, gaps } = contents(await readOldest(outbox, 'farm', { maxSlices: 1e6, maxBytes: 1e12 }));
const declared = gaps.reduce((sum, { count }) => sum + (count ?? Number.NaN), 0);
const result = {
  produced,
  stored: samples.length,
  declared,
  isExact: samples.length + declared === produced,
  newestKept: samples.at(-1) === produced,
  outcomes,
  outcomesKept: tasks.length,
  journalled,
  journalFailures,
  wasFull,
  normalMs,
  freeWhenFull,
};
await outbox.close();
journal.close();
process.stdout.write(`${JSON.stringify(result)}\n`);
