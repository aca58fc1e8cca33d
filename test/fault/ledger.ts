// The judge of what was produced, promised, stored and declared: it compares the ledger that the agent writes outside
// with what the triggers in the service's database have seen. Neither side's own account is believed.
import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { sliceBodySchema } from '../../src/wire/records.ts';

const lineSchema = z.union([
  z.tuple([z.literal('start'), z.int()]),
  z.tuple([z.literal('produced'), z.string(), z.iso.datetime()]),
  z.tuple([z.literal('epoch'), z.string(), z.int()]),
  z.tuple([z.literal('slice'), z.int(), z.base64()]),
  z.tuple([z.literal('committed')]),
]);
type Line = z.infer<typeof lineSchema>;

/** A line that a kill cut in two was not written. */
function readLines(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line, index) => (line === '' || index === lines.length - 1 ? [] : [parseLine(line)]));
}

function parseLine(text: string): Line {
  return lineSchema.parse(JSON.parse(text));
}

export const ledgerBytes = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** What the agent that started when the ledger had so many bytes has done with samples. */
export function progressOf(path: string, sinceByte: number): 'none' | 'produced' | 'committed' {
  const news = ledgerBytes(path) > sinceByte ? readFileSync(path).subarray(sinceByte) : Buffer.alloc(0);
  const first = news.indexOf('["produced"');
  if (first < 0) return 'none';
  return news.includes('["committed"]', first) ? 'committed' : 'produced';
}

const stepSchema = z.object({ what: z.literal('step'), a: z.string(), b: z.int(), c: z.int() });
const sampleSchema = z.object({ what: z.literal('sample'), a: z.string(), b: z.int(), c: z.null() });
const seenSchema = z.array(z.union([stepSchema, sampleSchema]));
const gapsSchema = z.array(z.object({ epoch: z.string(), from_at: z.int(), to_at: z.int(), reason: z.string() }));
const countSchema = z.object({ n: z.int() });

/**
 * From here on the database itself notes each step of a cursor and each sample that takes effect, whatever the service
 * believes of them.
 */
export function watchDatabase(path: string): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec(`
    CREATE TABLE seen (id INTEGER PRIMARY KEY, what TEXT, a TEXT, b INTEGER, c INTEGER);
    CREATE TRIGGER see_first AFTER INSERT ON ingest_cursors BEGIN INSERT INTO seen VALUES (NULL, 'step', new.epoch, 0, new.seq); END;
    CREATE TRIGGER see_next AFTER UPDATE ON ingest_cursors BEGIN INSERT INTO seen VALUES (NULL, 'step', new.epoch, old.seq, new.seq); END;
    CREATE TRIGGER see_new AFTER INSERT ON miners BEGIN INSERT INTO seen VALUES (NULL, 'sample', new.agent_key, new.reported_at, NULL); END;
    CREATE TRIGGER see_same AFTER UPDATE OF reported_at ON miners BEGIN INSERT INTO seen VALUES (NULL, 'sample', new.agent_key, new.reported_at, NULL); END;
  `);
  database.close();
}

/** Events that no agent reports. */
const BY_SERVICE = ['flag_raised', 'flag_cleared', 'agent_offline', 'agent_online', 'task_created', 'task_ended'];

function readDatabase(path: string) {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const rows = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }));
    const count = (table: string) => countSchema.parse(rows(`SELECT count(*) AS n FROM ${table}`)[0]).n;
    const reported = `events WHERE type NOT IN (${BY_SERVICE.map((type) => `'${type}'`).join(', ')})`;
    return {
      seen: seenSchema.parse(rows('SELECT what, a, b, c FROM seen ORDER BY id')),
      gaps: gapsSchema.parse(rows('SELECT epoch, from_at, to_at, reason FROM gaps ORDER BY from_at')),
      events: count(reported) + count('held_events'),
    };
  } finally {
    database.close();
  }
}

/** Whether everything on the ledger is stored; else the number of what is not. */
export const missing = (ledgerPath: string, databasePath: string): number => judge(ledgerPath, databasePath).lost;

type Slice = { readonly samples: readonly Sample[]; readonly events: number; readonly gaps: number };
type Sample = { readonly key: string; readonly atMs: number };

function open(body: string): Slice {
  const text = zstdDecompressSync(Buffer.from(body, 'base64')).toString('utf8');
  const { records } = sliceBodySchema.parse(JSON.parse(text));
  const of = (kind: string) => records.filter((record) => record.kind === kind).length;
  const samples = records.flatMap((record) =>
    record.kind === 'miner' ? [{ key: record.key, atMs: Date.parse(record.at) }] : [],
  );
  return { samples, events: of('event'), gaps: of('gap') };
}

const NO_SLICE: Slice = { samples: [], events: 0, gaps: 0 };

const nameOf = ({ key, atMs }: Sample) => `${key} ${atMs}`;

export type Verdict = {
  readonly produced: number;
  /** Samples in slices whose commit is on the ledger. */
  readonly committed: number;
  readonly slices: number;
  /** Committed slices that the service has not stored, and samples of stored ones that had no effect. */
  readonly lost: number;
  /**
   * Slices stored again, effects that no slice explains, events and gaps that are there more often than they were
   * reported.
   */
  readonly doubled: number;
  /**
   * Samples of which no commit tells: all of them, the most that one run of the agent lost, and those in no declared
   * gap.
   */
  readonly uncommitted: number;
  readonly uncommittedMost: number;
  readonly undeclared: number;
  readonly restartGaps: number;
  readonly otherGaps: number;
  readonly runs: number;
  /** What is wrong in words; empty when nothing is. */
  readonly problems: readonly string[];
};

/**
 * Call it when everything that the agent committed should be stored, but for the slices `waiting` that still lie in its
 * outbox.
 */
export function judge(ledgerPath: string, databasePath: string, waiting: ReadonlySet<number> = new Set()): Verdict {
  const lines = readLines(ledgerPath);
  const { seen, gaps, events } = readDatabase(databasePath);
  const problems: string[] = [];
  const problem = (text: string) => void (problems.length < 20 && problems.push(text));
  let [lost, doubled] = [0, 0];

  const bases = new Map<string, number>();
  /** As written last: a slice that did not come through its transaction is followed by another of its number. */
  const slices = new Map<number, Slice>();
  const committed = new Set<number>();
  let inTransaction: number[] = [];
  const runs: Sample[][] = [];
  for (const line of lines) {
    if (line[0] === 'start') {
      runs.push([]);
      inTransaction = [];
    }
    if (line[0] === 'produced') runs.at(-1)?.push({ key: line[1], atMs: Date.parse(line[2]) });
    else if (line[0] === 'epoch') bases.set(line[1], line[2]);
    else if (line[0] === 'slice') {
      slices.set(line[1], open(line[2]));
      inTransaction.push(line[1]);
    } else if (line[0] === 'committed') {
      for (const id of inTransaction) committed.add(id);
      inTransaction = [];
    }
  }

  const stored = new Set<number>();
  const cursors = new Map<string, number>();
  const newest = new Map<string, number>();
  const settled = new Set<string>();
  let effects: Sample[] = [];
  const promised = { events: 0, gaps: 0 };
  for (const row of seen) {
    if (row.what === 'sample') {
      effects.push({ key: row.a, atMs: row.b });
      continue;
    }
    const id = (bases.get(row.a) ?? Number.NaN) + row.c;
    if (row.b !== (cursors.get(row.a) ?? 0) || row.c !== row.b + 1) {
      doubled++;
      problem(`the cursor of ${row.a} went from ${row.b} to ${row.c}`);
    }
    cursors.set(row.a, row.c);
    if (stored.has(id)) {
      doubled++;
      problem(`slice ${id} was stored again`);
    }
    stored.add(id);
    const slice = slices.get(id) ?? NO_SLICE;
    promised.events += slice.events;
    promised.gaps += slice.gaps;
    const left = new Map(slice.samples.map((sample) => [sample.key, sample.atMs]));
    for (const { key, atMs } of effects) {
      if (left.get(key) !== atMs || (newest.get(key) ?? 0) >= atMs) {
        doubled++;
        problem(`slice ${id} had an effect that is not of it: ${key} at ${atMs}`);
        continue;
      }
      left.delete(key);
      newest.set(key, atMs);
    }
    for (const [key, atMs] of left) {
      if ((newest.get(key) ?? 0) >= atMs) continue;
      lost++;
      problem(`slice ${id} is stored without ${key} at ${atMs}`);
    }
    for (const sample of slice.samples) settled.add(nameOf(sample));
    effects = [];
  }
  if (effects.length > 0) problem(`${effects.length} effects after the last step`);
  doubled += effects.length;

  const last = Math.max(...stored);
  for (const id of committed) {
    if (stored.has(id)) continue;
    if (id > last && waiting.has(id)) {
      for (const sample of slices.get(id)?.samples ?? []) settled.add(nameOf(sample));
      continue;
    }
    lost++;
    problem(`slice ${id} was committed and is not stored`);
  }
  for (const [what, there, wanted] of [
    ['events', events, promised.events],
    ['gaps', gaps.length, promised.gaps],
  ] as const) {
    lost += Math.max(0, wanted - there);
    doubled += Math.max(0, there - wanted);
    if (there !== wanted) problem(`${there} ${what} stored of ${wanted}`);
  }

  const restarts = gaps.filter(({ reason }) => reason === 'restart');
  let [uncommitted, uncommittedMost, undeclared] = [0, 0, 0];
  for (const [run, samples] of runs.entries()) {
    const first = samples.findIndex((sample) => !settled.has(nameOf(sample)));
    const tail = first < 0 ? [] : samples.slice(first);
    const holes = tail.filter((sample) => settled.has(nameOf(sample))).length;
    if (holes > 0) problem(`run ${run} lost samples before others that it kept`);
    lost += holes;
    uncommitted += tail.length;
    uncommittedMost = Math.max(uncommittedMost, tail.length);
    for (const sample of tail) {
      if (restarts.some(({ from_at, to_at }) => from_at <= sample.atMs && sample.atMs <= to_at)) continue;
      undeclared++;
      problem(`a sample of run ${run} at ${sample.atMs} is in no gap`);
    }
  }
  return {
    produced: runs.reduce((sum, samples) => sum + samples.length, 0),
    committed: [...committed].reduce((sum, id) => sum + (slices.get(id)?.samples.length ?? 0), 0),
    slices: stored.size,
    lost,
    doubled,
    uncommitted,
    uncommittedMost,
    undeclared,
    restartGaps: restarts.length,
    otherGaps: gaps.length - restarts.length,
    runs: runs.length,
    problems,
  };
}
