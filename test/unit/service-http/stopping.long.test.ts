// Stopping in order: load balancers are told first, requests under way are answered, agents are let go, and it ends in
// time whatever clients do.
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { halfRequest } from './half-request.ts';
import { minerRecord } from './records.ts';
import { startOwnedRig, steppedClock } from './rig.ts';
import { connect } from './wire-agent.ts';

/** Far from the nine seconds that it may take, which a busy machine draws out: without an end it would be for ever. */
const IN_TIME_MS = 40_000;

test('first not ready, then what is under way is answered, and nothing after it', async () => {
  const { rig, stop } = await startOwnedRig();
  const dispatcher = new Agent({ connections: 1 });
  const ready = async () => {
    const { statusCode, body } = await request(`${rig.url}/readyz`, { dispatcher });
    return { statusCode, body: await body.json() };
  };
  expect(await ready()).toEqual({ statusCode: 200, body: { status: 'ok' } });
  const agent = await connect(rig);
  const half = await halfRequest(rig);
  const stopped = rig.service.stop();
  expect(await ready()).toMatchObject({ statusCode: 503, body: { statusCode: 503, error: 'Service Unavailable' } });
  const text = await half.finish();
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(await agent.closed).toMatchObject({ code: 1012 });
  await stopped;
  await expect(rig.get('/healthz')).rejects.toThrow();
  await dispatcher.close();
  await stop();
});

test('while it drains it is not ready, and serves clients and agents as before', async () => {
  const drained = Promise.withResolvers<void>();
  const clock = steppedClock();
  const sleep: typeof clock.sleep = (delayMs, signal) =>
    delayMs === 12_345 ? drained.promise : clock.sleep(delayMs, signal);
  const { rig, stop } = await startOwnedRig({ drainMs: 12_345, clock: { ...clock, sleep } });
  const agent = await connect(rig);
  const stopped = rig.service.stop();
  expect((await rig.get('/readyz')).status).toBe(503);
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  expect((await rig.get(rig.farm('/miner/latest'))).body.data).toHaveLength(1);
  drained.resolve();
  await stopped;
  expect(await agent.closed).toMatchObject({ code: 1012 });
  await expect(rig.get('/healthz')).rejects.toThrow();
  await stop();
});

test('under load every request is answered in full, until nothing listens', async () => {
  const { rig, stop } = await startOwnedRig();
  const agent = await connect(rig);
  await agent.report(Array.from({ length: 200 }, (_, n) => minerRecord(n, rig.clock.nowMs())));
  const dispatcher = new Agent({ connections: 16 });
  const counts = { whole: 0, notConnected: 0 };
  const wrong: string[] = [];
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      try {
        const { statusCode, body } = await request(`${rig.url}${rig.farm('/miner/latest?pageSize=200')}`, {
          dispatcher,
          headers: { 'x-api-key': rig.key },
        });
        const text = await body.text().catch((error: unknown) => `null ${String(error)}`);
        if (text.startsWith('null')) {
          wrong.push(`cut short: ${text}`);
          continue;
        }
        const value = JSON.parse(text);
        if (statusCode === 200 && value.data.length === 200) counts.whole++;
        else wrong.push(`${statusCode} ${text.slice(0, 200)}`);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        // A connection that the server has closed while nothing was under way on it, and then the closed port.
        if (!['ECONNREFUSED', 'UND_ERR_SOCKET', 'ECONNRESET'].includes(code)) wrong.push(code);
        counts.notConnected++;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
  const clients = Array.from({ length: 16 }, client);
  await expect.poll(() => counts.whole).toBeGreaterThan(50);
  const startedMs = performance.now();
  await rig.service.stop();
  expect(performance.now() - startedMs).toBeLessThan(IN_TIME_MS);
  isOver = true;
  await Promise.all(clients);
  expect(wrong).toEqual([]);
  await dispatcher.close();
  await stop();
});

test('a client that never sends the rest holds nothing up', async () => {
  const { rig, stop } = await startOwnedRig();
  const half = await halfRequest(rig);
  const startedMs = performance.now();
  await rig.service.stop();
  expect(performance.now() - startedMs).toBeLessThan(IN_TIME_MS);
  expect(await half.closed).not.toContain('200 OK');
  await stop();
});
