// What the storage has to bear: bytes and syncs of a long run in which the service follows, at the rhythm of a large
// farm and of a small one.
import { test } from 'vitest';
import { makeDir, sample } from '../unit/agent/outbox/farm-records.ts';
import { DURABLE, record } from './recorded-writes.ts';
import { canTrace } from './strace.ts';
import { isFull, report } from './table.ts';

/** Of a sample as it is handed over. */
const PAYLOAD_BYTES = Buffer.byteLength(JSON.stringify(sample(1_000, 0)));
/** Beside it a slice holds the outcome of a task. */
const RHYTHMS = [
  { samples: 249, slices: isFull ? 300 : 12, what: 'full slices' },
  { samples: 16, slices: isFull ? 600 : 24, what: '1,000 miners each 60 s' },
] as const;

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
    const syncs = running.filter((step) => step.kind === 'sync' && DURABLE.includes(step.file)).length;
    const perSample = written / (slices * rhythm.samples);
    const perSlice = syncs / (slices - 1);
    report({
      id: 'R27',
      value: `${what}: ${Math.round(perSample)} B written per sample, ${perSlice.toFixed(3)} syncs per slice, ${Math.round(written / slices / 1_024)} KiB per slice`,
      bar: `≤ 3 × payload of ${PAYLOAD_BYTES} B, ≤ 1 sync per slice`,
      isMet: written > 0 && perSample <= 3 * PAYLOAD_BYTES && perSlice <= 1,
      ...(written > 0 &&
        perSample <= 3 * PAYLOAD_BYTES &&
        perSlice <= 1.02 && {
          known: 'SQLite syncs the log, the file and the head of the new log once per 8 MiB of log',
        }),
    });
  } finally {
    dir.remove();
  }
});
