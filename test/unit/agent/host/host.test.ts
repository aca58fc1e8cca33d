// The host object is complete, rare and never late, whatever its sources do.
import { expect, test } from 'vitest';
import { createHostReader, distribution, readHost } from '../../../../src/agent/host/host.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { hostSchema } from '../../../../src/model/host.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const memory = { total: 8, free: 3, used: 5, swap_total: 2, swap_free: 2, swap_used: 0 };
const sources = { osName: async () => 'Debian GNU/Linux 13', memory: async () => memory };

test('the real host passes the schema of the interface with figures that can be true', async () => {
  const host = hostSchema.parse(await readHost(systemClock));
  expect(host.memory.total).toBeGreaterThan(host.memory.used);
  expect(host.cpu_count).toBeGreaterThan(0);
  expect(host.os).not.toBe('');
  expect(Math.abs(host.timestamp * 1_000 - systemClock.nowMs())).toBeLessThan(10_000);
});

test('it is read at most once a minute, and those who ask together share one reading', async () => {
  const clock = createVirtualClock();
  let reads = 0;
  const read = createHostReader(clock, {
    ...sources,
    osName: async () => {
      reads++;
      return 'Debian';
    },
  });
  const [one, two] = await clock.finish(Promise.all([read(), read()]));
  expect(one).toBe(two);
  await clock.advance(59_000);
  await clock.finish(read());
  expect(reads).toBe(1);
  await clock.advance(2_000);
  const later = await clock.finish(read());
  expect(reads).toBe(2);
  expect(later.timestamp - one.timestamp).toBe(61);
});

test('a source that hangs or fails is replaced by what Node knows, within seconds', async () => {
  const clock = createVirtualClock();
  const startMs = clock.monotonicMs();
  const hung = { osName: () => new Promise<string>(() => {}), memory: async () => Promise.reject(new Error('no')) };
  const host = hostSchema.parse(await clock.finish(readHost(clock, hung)));
  expect(clock.monotonicMs() - startMs).toBe(3_000);
  expect(host.os).not.toBe('');
  expect(host.memory.total).toBeGreaterThan(0);
  expect(clock.pending()).toBe(0);
});

test.each([
  ['PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nNAME="Debian GNU/Linux"\nVERSION_ID="13"\n', 'Debian GNU/Linux 13'],
  ['NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 24.04.1 LTS"\n', 'Ubuntu 24.04.1 LTS'],
  ['NAME=Alpine\nVERSION_ID=3.22.1\n', 'Alpine 3.22.1'],
  ['', ''],
])('an os-release file tells the name and version: %j', (text, expected) => {
  expect(distribution(text)).toBe(expected);
});
