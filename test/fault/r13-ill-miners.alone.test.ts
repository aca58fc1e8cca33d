// Half of a farm never ends an answer: the agent polls the others as often as before.
import { test } from 'vitest';
import { pause } from './agent-site.ts';
import { DEADLINE_MS, gapsOf, most, startIllFarm } from './ill-farm.ts';
import { isFull, report } from './table.ts';

const p99 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Infinity;

test.runIf(isFull)('half of the farm never ends an answer, and the cycle of the others is what it was', async () => {
  const miners = 1_000;
  const intervalMs = 8_000;
  // Each of 500 miners has one or two gaps in it.
  const cycles = 2.5;
  const overdueMs = intervalMs * 1.1;
  const site = await startIllFarm({ prefix: 21, miners, intervalMs });
  try {
    await site.agent.untilKnown(miners);
    await pause(intervalMs);
    const calmFromMs = Date.now();
    await pause(cycles * intervalMs);
    const manners = ['silent', 'drip', 'half'];
    const sick = site.ips.filter((_, index) => index % 2 === 1);
    const calmToMs = Date.now();
    await site.fall(new Map(sick.map((ip, index) => [ip, manners[index % manners.length] ?? 'silent'])));
    const illFromMs = Date.now();
    await pause(cycles * intervalMs);
    const illToMs = Date.now();
    const records = await site.agent.end();
    const connections = await site.connections();
    const isSick = new Set(sick);
    const isHealthy = new Set(site.ips.filter((ip) => !isSick.has(ip) && !site.isLocked.has(ip)));
    const healthy = records.filter(({ document }) => isHealthy.has(document.ip));
    const calmGaps = gapsOf(healthy, calmFromMs, calmToMs, overdueMs);
    const illGaps = gapsOf(healthy, illFromMs, illToMs, overdueMs);
    const [calmMs, illMs] = [p99(calmGaps), p99(illGaps)];
    const lives = connections.flatMap(({ lifeMs }) => lifeMs ?? []);
    const polled = new Set(healthy.filter(({ at }) => Date.parse(at) > illFromMs).map(({ key }) => key)).size;
    const rssMb = (fromMs: number, toMs: number) =>
      most(site.agent.tellings.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).map((telling) => telling.rssMb));
    report({
      id: 'R13',
      value: `real sockets, ${sick.length} of ${miners} drip, stop half-way or say nothing: cycle p99 of the others ${Math.round(calmMs)} -> ${Math.round(illMs)} ms of ${calmGaps.length} and ${illGaps.length}, ${polled} of ${isHealthy.size} polled; longest of ${lives.length} exchanges ${Math.round(most(lives))} ms of ${DEADLINE_MS}; RSS at most ${Math.round(rssMb(calmFromMs, calmToMs))} -> ${Math.round(rssMb(illFromMs, illToMs))} MiB`,
      bar: 'p99 + <= 10 %, <= deadline + 250 ms',
      isMet:
        illMs <= calmMs * 1.1 &&
        most(lives) <= DEADLINE_MS + 250 &&
        lives.length > sick.length &&
        polled === isHealthy.size,
    });
  } finally {
    await site.stop();
  }
});
