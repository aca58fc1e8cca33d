import { describe, expect, test } from 'vitest';
import { createDeviceMutex } from '../../../../src/transport/limits/device-mutex.ts';

const IP = '10.0.0.5';

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('one miner', () => {
  test('has one visitor at a time', async () => {
    const mutex = createDeviceMutex(100);
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        mutex.run(IP, i % 2 ? 'poll' : 'scan', undefined, async () => {
          most = Math.max(most, ++inside);
          await settle();
          inside--;
        }),
      ),
    );
    expect(most).toBe(1);
  });
  test('sees commands before polls before scans, and each in the order of coming', async () => {
    const mutex = createDeviceMutex();
    const { open, opened } = gate();
    const order: string[] = [];
    const first = mutex.run(IP, 'poll', undefined, () => opened);
    const rest = (['scan', 'poll', 'command', 'scan', 'poll', 'command'] as const).map((priority, i) =>
      mutex.run(IP, priority, undefined, async () => {
        order.push(`${priority} ${i}`);
      }),
    );
    open();
    await Promise.all([first, ...rest]);
    expect(order).toEqual(['command 2', 'command 5', 'poll 1', 'poll 4', 'scan 0', 'scan 3']);
  });
  test('has a bounded queue per priority: many scans keep no command out', async () => {
    const mutex = createDeviceMutex(2);
    const { open, opened } = gate();
    const first = mutex.run(IP, 'poll', undefined, () => opened);
    const scans = [1, 2].map(() => mutex.run(IP, 'scan', undefined, async () => 'scanned'));
    await expect(mutex.run(IP, 'scan', undefined, async () => {})).rejects.toMatchObject({
      family: 'refused',
      code: 'device.queue-full',
    });
    const command = mutex.run(IP, 'command', undefined, async () => 'done');
    open();
    await first;
    expect(await command).toBe('done');
    expect(await Promise.all(scans)).toEqual(['scanned', 'scanned']);
  });
  test('is given to the next one when the work throws, and the caller hears of it', async () => {
    const mutex = createDeviceMutex();
    const failing = mutex.run(IP, 'poll', undefined, async () => {
      throw new Error('broken');
    });
    const next = mutex.run(IP, 'poll', undefined, async () => 'fine');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('fine');
  });
  test('is left by who waits when the signal aborts, and not by who is inside', async () => {
    const mutex = createDeviceMutex();
    const { open, opened } = gate();
    const stop = new AbortController();
    const inside = mutex.run(IP, 'poll', stop.signal, () => opened.then(() => 'finished'));
    const waiting = mutex.run(IP, 'command', stop.signal, async () => 'never');
    const after = mutex.run(IP, 'scan', undefined, async () => 'next');
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ family: 'cancelled' });
    open();
    expect(await inside).toBe('finished');
    expect(await after).toBe('next');
    await expect(mutex.run(IP, 'poll', stop.signal, async () => {})).rejects.toMatchObject({ family: 'cancelled' });
  });
});

test('miners do not wait for each other', async () => {
  const mutex = createDeviceMutex();
  const { open, opened } = gate();
  const stuck = mutex.run(IP, 'poll', undefined, () => opened);
  expect(await mutex.run('10.0.0.6', 'poll', undefined, async () => 'free')).toBe('free');
  expect(mutex.stats()).toEqual({ busy: 1, waiting: 0 });
  open();
  await stuck;
});

test('nothing is left when all have gone, whatever way they went', async () => {
  const mutex = createDeviceMutex(3);
  const stop = new AbortController();
  const runs = Array.from({ length: 200 }, (_, i) => {
    const signal = i % 3 === 0 ? stop.signal : undefined;
    return mutex.run(`10.0.0.${i % 20}`, 'poll', signal, async () => {
      await settle();
      if (i % 7 === 0) throw new Error('broken');
    });
  });
  const settled = Promise.allSettled(runs);
  await settle();
  stop.abort();
  await settled;
  expect(mutex.stats()).toEqual({ busy: 0, waiting: 0 });
});

test('a miner has one holder while others abort, finish and come at the same moment', async () => {
  const mutex = createDeviceMutex();
  let inside = 0;
  let most = 0;
  const visit = async () => {
    most = Math.max(most, ++inside);
    await settle();
    inside--;
  };
  for (let round = 0; round < 200; round++) {
    const stop = new AbortController();
    const { open, opened } = gate();
    const first = mutex.run(IP, 'poll', undefined, () => opened);
    const aborted = mutex.run(IP, 'poll', stop.signal, visit).catch(() => {});
    open();
    if (round % 2) stop.abort();
    await first;
    const more = [mutex.run(IP, 'scan', undefined, visit)];
    stop.abort();
    await Promise.resolve();
    more.push(mutex.run(IP, 'scan', undefined, visit));
    await Promise.all([aborted, ...more]);
  }
  expect(most).toBe(1);
});
