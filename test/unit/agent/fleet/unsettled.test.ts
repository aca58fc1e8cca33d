// Who is not settled yet is looked at again, and reported nowhere until it is.
import { expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import { createUnsettled } from '../../../../src/agent/fleet/unsettled.ts';
import { VisitMemory } from '../../../../src/driver/memory.ts';

const [driver] = drivers;
if (driver === undefined) throw new Error('no driver');
const targetAt = (ip: string) => ({ ip, driver, known: {}, memory: new VisitMemory() });

function setUp() {
  const scheduled = new Map<string, string>();
  const unsettled = createUnsettled({
    set: (key, ip) => void scheduled.set(key, ip),
    drop: (key) => void scheduled.delete(key),
  });
  return { scheduled, unsettled };
}

test('an address is polled from now on, once, until it is settled', () => {
  const { scheduled, unsettled } = setUp();
  const first = targetAt('10.0.0.1');
  unsettled.hold(first);
  unsettled.hold(targetAt('10.0.0.1'));
  const [key = ''] = scheduled.keys();
  expect([...scheduled.values()]).toEqual(['10.0.0.1']);
  expect(unsettled.get(key)).toBe(first);
  expect(unsettled.has('10.0.0.1')).toBe(true);
  unsettled.release('10.0.0.1');
  expect([scheduled.size, unsettled.has('10.0.0.1')]).toEqual([0, false]);
});

test('one that has fallen silent is left to the next scan', () => {
  const { scheduled, unsettled } = setUp();
  unsettled.hold(targetAt('10.0.0.1'));
  const [key = ''] = scheduled.keys();
  for (const _ of [1, 2]) expect(unsettled.failed(key)).toBe(true);
  unsettled.answered(key);
  for (const _ of [1, 2, 3]) expect(unsettled.failed(key)).toBe(true);
  expect(scheduled.size).toBe(0);
  expect(unsettled.failed(key)).toBe(false);
});

test('what lies outside the networks is let go', () => {
  const { scheduled, unsettled } = setUp();
  for (const ip of ['10.0.0.1', '10.0.0.2']) unsettled.hold(targetAt(ip));
  unsettled.confine((ip) => ip === '10.0.0.2');
  expect([...scheduled.values()]).toEqual(['10.0.0.2']);
});
