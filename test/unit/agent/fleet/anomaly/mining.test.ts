// Not known is not "no": what proves that a miner mines or does not, how long the last proof stands in silence, and
// when that is said.
import { describe, expect, test } from 'vitest';
import { type Change, createBench, put } from './fixture.ts';

/** Without a rate, a word of its own or counters. */
const mute: Change = put({
  hashrateHs: undefined,
  hashrateSettledHs: undefined,
  isMining: undefined,
  miningMode: undefined,
  pools: undefined,
  boards: undefined,
});
const given =
  (fields: Parameters<typeof put>[0]): Change =>
  (reading) =>
    put(fields)(mute(reading));
const shares = (accepted: number): Change => given({ pools: [{ index: 0, url: 'a:1', user: 'w', accepted }] });

const isMining = (bench: ReturnType<typeof createBench>) => bench.judgement?.history.mining?.is;

describe('whether it mines', () => {
  test.each<[string, Parameters<typeof put>[0], boolean | undefined]>([
    ['a positive rate', { hashrateHs: 1e12 }, true],
    ['a rate of 0', { hashrateHs: 0 }, false],
    ['a rate of 0, whatever its own word', { hashrateHs: 0, isMining: true }, false],
    ['its own word', { isMining: true }, true],
    ['its own no', { isMining: false, hashrateHs: 1e12 }, false],
    ['sleep', { miningMode: 'sleep', hashrateHs: 1e12 }, false],
    ['nothing', {}, undefined],
    ['a rate that cannot be true', { hashrateHs: 2.9e17 }, undefined],
  ])('is told by %s', (_, fields, expected) => {
    const bench = createBench();
    bench.poll(given(fields));
    expect(isMining(bench)).toBe(expected);
  });

  test('is told by shares that move, and by none that are reset', () => {
    const bench = createBench();
    bench.poll(shares(100));
    expect(isMining(bench)).toBeUndefined();
    bench.poll(shares(101));
    expect(isMining(bench)).toBe(true);
    const reset = createBench();
    reset.poll(shares(100));
    reset.poll(shares(3));
    expect(isMining(reset)).toBeUndefined();
  });

  test('a missed answer changes nothing and raises nothing', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(3, mute);
    expect(isMining(bench)).toBe(true);
    expect(bench.types()).toEqual([]);
  });

  test('is the last known in silence, over a restart too, and the flag says so until it is told again', () => {
    const bench = createBench();
    bench.polls(5);
    bench.restart();
    bench.polls(10, mute);
    expect(isMining(bench)).toBe(true);
    expect(bench.flag('unknown')).toMatchObject({ source: 'isMining', severity: 'minor', limit: 300 });
    expect(bench.flag('unknown')?.message).toBe('does not report whether it mines: it mined when it last did');
    bench.polls(2);
    expect(bench.types()).toEqual([]);
  });

  test('a device that never told says so', () => {
    const bench = createBench();
    bench.polls(10, mute);
    expect(bench.flag('unknown')?.message).toBe('does not report whether it mines: it never did');
  });

  test('a device that tells shares alone is given the time that its shares take', () => {
    const bench = createBench();
    bench.polls(3, shares(100));
    for (let accepted = 101; accepted < 110; accepted++) bench.polls(9, shares(accepted));
    expect(bench.types()).toEqual([]);
    expect(isMining(bench)).toBe(true);
  });
});
