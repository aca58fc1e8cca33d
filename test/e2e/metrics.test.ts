// Figures for Prometheus at a listener of their own: in one process those of agent, service and process stand on one
// page, each name once.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startSite } from './site.ts';
import { untilSoon } from './until.ts';

/** Nothing listens there now. */
async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  await new Promise((resolve) => holder.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('the figures of a farm are read at the configured port, without a key', async () => {
  const port = await freePort();
  const site = await startSite({ miners: 3, mix: 'antminer-c' }, { metrics: { port } });
  const page = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  let hasStopped = false;
  onTestFinished(() => (hasStopped ? undefined : site.stop()));
  const text = await untilSoon(page, (shown) => shown.includes('pithead_agent_miners{state="answering"} 3'));
  expect(text).toContain('pithead_agents_connected 1');
  expect(text).toContain('pithead_agent_uplink_connected{uplink="embedded"} 1');
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  const named = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(new Set(named).size).toBe(named.length);
  hasStopped = true;
  await site.stop();
  await expect(page()).rejects.toThrow();
});
