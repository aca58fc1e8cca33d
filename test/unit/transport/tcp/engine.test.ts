import { afterEach, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { Engine, type EngineLimits } from '../../../../src/transport/tcp/engine.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { type Device, pause, startDevice } from '../loopback-device.ts';

/** For what the test itself brings to an end. */
const LONG_MS = 600_000;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

function engineWith(
  limits: Partial<EngineLimits> & { inFlight?: number; waiting?: number } = {},
  clock: Clock = systemClock,
): Engine {
  const pool = { inFlight: limits.inFlight ?? 100, waiting: limits.waiting ?? 1_000 };
  const engine = new Engine(clock, {
    launchPerTick: limits.launchPerTick ?? 48,
    connectionPools: { exchange: pool, probe: pool },
  });
  open.push(engine);
  return engine;
}

async function silentDevice(): Promise<Device> {
  const device = await startDevice(() => {});
  open.push(device);
  return device;
}

const request = (port: number) => ({
  ip: '127.0.0.1',
  port,
  exchange: { request: Buffer.from('hello\n'), receiver: { take: () => true } },
});

describe('the cap on connections in flight', () => {
  test('is never passed', async () => {
    const device = await silentDevice();
    const engine = engineWith({ inFlight: 5 });
    const runs = Array.from({ length: 20 }, () => engine.run('exchange', request(device.port), 100));
    let highest = 0;
    const all = Promise.all(runs);
    while (engine.stats().exchange.launched < 20) {
      highest = Math.max(highest, engine.stats().exchange.inFlight);
      await pause(5);
    }
    const ends = await all;
    expect(highest).toBeLessThanOrEqual(5);
    expect(ends.every(({ how }) => how === 'deadline')).toBe(true);
    expect(engine.stats().exchange).toEqual({ inFlight: 0, waiting: 0, launched: 20 });
  });
  test('of one pool does not hold up the other', async () => {
    const device = await silentDevice();
    const engine = engineWith({ inFlight: 2 });
    const stuck = Promise.allSettled(
      Array.from({ length: 4 }, () => engine.run('exchange', request(device.port), LONG_MS)),
    );
    const probe = await engine.run('probe', { ip: '127.0.0.1', port: device.port }, LONG_MS);
    expect(probe.how).toBe('open');
    expect(engine.stats().exchange).toMatchObject({ inFlight: 2, waiting: 2 });
    engine.close();
    await stuck;
  });
});

describe('the waiting line', () => {
  test('is bounded, and says so', async () => {
    const device = await silentDevice();
    const engine = engineWith({ inFlight: 1, waiting: 3 });
    const accepted = [1, 2, 3].map(() => engine.run('exchange', request(device.port), 50));
    await expect(engine.run('exchange', request(device.port), 50)).rejects.toMatchObject({
      family: 'refused',
      code: 'engine.queue-full',
    });
    await Promise.all(accepted);
  });
  test('is left at once by signal, and the place is free again', async () => {
    const device = await silentDevice();
    const engine = engineWith({ inFlight: 1, waiting: 2 });
    const end = new AbortController();
    const first = engine.run('exchange', request(device.port), LONG_MS, end.signal);
    await expect.poll(() => device.connections).toBe(1);
    const stop = new AbortController();
    const waiting = [1, 2].map(() => engine.run('exchange', request(device.port), LONG_MS, stop.signal));
    stop.abort();
    for (const each of waiting) await expect(each).rejects.toMatchObject({ family: 'cancelled' });
    expect(engine.stats().exchange).toMatchObject({ inFlight: 1, waiting: 0 });
    const next = engine.run('exchange', request(device.port), 100);
    end.abort();
    await expect(first).rejects.toMatchObject({ family: 'cancelled' });
    expect((await next).how).toBe('deadline');
    await expect.poll(() => device.connections).toBe(2);
  });
});

describe('cancelling', () => {
  test('by signal ends what is in flight under it and nothing else', async () => {
    const device = await silentDevice();
    const engine = engineWith();
    const stop = new AbortController();
    const cancelled = [1, 2, 3].map(() => engine.run('exchange', request(device.port), LONG_MS, stop.signal));
    const other = engine.run('exchange', request(device.port), 200);
    await pause(30);
    stop.abort();
    for (const each of cancelled) await expect(each).rejects.toMatchObject({ family: 'cancelled' });
    expect((await other).how).toBe('deadline');
  });
  test('by closing ends everything, now and later', async () => {
    const device = await silentDevice();
    const engine = engineWith({ inFlight: 2 });
    const runs = [1, 2, 3, 4].map(() => engine.run('exchange', request(device.port), LONG_MS));
    await pause(20);
    engine.close();
    for (const each of runs) await expect(each).rejects.toMatchObject({ family: 'cancelled' });
    await expect(engine.run('exchange', request(device.port), 50)).rejects.toMatchObject({ family: 'cancelled' });
    expect(engine.stats().exchange).toMatchObject({ inFlight: 0, waiting: 0 });
  });
  test('an aborted signal starts nothing', async () => {
    const device = await silentDevice();
    const engine = engineWith();
    await expect(engine.run('exchange', request(device.port), 50, AbortSignal.abort())).rejects.toMatchObject({
      family: 'cancelled',
    });
    await pause(20);
    expect(device.connections).toBe(0);
  });
});

test('deadlines of different lengths each end in their own time', async () => {
  const device = await silentDevice();
  const clock = createVirtualClock();
  const engine = engineWith({}, clock);
  const order: number[] = [];
  const ended = Promise.all(
    [400, 100, 250].map(async (timeoutMs) => {
      await engine.run('exchange', request(device.port), timeoutMs);
      order.push(timeoutMs);
    }),
  );
  await expect.poll(() => device.connections).toBe(3);
  await clock.advance(500);
  await ended;
  expect(order).toEqual([100, 250, 400]);
});

test('connects are spread over ticks of the event loop', async () => {
  const device = await silentDevice();
  const engine = engineWith({ launchPerTick: 4, inFlight: 100 });
  const runs = Array.from({ length: 12 }, () => engine.run('probe', { ip: '127.0.0.1', port: device.port }, LONG_MS));
  const launched: number[] = [];
  for (let tick = 0; tick < 3; tick++) {
    await new Promise((resolve) => setImmediate(resolve));
    launched.push(engine.stats().probe.launched);
  }
  expect(launched).toEqual([4, 8, 12]);
  await Promise.all(runs);
});

test('a receiver that throws ends its own connection only', async () => {
  const device = await startDevice((socket) => socket.write('x'));
  open.push(device);
  const engine = engineWith();
  const bad = {
    ...request(device.port),
    exchange: {
      request: Buffer.from('x'),
      receiver: {
        take: () => {
          throw new Error('no thanks');
        },
      },
    },
  };
  const [first, second] = await Promise.all([
    engine.run('exchange', bad, LONG_MS),
    engine.run('exchange', request(device.port), LONG_MS),
  ]);
  expect(first).toMatchObject({ how: 'rejected', error: { message: 'no thanks' } });
  expect(second.how).toBe('complete');
});
