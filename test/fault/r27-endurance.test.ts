// What the storage has to bear: bytes and syncs of a long run in which the service follows, at the rhythm of a large
// farm and of a small one.
import { expect, test } from 'vitest';
import { makeDir, sample } from '../unit/agent/outbox/farm-records.ts';
import { DURABLE, LOG_FILE, record, type Step } from './recorded-writes.ts';
import { canTrace } from './strace.ts';
import { isFull, report } from './table.ts';

/** Of a sample as it is handed over. */
const PAYLOAD_BYTES = Buffer.byteLength(JSON.stringify(sample(1_000, 0)));
/** Beside it a slice holds the outcome of a task. */
const RHYTHMS = [
  { samples: 249, slices: isFull ? 300 : 12, what: 'full slices' },
  { samples: 16, slices: isFull ? 600 : 24, what: '1,000 miners each 60 s' },
] as const;

/** Of the log, after which SQLite moves it into the database. */
const CHECKPOINT_BYTES = 8 * 2 ** 20;
/** Of the log, before its first page. */
const HEAD_BYTES = 32;

/**
 * The syncs that keep a slice, slice by slice, and apart from them those of checkpoints: the log before it is moved,
 * the database after it, and the head of the log that begins anew. A checkpoint comes with so many bytes, whatever
 * number of slices they hold.
 */
function syncsOf(steps: readonly Step[]) {
  const perSlice: number[] = [];
  let [ofSlice, ofCheckpoints, checkpoints, logBytes] = [0, 0, 0, 0];
  /** Written to the log since its last sync. */
  let unsynced: 'nothing' | 'head' | 'pages' = 'nothing';
  for (const step of steps) {
    if (step.kind === 'promise' && step !== steps[0]) {
      perSlice.push(ofSlice);
      ofSlice = 0;
    }
    if (step.kind === 'write' && step.file === LOG_FILE) {
      logBytes += step.bytes.length;
      unsynced = step.at === 0 && step.bytes.length === HEAD_BYTES && unsynced === 'nothing' ? 'head' : 'pages';
    }
    if (step.kind !== 'sync' || !DURABLE.includes(step.file)) continue;
    if (step.file !== LOG_FILE) checkpoints++;
    if (step.file === LOG_FILE && unsynced === 'pages') ofSlice++;
    else ofCheckpoints++;
    if (step.file === LOG_FILE) unsynced = 'nothing';
  }
  return { perSlice: [...perSlice, ofSlice], ofCheckpoints, checkpoints, logBytes };
}

test.runIf(canTrace).for(RHYTHMS)('storage bears little more than what is stored: $what', async (rhythm) => {
  const dir = makeDir({ isQuick: true });
  const { slices, what } = rhythm;
  try {
    const steps = await record(dir.path('recorded'), [String(slices), String(rhythm.samples), 'acknowledge']);
    const written = steps.reduce(
      (sum, step) => sum + (step.kind === 'write' && DURABLE.includes(step.file) ? step.bytes.length : 0),
      0,
    );
    // From the first slice that was promised to the last: start and end have their own syncs, once in the life of a
    // process.
    const first = steps.findIndex(({ kind }) => kind === 'promise');
    const running = steps.slice(
      first,
      steps.findLastIndex(({ kind }) => kind === 'promise'),
    );
    const { perSlice, ofCheckpoints, checkpoints, logBytes } = syncsOf(running);
    const perSample = written / (slices * rhythm.samples);
    const most = Math.max(...perSlice);
    const mostCheckpoints = 1 + Math.floor(logBytes / CHECKPOINT_BYTES);
    expect(perSlice).toHaveLength(slices - 1);
    report({
      id: 'R27',
      value: `${what}: ${Math.round(perSample)} B written per sample, ${Math.round(written / slices / 1_024)} KiB per slice; of ${perSlice.length} slices none with more than ${most} syncs; ${ofCheckpoints} syncs of ${checkpoints} checkpoints in ${(logBytes / 2 ** 20).toFixed(1)} MiB of log`,
      bar: `≤ 3 × payload of ${PAYLOAD_BYTES} B, ≤ 1 sync in each slice, ≤ 3 per checkpoint, one of these per 8 MiB`,
      isMet:
        written > 0 &&
        perSample <= 3 * PAYLOAD_BYTES &&
        most === 1 &&
        ofCheckpoints <= 3 * mostCheckpoints &&
        checkpoints <= mostCheckpoints,
    });
  } finally {
    dir.remove();
  }
});
