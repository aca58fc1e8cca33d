import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { createTransport } from '../../../../src/transport/transport.ts';
import { loopback } from '../../../support/loopback.ts';
import { closedPort, listen, portOf } from '../loopback-device.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const transport = (limits: Parameters<typeof createTransport>[0]['limits'] = {}) => {
  const made = createTransport({ clock: systemClock, log: silentLog, limits });
  open.push(made);
  return made;
};

async function openPort(host = '127.0.0.1', onConnection = () => {}) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection();
  });
  await listen(server, host);
  open.push(server);
  return portOf(server);
}

/**
 * A port whose owner has stopped accepting: when its short backlog is full the kernel drops what comes, as a filtered
 * host does. The owner is a thread that sleeps, because a server of this thread would go on accepting.
 */
async function silentPort(): Promise<number> {
  const owner = new Worker(
    `const { createServer } = require('node:net');
     const { parentPort } = require('node:worker_threads');
     const server = createServer();
     server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
       parentPort.postMessage(server.address().port);
       setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000));
     });`,
    { eval: true },
  );
  open.push({ close: () => owner.terminate() });
  const [port] = await once(owner, 'message');
  // Until its thread sleeps it accepts.
  const { probe } = transport();
  await expect.poll(() => probe('127.0.0.1', port, 150)).toBe('silent');
  return port;
}

describe('a probe says', () => {
  test('open, and leaves no connection behind', async () => {
    let accepted = 0;
    const port = await openPort('127.0.0.1', () => {
      accepted++;
    });
    expect(await transport().probe('127.0.0.1', port, 20_000)).toBe('open');
    expect(accepted).toBeLessThanOrEqual(1);
  });
  test('refused when nobody listens', async () => {
    expect(await transport().probe('127.0.0.1', await closedPort(), 20_000)).toBe('refused');
  });
  test('silent when nothing comes back within the timeout', async () => {
    const port = await silentPort();
    const startMs = performance.now();
    expect(await transport().probe('127.0.0.1', port, 200)).toBe('silent');
    const tookMs = performance.now() - startMs;
    expect(tookMs).toBeGreaterThanOrEqual(199);
    expect(tookMs).toBeLessThan(20_000);
  });
  test('nothing when it is cancelled', async () => {
    const port = await silentPort();
    const stop = new AbortController();
    const probed = transport().probe('127.0.0.1', port, 60_000, stop.signal);
    setTimeout(() => stop.abort(), 30);
    await expect(probed).rejects.toMatchObject({ family: 'cancelled' });
  });
});

test('2,000 probes over a mixed range miss nobody', async () => {
  const port = await openPort('0.0.0.0');
  const closed = await closedPort();
  const limits = {
    engine: {
      launchPerTick: 48,
      connectionPools: { exchange: { inFlight: 10, waiting: 10 }, probe: { inFlight: 500, waiting: 4_000 } },
    },
  };
  const { probe, stats } = transport(limits);
  const { ip: ipOf } = loopback(21);
  const results = await Promise.all(
    Array.from({ length: 2_000 }, (_, i) => probe(ipOf(i), i % 4 === 0 ? port : closed, 20_000)),
  );
  const expected = Array.from({ length: 2_000 }, (_, i) => (i % 4 === 0 ? 'open' : 'refused'));
  expect(results).toEqual(expected);
  expect(stats().connections.probe).toEqual({ inFlight: 0, waiting: 0, launched: 2_000 });
});

test('a loop that is blocked for longer than the timeout does not turn live hosts into silent ones', async () => {
  const port = await openPort();
  const { probe } = transport();
  const results = Promise.all(Array.from({ length: 40 }, () => probe('127.0.0.1', port, 100)));
  // Right behind the connects of the first tick, before the loop has looked at any socket.
  const startMs = performance.now();
  setImmediate(() => {
    while (performance.now() - startMs < 300);
  });
  expect(new Set(await results)).toEqual(new Set(['open']));
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(300);
});
