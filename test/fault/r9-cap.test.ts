import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { silentLog } from '../../src/base/log.ts';
import type { MinerRecord } from '../../src/wire/records.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { contents, makeDir, outcome, readOldest, sample } from '../unit/agent/outbox/farm-records.ts';
import { isFull, report } from './table.ts';

const MINERS = isFull ? 1_000 : 100;
const CYCLES = isFull ? 360 : 60;
const MAX_BYTES = MINERS * (isFull ? 1_500 : 500);

const keyOf = (miner: number) => `0198a7a2-0000-7000-8000-${String(miner).padStart(12, '0')}`;

test('an outage past the cap: what matters most is all there, the newest samples are, and the account is exact', async () => {
  const dir = makeDir({ isQuick: true });
  const clock = createVirtualClock();
  try {
    const outbox = openOutbox(dir.path(''), {
      clock,
      log: silentLog,
      newEpoch: randomUUID,
      settings: { maxBytes: MAX_BYTES },
    });
    await outbox.setUplinks(['farm']);
    let produced = 0;
    const edges: number[] = [];
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      for (let miner = 0; miner < MINERS; miner++) {
        const number = ++produced;
        const record = sample(number, clock.nowMs());
        // Each miner changes its flags twice in the whole time, each at its own moment.
        const isFlagged = (cycle + miner) % CYCLES < 30;
        if (cycle === 0 || isFlagged !== (cycle - 1 + miner) % CYCLES < 30) edges.push(number);
        const made: MinerRecord = {
          ...record,
          key: keyOf(miner),
          document: { ...record.document, anomaly_flags: isFlagged ? 1 : 0 },
        };
        outbox.offer(made);
      }
      await outbox.append([outcome(cycle + 1, clock.nowMs())]);
      await outbox.flush();
      await clock.advance(60_000);
    }
    const { bytes } = outbox.state();
    const { samples, tasks, gaps } = contents(await readOldest(outbox, 'farm', { maxSlices: 1e6, maxBytes: 1e12 }));
    const declared = gaps.reduce((sum, { count }) => sum + (count ?? Number.NaN), 0);
    const stored = new Set(samples);
    const edgesKept = edges.filter((number) => stored.has(number)).length;
    const newestKept = samples.at(-1) === produced;
    await outbox.close();
    report({
      id: 'R9',
      value: `${produced} samples, ${samples.length} stored + ${declared} declared; ${tasks.length} of ${CYCLES} outcomes, ${edgesKept} of ${edges.length} edges; ${(bytes / 1e6).toFixed(2)} of ${MAX_BYTES / 1e6} MB`,
      bar: 'stored + gaps = produced, priority 100 %, newest kept',
      isMet:
        samples.length + declared === produced &&
        tasks.length === CYCLES &&
        edgesKept === edges.length &&
        newestKept &&
        samples.length < produced &&
        bytes <= MAX_BYTES,
    });
  } finally {
    dir.remove();
  }
});
