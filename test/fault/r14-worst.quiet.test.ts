// Some miners of a farm give the worst answers that we know: the agent goes on with the others.
import { test } from 'vitest';
import { pause } from './agent-site.ts';
import { gapsOf, most, startIllFarm } from './ill-farm.ts';
import { isFull, report } from './table.ts';

test.runIf(isFull)('the worst answers that we know do not keep the agent from the other miners', async () => {
  const miners = 60;
  const intervalMs = 2_000;
  const site = await startIllFarm({ prefix: 25, miners, intervalMs });
  try {
    await site.agent.untilKnown(miners);
    await pause(3 * intervalMs);
    const calmToMs = Date.now();
    const sick = site.ips.filter((ip) => !site.isLocked.has(ip)).filter((_, index) => index % 10 === 3);
    await site.fall(new Map(sick.map((ip, index) => [ip, index % 2 === 0 ? 'poison' : 'flood'])));
    const illFromMs = Date.now();
    await pause(24_000);
    const illToMs = Date.now();
    const { tellings } = site.agent;
    const delay = (isIll: boolean) =>
      most(
        tellings
          .filter(({ atMs }) => (isIll ? atMs > illFromMs : atMs < calmToMs && atMs > calmToMs - 3 * intervalMs))
          .map(({ delayMs }) => delayMs),
      );
    const [calmMb, illMb] = [
      tellings.findLast(({ atMs }) => atMs < calmToMs)?.rssMb ?? Number.NaN,
      most(tellings.filter(({ atMs }) => atMs > illFromMs).map(({ rssMb }) => rssMb)),
    ];
    const records = await site.agent.end();
    const connections = await site.connections();
    const isSick = new Set(sick);
    const longestMs = most(
      gapsOf(
        records.filter(({ document }) => !isSick.has(document.ip) && !site.isLocked.has(document.ip)),
        illFromMs,
        illToMs,
      ),
    );
    // Some families read enough in one of the answers, until the next.
    const failed = records.filter(({ at, document }) => Date.parse(at) > illFromMs && !document.last_check_succeed);
    const visible = sick.filter((ip) => failed.some(({ document }) => document.ip === ip));
    // Several connections belong to one visit.
    const visits = sick.map((ip) => {
      const times = connections.filter((connection) => connection.ip === ip).map(({ atMs }) => atMs);
      return times.filter((atMs, index) => atMs - (times[index - 1] ?? 0) > intervalMs).length;
    });
    report({
      id: 'R14',
      value: `real sockets, ${sick.length} of ${miners} answer with the worst: the others at most ${(longestMs / 1_000).toFixed(1)} s apart (interval ${intervalMs / 1_000} s); ${visible.length} reported as failed, visited ${visits.join(', ')} times in 24 s instead of 12; loop blocked at most ${Math.round(delay(false))} -> ${Math.round(delay(true))} ms, RSS ${Math.round(calmMb)} -> ${Math.round(illMb)} MiB`,
      bar: 'others <= 1 cycle, growing pause, visible',
      isMet:
        longestMs <= 2 * intervalMs && visible.length === sick.length && most(visits) <= 10 && illMb - calmMb <= 100,
    });
  } finally {
    await site.stop();
  }
});
