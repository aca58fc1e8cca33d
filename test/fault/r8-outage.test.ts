// Six hours without a service, on a virtual clock; then a service on a database in a file takes it all, while new
// samples go on coming and another agent reports. What stores and sends is a process of its own, and so is the service:
// the agent's memory is measured, not theirs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { test } from 'vitest';
import { z } from 'zod';
import { makeDir } from '../unit/agent/outbox/farm-records.ts';
import { startOutageSite } from './outage-site.ts';
import { isFull, isWhole, isWithin, report } from './table.ts';

const MINERS = isWhole ? 10_000 : isFull ? 1_000 : 250;
const CYCLES = isFull ? 360 : 20;
const CYCLE_MS = 60_000;
/** How often it is looked whether what is new is stored. */
const LOOK_MS = 200;

const lineSchema = z.object({
  what: z.enum(['calm', 'away', 'live', 'back', 'drained', 'closed']),
  produced: z.number(),
  rssMb: z.number(),
  bytes: z.number().optional(),
  slices: z.number().optional(),
  number: z.number().optional(),
  drainedMs: z.number().optional(),
  ofOutage: z.number().optional(),
  expected: z.object({ samples: z.number(), numbers: z.number(), newest: z.number(), slices: z.number() }).optional(),
});

test('an outage of hours: all of it arrives, and what is new is not kept waiting', async () => {
  const dir = makeDir({ isQuick: true });
  const site = await startOutageSite(MINERS, CYCLES * CYCLE_MS);
  const { agentId, token } = site.identity;
  const child = spawn(
    process.execPath,
    [
      '--max-semi-space-size=4',
      join(import.meta.dirname, 'outage-child.ts'),
      ...[dir.path(''), site.url, agentId, token],
      ...[MINERS, CYCLES].map(String),
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
  let expected: z.output<typeof lineSchema>['expected'];
  let newest = 0;
  let newestWhenDrained = 0;
  let worstLagMs = 0;
  const sentAt = new Map<number, number>();
  const look = () => {
    newest = Math.max(newest, site.newestNumber());
    for (const [number, at] of sentAt) {
      if (number <= newest) sentAt.delete(number);
      worstLagMs = Math.max(worstLagMs, performance.now() - at);
    }
  };
  let looking: NodeJS.Timeout | undefined;
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      const line = lineSchema.parse(JSON.parse(text));
      if (line.what === 'calm') {
        calmMb = line.rssMb;
        await site.kill();
        child.stdin.write('go on\n');
      } else if (line.what === 'away') {
        mostAwayMb = Math.max(mostAwayMb, line.rssMb);
        if (line.bytes === undefined) continue;
        bytes = line.bytes;
        slices = line.slices ?? Number.NaN;
        await site.startAgain();
        child.stdin.write('go on\n');
        looking = setInterval(look, LOOK_MS);
        await site.startNeighbour();
      } else {
        mostBackMb = Math.max(mostBackMb, line.rssMb);
        if (line.number !== undefined) sentAt.set(line.number, performance.now());
        if (line.what === 'drained') newestWhenDrained = newest;
        drainedMs = line.drainedMs ?? drainedMs;
        ofOutage = line.ofOutage ?? ofOutage;
        expected = line.expected ?? expected;
      }
    }
    await ended;
    look();
    const stored = site.stored();
    const perSample = bytes / (MINERS * CYCLES);
    const isExact = isDeepStrictEqual(stored, { ...expected, miners: MINERS, inOrder: expected?.slices, gaps: 0 });
    const perS = (MINERS * CYCLES * 1_000) / drainedMs;
    report({
      id: 'R8',
      value: `${stored.samples} of ${expected?.samples} in the history of the service (${ofOutage} when the outage ended), ${stored.slices - stored.inOrder} of ${stored.slices} slices doubled, ${stored.gaps} gaps; drained in ${(drainedMs / 1_000).toFixed(1)} s (${perS.toFixed(0)} a second), new ones at most ${(worstLagMs / 1_000).toFixed(1)} s late; ${(bytes / 1e6).toFixed(1)} MB on disk in ${slices} slices, ${perSample.toFixed(0)} B per sample${isExact ? '' : `; ${JSON.stringify({ stored, expected })}`}`,
      bar: 'all delivered; ≤ 5 min on loopback; lag ≤ 2 cycles; disk ≤ 400 MB at 10,000 miners: 111 B per sample',
      isMet:
        child.exitCode === 0 &&
        isExact &&
        (newestWhenDrained > ofOutage || !isFull) &&
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
    clearInterval(looking);
    child.kill('SIGKILL');
    dir.remove();
  }
});
