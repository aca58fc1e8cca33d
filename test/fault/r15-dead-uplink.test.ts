import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { createAgent } from '../../src/agent/agent.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { loopback } from '../support/loopback.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { makeDir } from '../unit/agent/outbox/farm-records.ts';
import { pause } from './agent-site.ts';
import { newCredentials } from './new-credentials.ts';
import { startProxy } from './proxy.ts';
import { isFull, report } from './table.ts';

const HOURS = isFull ? 24 : 2;
/** A third of the unit's watchdog: as often as the agent is asked. */
const FEED_MS = 30_000;
/**
 * The agent's time is virtual, its sockets and its disk are not: they get this much of ours before a standstill is
 * believed.
 */
const PATIENCE_MS = 10_000;

test('a day without a service is no ill health', { timeout: 280_000 }, async () => {
  const dir = makeDir({ isQuick: true });
  const { network } = loopback(28);
  const farm = await startFarm({ network, miners: 6, mix: 'all', seed: 5 });
  const silent = await startProxy({ host: '127.0.0.1', port: 1 });
  silent.set({ isBlackhole: true });
  const cutting = await startProxy({ host: '127.0.0.1', port: 1 });
  cutting.set({ isDown: true });
  const text = JSON.stringify({ stateDir: dir.path(''), networks: [network], scan: { every: '6h' } });
  const config = parseConfig(text, { baseDir: dir.path(''), environment: {}, name: 'hang' });
  const start = async (clock: Clock) => {
    const uplinks = [1, silent.port, cutting.port].map((port, index) => ({
      name: `service-${index}`,
      url: `http://127.0.0.1:${port}`,
      ...newCredentials(),
    }));
    const agent = createAgent({ config, uplinks, clock, log: silentLog });
    await agent.start();
    return agent;
  };
  const clock = createVirtualClock();
  let [asked, standstills, kept] = [0, 0, 0];
  try {
    // Finds its miners in our time.
    const before = await start(systemClock);
    await before.scan();
    expect(before.fleet.size).toBeGreaterThan(3);
    await before.stop();
    const agent = await start(clock);
    for (let atMs = 0; atMs < HOURS * 3_600_000; atMs += FEED_MS) {
      await clock.advance(FEED_MS);
      asked++;
      const endMs = performance.now() + PATIENCE_MS;
      while (agent.stalled() !== undefined && performance.now() < endMs) {
        await pause(20);
        await clock.settle();
      }
      const reason = agent.stalled();
      if (reason !== undefined) {
        standstills++;
        process.stdout.write(`R15: after ${atMs / 60_000} min: ${reason}\n`);
      }
    }
    let isStopped = false;
    const stopped = agent.stop().then(() => {
      isStopped = true;
    });
    while (!isStopped) {
      await pause(5);
      await clock.advance(100);
    }
    await stopped;
    const outbox = new DatabaseSync(dir.path('outbox.sqlite'), { readOnly: true });
    kept = Number(outbox.prepare('SELECT count(*) AS n FROM outbox_slices').get()?.n);
    outbox.close();
  } finally {
    await silent.stop();
    await cutting.stop();
    await farm.stop();
    dir.remove();
  }
  report({
    id: 'R15',
    value: `${HOURS} h (virtual) with three services refused, silent and cut off: asked ${asked} times, ${standstills} restarts wanted, ${kept} slices kept`,
    bar: 'a dead uplink for 24 h causes 0 restarts',
    isMet: standstills === 0 && kept > 60 * HOURS && asked === (HOURS * 3_600_000) / FEED_MS,
  });
});
