import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOutbox } from '../../../../src/agent/outbox/outbox.ts';
import { outboxMigrations } from '../../../../src/agent/outbox/storage/store.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { contents, makeDir, outcome, readOldest, sample } from './farm-records.ts';

const ALL = { maxSlices: 1_000, maxBytes: 1e9 };
const SLICES = 6;
const clock = createVirtualClock();

let dir: ReturnType<typeof makeDir>;

beforeEach(() => {
  dir = makeDir();
});
afterEach(() => dir.remove());

/** A closed outbox of SLICES slices with two samples each, and a task in the third. */
async function makeOutbox(path: string): Promise<void> {
  const db = openSqlite(path, [outboxMigrations]);
  const outbox = createOutbox(db, { clock, log: silentLog, newEpoch: randomUUID });
  await outbox.setUplinks(['farm']);
  for (let slice = 0; slice < SLICES; slice++) {
    await outbox.append([
      sample(slice * 2, clock.nowMs()),
      sample(slice * 2 + 1, clock.nowMs()),
      ...(slice === 2 ? [outcome(1, clock.nowMs())] : []),
    ]);
  }
  await outbox.close();
  db.close();
}

function damage(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

function reopen(path: string) {
  const db = openSqlite(path, [outboxMigrations]);
  return { db, outbox: createOutbox(db, { clock, log: silentLog, newEpoch: randomUUID }) };
}

async function readAll(path: string) {
  const { db, outbox } = reopen(path);
  await outbox.flush();
  const slices = await readOldest(outbox, 'farm', ALL);
  await outbox.close();
  db.close();
  return { slices, ...contents(slices) };
}

test('a body that was changed is replaced by a gap that counts its records, and stays replaced', async () => {
  const path = dir.path('body.db');
  await makeOutbox(path);
  damage(path, 'UPDATE outbox_slices SET body = zeroblob(length(body)) WHERE id = 3');
  for (let time = 0; time < 2; time++) {
    const { slices, samples, tasks, gaps } = await readAll(path);
    expect(slices.map(({ header }) => header.seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(samples).toEqual([0, 1, 2, 3, 6, 7, 8, 9, 10, 11]);
    expect(tasks).toEqual([]);
    expect(gaps).toMatchObject([{ reason: 'buffer_damaged', count: 3 }]);
  }
});

test('a body that turns up under another number is not passed on', async () => {
  const path = dir.path('swap.db');
  await makeOutbox(path);
  damage(path, 'UPDATE outbox_slices SET body = (SELECT body FROM outbox_slices WHERE id = 1) WHERE id = 2');
  expect(await readAll(path)).toMatchObject({ gaps: [{ reason: 'buffer_damaged', count: 2 }] });
});

test('when the description of a slice was changed its count is unknown', async () => {
  const path = dir.path('head.db');
  await makeOutbox(path);
  damage(path, 'UPDATE outbox_slices SET samples = 200 WHERE id = 4');
  const { samples, gaps } = await readAll(path);
  expect(samples).not.toContain(6);
  expect(gaps).toMatchObject([{ reason: 'buffer_damaged', count: null }]);
});

test('slices that vanished become gaps, so that the sequence has no holes', async () => {
  const path = dir.path('hole.db');
  await makeOutbox(path);
  damage(path, 'DELETE FROM outbox_slices WHERE id IN (1, 4, 6)');
  const { slices, samples, gaps } = await readAll(path);
  expect(slices.map(({ header }) => header.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(samples).toEqual([2, 3, 4, 5, 8, 9]);
  expect(gaps.map(({ count }) => count)).toEqual([null, null, null]);
});

test('a cursor that was changed is not believed: what is stored goes out again under a new epoch', async () => {
  const path = dir.path('cursor.db');
  await makeOutbox(path);
  const before = reopen(path);
  const { epoch } = (await before.outbox.source('farm').epochs())[0];
  await before.outbox.close();
  before.db.close();
  damage(path, "UPDATE outbox_epochs SET acked = 5 WHERE name = 'farm'");
  const { slices, samples } = await readAll(path);
  expect(samples.length).toBe(SLICES * 2);
  expect(slices[0]?.header.epoch).not.toBe(epoch);
});

test('damaged bookkeeping is rebuilt from the slices, with a gap', async () => {
  const path = dir.path('meta.db');
  await makeOutbox(path);
  damage(path, 'UPDATE outbox_meta SET next_id = 900');
  const { slices, samples, gaps } = await readAll(path);
  expect(samples.length).toBe(SLICES * 2);
  expect(slices.map(({ header }) => header.seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(gaps).toMatchObject([{ reason: 'restart', count: null }]);
});

test('bits flipped anywhere in the file never let a changed record out, and never throw into the caller', async () => {
  const path = dir.path('flips.db');
  await makeOutbox(path);
  const honest = readFileSync(path);
  let seed = 20_260_102;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const wasSent = new Set(Array.from({ length: SLICES * 2 }, (_, number) => number));
  let unreadable = 0;
  for (let trial = 0; trial < 150; trial++) {
    const bytes = Buffer.from(honest);
    for (let flip = 0; flip < 3; flip++) {
      const at = random(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    }
    const copy = dir.path(`flip-${trial}.db`);
    writeFileSync(copy, bytes);
    let opened: ReturnType<typeof reopen>;
    try {
      opened = reopen(copy);
    } catch {
      // The caller puts the whole file aside: that is decided where databases are opened.
      unreadable++;
      continue;
    }
    const { db, outbox } = opened;
    await outbox.flush();
    const { samples } = contents(await readOldest(outbox, 'farm', ALL));
    expect(samples.every((number) => wasSent.has(number))).toBe(true);
    expect(new Set(samples).size).toBe(samples.length);
    await outbox.close();
    db.close();
  }
  expect(unreadable).toBeLessThan(100);
});
