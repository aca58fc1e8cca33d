// Six hours without a service, on a virtual clock; then a small service takes it all over a real socket, while new
// samples go on coming. What stores and sends is a process of its own: its memory is measured, not that of the
// simulated service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'vitest';
import { z } from 'zod';
import { makeDir } from '../unit/agent/outbox/farm-records.ts';
import { startService } from '../unit/agent/uplink/tiny-service.ts';
import { isFull, isWhole, isWithin, report } from './table.ts';

const MINERS = isWhole ? 10_000 : isFull ? 1_000 : 250;
const CYCLES = isFull ? 360 : 20;
const LIVE_EVERY_MS = isFull ? 250 : 20;

const lineSchema = z.object({
  what: z.enum(['calm', 'away', 'live', 'back', 'drained', 'closed']),
  produced: z.number(),
  rssMb: z.number(),
  bytes: z.number().optional(),
  slices: z.number().optional(),
  number: z.number().optional(),
  drainedMs: z.number().optional(),
  ofOutage: z.number().optional(),
});

test('an outage of hours: all of it arrives, and what is new is not kept waiting', async () => {
  const dir = makeDir({ isQuick: true });
  const service = await startService();
  const child = spawn(
    process.execPath,
    [
      '--max-semi-space-size=4',
      join(import.meta.dirname, 'outage-child.ts'),
      dir.path(''),
      service.url,
      ...[MINERS, CYCLES, LIVE_EVERY_MS].map(String),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  let calmMb = 0;
  let mostAwayMb = 0;
  let mostBackMb = 0;
  let bytes = Number.NaN;
  let slices = Number.NaN;
  let drainedMs = Number.NaN;
  let ofOutage = 0;
  let produced = 0;
  let newest = 0;
  let worstLagMs = 0;
  const sentAt = new Map<number, number>();
  service.behaviour.onSamples = (numbers) => {
    for (const number of numbers) {
      const at = sentAt.get(number);
      if (at === undefined) continue;
      sentAt.delete(number);
      worstLagMs = Math.max(worstLagMs, performance.now() - at);
      newest = Math.max(newest, number);
    }
  };
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      const line = lineSchema.parse(JSON.parse(text));
      produced = line.produced;
      if (line.what === 'calm') {
        calmMb = line.rssMb;
        service.behaviour.refuse = 503;
        service.cut();
        child.stdin.write('go on\n');
      } else if (line.what === 'away') {
        mostAwayMb = Math.max(mostAwayMb, line.rssMb);
        if (line.bytes === undefined) continue;
        bytes = line.bytes;
        slices = line.slices ?? Number.NaN;
        service.behaviour.refuse = undefined;
        child.stdin.write('go on\n');
      } else {
        mostBackMb = Math.max(mostBackMb, line.rssMb);
        if (line.number !== undefined) sentAt.set(line.number, performance.now());
        drainedMs = line.drainedMs ?? drainedMs;
        ofOutage = line.ofOutage ?? ofOutage;
      }
    }
    await ended;
    for (const at of sentAt.values()) worstLagMs = Math.max(worstLagMs, performance.now() - at);
    const all = service.samples();
    const delivered = new Set(all).size;
    const perSample = bytes / (MINERS * CYCLES);
    report({
      id: 'R8',
      value: `${delivered} of ${produced} delivered (${ofOutage} when it ended), ${all.length - delivered} doubled; drained in ${(drainedMs / 1_000).toFixed(1)} s, new ones at most ${(worstLagMs / 1_000).toFixed(1)} s late; ${(bytes / 1e6).toFixed(1)} MB on disk in ${slices} slices, ${perSample.toFixed(0)} B per sample`,
      bar: 'all delivered; ≤ 5 min on loopback; lag ≤ 2 cycles; disk ≤ 400 MB at 10,000 miners: 111 B per sample',
      isMet:
        child.exitCode === 0 &&
        delivered === produced &&
        all.length === delivered &&
        (newest > ofOutage || !isFull) &&
        isWithin(drainedMs, 300_000) &&
        isWithin(worstLagMs, 120_000) &&
        (perSample <= 400e6 / 3.6e6 || !isFull),
    });
    report({
      id: 'R8',
      value: `RSS of the process ${calmMb.toFixed(0)} MiB before, at most ${mostAwayMb.toFixed(0)} in the outage and ${mostBackMb.toFixed(0)} after it`,
      bar: '≤ 50 MiB more',
      isMet: Math.max(mostAwayMb, mostBackMb) - calmMb <= 50,
    });
  } finally {
    child.kill('SIGKILL');
    await service.stop();
    dir.remove();
  }
});
