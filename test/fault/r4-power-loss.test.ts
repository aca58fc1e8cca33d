// What a power cut would leave: the calls of a process on the files of its outbox are recorded, and each prefix of them is played back with what had
// not been synced kept or dropped at random. Also what the storage has to bear per slice.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OUTBOX_FILE, openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { contents, makeDir } from '../unit/agent/outbox/farm-records.ts';
import { seeded } from './seeded.ts';
import { canTrace, trace } from './strace.ts';
import { isFull, report } from './table.ts';

const CHILD = join(import.meta.dirname, 'disk-child.ts');
const PREFIXES = isFull ? 1_000 : 40;
/** Start, epoch, end, and a log that begins anew. */
const STARTS = 12;
const SLICES = isFull ? 60 : 10;

type Step =
  | { readonly kind: 'write'; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'cut'; readonly file: string; readonly length: number }
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'promise'; readonly outcome: number };

const unhex = (text: string) => Buffer.from(text.replaceAll('\\x', ''), 'hex');

function readTrace(text: string): Step[] {
  return text.split('\n').flatMap((line): Step[] => {
    const write = /pwrite64\(\d+<([^>]*)>, "([^"]*)", \d+, (\d+)\) = \d/.exec(line);
    if (write !== null)
      return [{ kind: 'write', file: nameOf(write[1]), at: Number(write[3]), bytes: unhex(write[2] ?? '') }];
    const cut = /ftruncate\(\d+<([^>]*)>, (\d+)\) = 0/.exec(line);
    if (cut !== null) return [{ kind: 'cut', file: nameOf(cut[1]), length: Number(cut[2]) }];
    const sync = /(?:fsync|fdatasync)\(\d+<([^>]*)>\) = 0/.exec(line);
    if (sync !== null) return [{ kind: 'sync', file: nameOf(sync[1]) }];
    const said = /\bwrite\(1<[^>]*>, "([^"]*)"/.exec(line);
    const outcome = /^committed \d+ (\d+)/.exec(said === null ? '' : unhex(said[1] ?? '').toString())?.[1];
    return outcome === undefined ? [] : [{ kind: 'promise', outcome: Number(outcome) }];
  });
}

/** strace prints names as bytes, too. */
const nameOf = (text = '') => {
  const path = text.startsWith('\\x') ? unhex(text).toString() : text;
  return path.slice(path.lastIndexOf('/') + 1);
};

const DURABLE = [OUTBOX_FILE, `${OUTBOX_FILE}-wal`];

function apply(files: Map<string, Buffer>, step: Step): void {
  if (step.kind === 'write') {
    const before = files.get(step.file) ?? Buffer.alloc(0);
    const after = Buffer.alloc(Math.max(before.length, step.at + step.bytes.length));
    before.copy(after);
    step.bytes.copy(after, step.at);
    files.set(step.file, after);
  } else if (step.kind === 'cut') {
    files.set(step.file, Buffer.from((files.get(step.file) ?? Buffer.alloc(0)).subarray(0, step.length)));
  }
}

async function record(folder: string, args: readonly string[]): Promise<Step[]> {
  mkdirSync(folder);
  const log = `${folder}.trace`;
  const options = ['-y', '-xx', '-s', '2000000', '-e', 'trace=pwrite64,ftruncate,fsync,fdatasync,write', '-o', log];
  await trace(options, [CHILD, folder, ...args]);
  return readTrace(readFileSync(log, 'utf8'));
}

test.runIf(canTrace)('a power cut at any moment loses nothing that was promised', async () => {
  const seed = Number(process.env.PITHEAD_SEED ?? 20_261_121);
  const random = seeded(seed);
  const dir = makeDir({ isQuick: true });
  let unsynced = 0;
  let promises = 0;
  const problems: string[] = [];
  try {
    const steps = await record(dir.path('recorded'), [String(SLICES), '5']);
    let isPending = false;
    for (const step of steps) {
      if (step.kind === 'write' && step.file === DURABLE[1]) isPending = true;
      else if (step.kind === 'sync' && step.file === DURABLE[1]) isPending = false;
      else if (step.kind === 'promise') {
        promises++;
        if (isPending) unsynced++;
      }
    }
    const first = steps.findIndex((step) => step.kind === 'promise');
    for (let trial = 0; trial < PREFIXES; trial++) {
      const end = first + Math.floor(random() * (steps.length - first));
      const prefix = steps.slice(0, end + 1);
      const files = new Map<string, Buffer>();
      for (const [index, step] of prefix.entries()) {
        if (step.kind !== 'write' && step.kind !== 'cut') continue;
        const isSynced = prefix.some((later, at) => at > index && later.kind === 'sync' && later.file === step.file);
        if (isSynced || random() < 0.5) apply(files, step);
      }
      const folder = dir.path(`trial-${trial}`);
      mkdirSync(folder);
      for (const name of DURABLE) {
        const bytes = files.get(name);
        if (bytes !== undefined) writeFileSync(join(folder, name), bytes);
      }
      const outbox = openOutbox(folder, { clock: systemClock, log: silentLog, newEpoch: randomUUID });
      outbox.setUplinks(['farm']);
      const has = new Set(contents(outbox.read('farm', { maxSlices: 1_000, maxBytes: 1e9 })).tasks);
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

test.runIf(canTrace)('storage bears little more than what is stored', async () => {
  const dir = makeDir({ isQuick: true });
  const slices = isFull ? 120 : 12;
  try {
    const steps = await record(dir.path('recorded'), [String(slices), '249', 'acknowledge']);
    const written = steps.reduce(
      (sum, step) => sum + (step.kind === 'write' && DURABLE.includes(step.file) ? step.bytes.length : 0),
      0,
    );
    const logSyncs = steps.filter((step) => step.kind === 'sync' && step.file === DURABLE[1]).length;
    const samples = slices * 249;
    report({
      id: 'R27',
      value: `${Math.round(written / samples)} B written per sample, ${(logSyncs / slices).toFixed(2)} syncs of the log per slice of 250`,
      bar: '≤ 3 × payload of 429 B, ≤ 1 sync of the log per slice',
      isMet: written > 0 && written / samples <= 3 * 429 && logSyncs <= slices,
      known: 'each tenth slice begins a new log, which costs one sync more',
    });
    expect(written / samples).toBeLessThanOrEqual(3 * 429);
    expect(logSyncs).toBeLessThanOrEqual(1.2 * slices + STARTS);
  } finally {
    dir.remove();
  }
});
