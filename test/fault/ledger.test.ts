// The judge itself: an account that is whole passes, and each way to cook the books is seen.
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { makeDir, sample } from '../unit/agent/outbox/farm-records.ts';
import { judge, watchDatabase } from './ledger.ts';

const at = (number: number) => Date.UTC(2026, 0, 1) + number * 1_000;
const iso = (number: number) => new Date(at(number)).toISOString();
const { key } = sample(1, at(1));
const slice = (id: number, record: unknown) =>
  `["slice",${id},"${zstdCompressSync(Buffer.from(JSON.stringify({ v: 1, records: [record] }))).toString('base64')}"]`;

/** Four samples, three of them committed, then a kill and its gap. */
const LEDGER = [
  '["start",1]',
  '["epoch","e",0]',
  ...[1, 2, 3].flatMap((number) => [
    `["produced","${key}","${iso(number)}"]`,
    slice(number, sample(number, at(number))),
    '["committed"]',
  ]),
  `["produced","${key}","${iso(4)}"]`,
  '["start",2]',
  slice(4, { kind: 'gap', from: iso(3), to: iso(9), reason: 'restart', count: null }),
  '["committed"]',
];

const effect = (number: number) =>
  `INSERT INTO miners VALUES ('${key}', ${at(number)}) ON CONFLICT (agent_key) DO UPDATE SET reported_at = excluded.reported_at;`;
const step = (seq: number) =>
  `INSERT INTO ingest_cursors VALUES ('e', ${seq}) ON CONFLICT (epoch) DO UPDATE SET seq = excluded.seq;`;
const gap = (from: number) => `INSERT INTO gaps VALUES ('e', ${at(from)}, ${at(9)}, 'restart');`;
const stored = (number: number) => effect(number) + step(number);
const WHOLE = [stored(1), stored(2), stored(3), gap(3) + step(4)];

function judged(...statements: readonly string[]) {
  const dir = makeDir({ isQuick: true });
  onTestFinished(() => dir.remove());
  const path = dir.path('service.sqlite');
  const db = new DatabaseSync(path);
  db.exec(`CREATE TABLE ingest_cursors (epoch TEXT PRIMARY KEY, seq INTEGER); CREATE TABLE events (type TEXT);
    CREATE TABLE held_events (type TEXT);
    CREATE TABLE miners (agent_key TEXT PRIMARY KEY, reported_at INTEGER);
    CREATE TABLE gaps (epoch TEXT, from_at INTEGER, to_at INTEGER, reason TEXT);`);
  watchDatabase(path);
  for (const statement of statements) db.exec(statement);
  db.close();
  writeFileSync(dir.path('ledger'), `${LEDGER.join('\n')}\n`);
  const { lost, doubled, undeclared, uncommitted } = judge(dir.path('ledger'), path);
  return { lost, doubled, undeclared, uncommitted };
}

test('an account that is whole is whole', () => {
  expect(judged(...WHOLE)).toEqual({ lost: 0, doubled: 0, undeclared: 0, uncommitted: 1 });
});

test.each([
  ['a committed slice that is not stored', WHOLE.slice(0, 3), { lost: 1 }],
  ['a slice that is stored without its sample', [stored(1), step(2), stored(3), gap(3) + step(4)], { lost: 1 }],
  ['a slice that is stored twice', [...WHOLE, step(4)], { doubled: 2 }],
  ['a sample that takes effect twice', [stored(1), stored(2), effect(2) + stored(3), gap(3) + step(4)], { doubled: 1 }],
  ['a gap that is stored twice', [...WHOLE, gap(3)], { doubled: 1 }],
  ['an event that nobody reported', [...WHOLE, `INSERT INTO events VALUES ('moved')`], { doubled: 1 }],
  ['a gap that begins too late', [stored(1), stored(2), stored(3), gap(5) + step(4)], { undeclared: 1 }],
])('%s is seen', (_what, statements, found) => {
  expect(judged(...statements)).toMatchObject(found);
});
