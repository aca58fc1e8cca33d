// An address whose identity is not resolved is polled again, and reported nowhere.
import { expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import { createUnresolved } from '../../../../src/agent/fleet/unresolved.ts';
import { VisitMemory } from '../../../../src/driver/visit/memory.ts';

const [driver] = drivers;
if (driver === undefined) throw new Error('no driver');
const targetAt = (ip: string) => ({ ip, driver, known: {}, memory: new VisitMemory() });

function setUp() {
  const scheduled = new Map<string, string>();
  const unresolved = createUnresolved({
    set: (key, ip) => void scheduled.set(key, ip),
    drop: (key) => void scheduled.delete(key),
  });
  return { scheduled, unresolved };
}

test('an address is polled from now on, once, until it is released', () => {
  const { scheduled, unresolved } = setUp();
  const first = targetAt('10.0.0.1');
  unresolved.hold(first);
  unresolved.hold(targetAt('10.0.0.1'));
  const [key = ''] = scheduled.keys();
  expect([...scheduled.values()]).toEqual(['10.0.0.1']);
  expect(unresolved.get(key)).toBe(first);
  expect(unresolved.has('10.0.0.1')).toBe(true);
  unresolved.release('10.0.0.1');
  expect([scheduled.size, unresolved.has('10.0.0.1')]).toEqual([0, false]);
});

test('one that has fallen silent is left to the next scan', () => {
  const { scheduled, unresolved } = setUp();
  unresolved.hold(targetAt('10.0.0.1'));
  const [key = ''] = scheduled.keys();
  for (const _ of [1, 2]) expect(unresolved.failed(key)).toBe(true);
  unresolved.answered(key);
  for (const _ of [1, 2, 3]) expect(unresolved.failed(key)).toBe(true);
  expect(scheduled.size).toBe(0);
  expect(unresolved.failed(key)).toBe(false);
});

test('what lies outside the networks is let go', () => {
  const { scheduled, unresolved } = setUp();
  for (const ip of ['10.0.0.1', '10.0.0.2']) unresolved.hold(targetAt(ip));
  unresolved.confine((ip) => ip === '10.0.0.2');
  expect([...scheduled.values()]).toEqual(['10.0.0.2']);
});
