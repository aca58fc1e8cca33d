// The outbox on a disk of which single calls fail: failing-cases.ts.
import { randomUUID } from 'node:crypto';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { contents, readOldest } from '../unit/agent/outbox/farm-records.ts';
import { runCases } from './failing-cases.ts';
import { runOutboxCycle } from './outbox-cycle.ts';

const SLICES = 4;
const PER_SLICE = 3;

/** What is wrong with the account; empty when all is well. */
async function judge(folder: string, said: readonly string[]): Promise<string[]> {
  const unshown = said.filter((line) => line.startsWith('bad '));
  if (unshown.length > 0) return unshown;
  const produced = said.filter((line) => line.startsWith('produced')).length * PER_SLICE;
  const outcomes = said.flatMap((line) => /^committed \d+ (\d+)$/.exec(line)?.[1] ?? []).map(Number);
  const outbox = openOutbox(folder, { clock: systemClock, log: silentLog, newEpoch: randomUUID });
  await outbox.setUplinks(['farm']);
  await outbox.flush();
  const { samples, tasks, gaps } = contents(await readOldest(outbox, 'farm', { maxSlices: 1_000, maxBytes: 1e9 }));
  await outbox.close();
  if (new Set(samples).size !== samples.length) return ['doubled'];
  const isDeclared = gaps.some(({ count }) => count === null);
  const declared = gaps.reduce((sum, { count }) => sum + (count ?? 0), 0);
  if (!isDeclared && samples.length + declared < produced) return [`${samples.length} + ${declared} of ${produced}`];
  const lost = outcomes.filter((number) => !tasks.includes(number));
  return lost.length > 0 && !isDeclared ? [`promised and gone: ${lost.join()}`] : [];
}

await runCases({
  run: (folder, say) => runOutboxCycle({ folder, slices: SLICES, perSlice: PER_SLICE, say }),
  judge,
});
