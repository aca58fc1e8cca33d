// The agent as a process while its wall clock is set and while it is suspended: when its miners are asked is seen by
// the miners themselves.
import { expect, test } from 'vitest';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { loopback } from '../support/loopback.ts';
import { pause } from './agent-site.ts';
import { startLoneAgent } from './lone-agent.ts';
import { isFull, report } from './table.ts';

const MINERS = 40;
const INTERVAL_MS = 2_000;
const HOUR = 3_600_000;
const STEPS = [1_000, -1_000, HOUR, -HOUR, 24 * HOUR, -24 * HOUR];
const SUSPENDED_MS = 7_000;
/** Questions of one visit follow each other faster than this. */
const VISIT_MS = 600;

test.runIf(isFull)('steps of the wall clock and a suspend: one poll per miner and interval, in order', async () => {
  const { network } = loopback(26);
  const portMap = await suitablePortMap();
  const farm = await startFarm({ network, miners: MINERS, mix: 'all', seed: 20, portMap });
  const config = { networks: [network], portMap, poll: { interval: `${INTERVAL_MS}ms` } };
  const agent = startLoneAgent({ ...config, credentials: { trust: 'network' } }, { farm });
  const polls = farm.devices.map((): number[] => []);
  const requests = farm.devices.map(() => Number.POSITIVE_INFINITY);
  const lastMs = farm.devices.map(() => Number.NEGATIVE_INFINITY);
  const look = () => {
    const nowMs = performance.now();
    for (const [index, device] of farm.devices.entries()) {
      if (device.requests > (requests[index] ?? 0)) {
        if (nowMs - (lastMs[index] ?? 0) > VISIT_MS) polls[index]?.push(nowMs);
        lastMs[index] = nowMs;
      }
      requests[index] = device.requests;
    }
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    await agent.untilKnown(MINERS);
    await pause(4 * INTERVAL_MS);
    timer = setInterval(look, 10);
    await pause(3 * INTERVAL_MS);
    for (const step of STEPS) {
      agent.stepWall(step);
      await pause(2.5 * INTERVAL_MS);
    }
    const stoppedMs = performance.now();
    agent.signal('SIGSTOP');
    await pause(SUSPENDED_MS);
    agent.signal('SIGCONT');
    const resumedMs = performance.now();
    await pause(4 * INTERVAL_MS);
    clearInterval(timer);
    expect(agent.hasEnded).toBe(false);
    const records = await agent.end();

    const gaps = polls.flatMap((times) =>
      times.slice(1).map((atMs, index) => ({ atMs, ms: atMs - (times[index] ?? 0) })),
    );
    const shortestMs = Math.min(...gaps.map(({ ms }) => ms));
    const longestMs = Math.max(...gaps.filter(({ atMs }) => atMs < stoppedMs).map(({ ms }) => ms));
    const resumed = polls.map(
      (times) => times.filter((atMs) => atMs > resumedMs && atMs < resumedMs + INTERVAL_MS).length,
    );
    const mostResumed = Math.max(...resumed);
    const uptimes = new Map<string, number>();
    let backwards = 0;
    for (const { key, document } of records) {
      const { uptime } = document;
      if (uptime === null) continue;
      if (uptime < 0 || uptime < (uptimes.get(key) ?? 0) - 1) backwards++;
      uptimes.set(key, uptime);
    }
    const flags = new Map<string, Set<number>>();
    for (const { key, document } of records.slice(MINERS)) {
      const seen = flags.get(key) ?? new Set();
      flags.set(key, seen.add(document.anomaly_flags));
    }
    const moved = [...flags.values()].filter(({ size }) => size > 1).length;
    report({
      id: 'R20',
      value: `real process, ${STEPS.length} steps up to a day, suspended for ${SUSPENDED_MS / 1_000} s: polls of a miner ${(shortestMs / 1_000).toFixed(1)} to ${(longestMs / 1_000).toFixed(1)} s apart (interval ${INTERVAL_MS / 1_000} s), at most ${mostResumed} in the interval after it went on; ${records.length} samples, ${backwards} out of order, flags of ${moved} miners moved`,
      bar: 'no burst > 1 poll per miner, order kept, no negative duration',
      isMet:
        shortestMs >= INTERVAL_MS / 2 - 100 &&
        longestMs <= 2 * INTERVAL_MS &&
        mostResumed <= 2 &&
        backwards === 0 &&
        moved === 0 &&
        gaps.length > MINERS * 10,
    });
  } finally {
    clearInterval(timer);
    agent.remove();
    await farm.stop();
  }
});
