// The asks of one visit, driven directly: what a failure costs, how the time is shared, which substitutes are sent, and
// what it leaves in the memory of visits.
import { expect, test } from 'vitest';
import { CancelledError } from '../../../src/base/errors.ts';
import type { Ask, Driver } from '../../../src/driver/contract.ts';
import { Asking } from '../../../src/driver/visit/asking.ts';
import { VisitMemory } from '../../../src/driver/visit/memory.ts';
import type { MinerLink } from '../../../src/transport/request.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { fakeLink, peerError, takes } from './fake-link.ts';

const RHYTHMS = { slowMs: 300_000, staticMs: 3_600_000 };
const NO_QUIRKS: Driver['quirks'] = {};
type More = Partial<Pick<Ask, 'every' | 'insteadOf' | 'isLacking'>> & { readonly port?: number };
const ask = (command: string, more: More = {}): Ask => ({ via: 'cgminer', command, every: 'poll', ...more });

function visitOf(
  script: Record<string, unknown>,
  asks: Readonly<Record<string, Ask>>,
  { deadlineMs = 10_000, quirks = NO_QUIRKS, memory = new VisitMemory(), onBound = (_ms: number) => {} } = {},
) {
  const clock = createVirtualClock();
  const link = fakeLink(clock, script);
  const noted: MinerLink = {
    ip: link.ip,
    send(request, limits) {
      onBound(limits?.deadlineMs ?? 0);
      return link.send(request, limits);
    },
  };
  const plan = { driver: { quirks }, link: noted, memory, rhythms: RHYTHMS, clock, deadlineMs };
  const asking = new Asking(plan, Object.entries(asks), clock.monotonicMs());
  return { clock, link, memory, asking, run: () => clock.finish(asking.run()) };
}
const codesOf = ({ failed }: Asking) => Object.fromEntries([...failed].map(([name, { code }]) => [name, code]));

test('a port that is closed is tried once, a silent one twice, and other ports are still asked', async () => {
  const asks = {
    ...{ a: ask('a'), b: ask('b', { port: 4029 }), c: ask('c'), d: ask('d', { port: 4029 }) },
    ...{ e: ask('e', { port: 4029 }), f: ask('f', { port: 4030 }) },
  };
  const script = { a: peerError('peer.refused'), b: peerError('peer.timeout'), d: peerError('peer.timeout'), f: 6 };
  const { asking, link, run } = visitOf(script, asks);
  await run();
  expect(link.asked).toEqual(['a', 'b', 'd', 'f']);
  expect(codesOf(asking)).toEqual({
    ...{ a: 'peer.refused', b: 'peer.timeout', c: 'peer.refused', d: 'peer.timeout', e: 'peer.timeout' },
  });
  expect(asking.answers).toEqual(new Map([['f', 6]]));
});

test('an ask leaves half of the time to those that wait, at least a second each; the last has all', async () => {
  const bounds: number[] = [];
  const asks = { a: ask('a'), b: ask('b', { port: 1 }), c: ask('c', { port: 2 }), d: ask('d', { port: 3 }) };
  const late = takes(60_000, 0);
  const { asking, run } = visitOf({ a: late, b: late, c: late, d: late }, asks, {
    deadlineMs: 5_000,
    onBound: (ms) => bounds.push(ms),
  });
  await run();
  expect(bounds).toEqual([2_500, 1_250, 1_000, 250]);
  expect(Object.values(codesOf(asking))).toEqual(Array(4).fill('peer.timeout'));
});

test('what has no time left is not sent, and says so', async () => {
  const asks = { a: ask('a'), b: ask('b', { port: 1 }) };
  const { asking, link, run } = visitOf({ a: 1, b: 2 }, asks, { deadlineMs: 100, quirks: { gapMs: 100 } });
  await run();
  expect(link.asked).toEqual(['a']);
  expect(asking.failed.get('b')?.message).toContain('within the visit');
});

test('substitutes of what failed, the substitutes of those, and none of what was answered in full', async () => {
  const asks = {
    ...{ full: ask('full'), other: ask('other', { insteadOf: 'full' }) },
    ...{ part: ask('part'), more: ask('more', { insteadOf: 'part', isLacking: (answer) => answer === 'little' }) },
    ...{ new: ask('new'), old: ask('old', { insteadOf: 'new' }), oldest: ask('oldest', { insteadOf: 'old' }) },
  };
  const no = peerError('peer.unsupported', 'never');
  const script = { full: 1, other: 2, part: 'little', more: 3, new: no, old: no, oldest: 4 };
  const { asking, link, run } = visitOf(script, asks);
  await run();
  expect(link.asked).toEqual(['full', 'part', 'new', 'more', 'old', 'oldest']);
  expect([...asking.answers.keys()]).toEqual(['full', 'part', 'more', 'oldest']);
  expect(codesOf(asking)).toEqual({ new: 'peer.unsupported', old: 'peer.unsupported' });
});

test('a device that accepts the login again is asked everything in the same visit', async () => {
  const memory = new VisitMemory();
  const asks = { live: ask('live'), names: ask('names', { every: 'static' }) };
  memory.keepAnswer('names', ask('names', { every: 'static' }), 'kept', RHYTHMS, createVirtualClock().monotonicMs());
  memory.isStale = false;
  memory.isLocked = true;
  const { link, run } = visitOf({ live: 1, names: 2 }, asks, { memory });
  await run();
  expect(link.asked).toEqual(['live', 'names']);
  expect(memory).toMatchObject({ isLocked: false, isStale: true });
});

test('an end before the first answer makes everything stale; one after it does not', async () => {
  for (const [script, isStale] of [
    [{ a: new CancelledError('stop') }, true],
    [{ a: 1, b: new CancelledError('stop') }, false],
  ] as const) {
    const memory = new VisitMemory();
    memory.isStale = false;
    const { asking, run } = visitOf(script, { a: ask('a'), b: ask('b') }, { memory });
    await expect(run()).rejects.toThrow(CancelledError);
    expect(memory.isStale).toBe(isStale);
    expect(asking.failed.size).toBe(0);
  }
});

test('a failure that is kept has neither cause nor the stack of one', async () => {
  const error = peerError('peer.unsupported', 'never');
  error.cause = new Error('a long chain');
  const { memory, run } = visitOf({ a: error }, { a: ask('a') });
  await run();
  expect(memory.lastError('a')).toMatchObject({ code: 'peer.unsupported', retry: 'never' });
  expect(memory.lastError('a')?.cause).toBeUndefined();
});
