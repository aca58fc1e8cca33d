// Targets of a tuner: what is refused before the device is asked, what it refuses itself, and which reading shows one.
import { describe, expect, test } from 'vitest';
import { ACCEPTED, SO_ALREADY } from '../../../../src/driver/kit/act/outcomes.ts';
import {
  edgesC,
  inTurn,
  joinedBoards,
  mustBeWithin,
  showsModeOrLimit,
  showsTarget,
  tunedTo,
  wantedTarget,
} from '../../../../src/driver/kit/index.ts';

const link = { ip: '127.0.0.1' };
const unsupported = expect.objectContaining({ code: 'peer.unsupported', wasSent: false });

describe('a target', () => {
  test.each([
    ['3000 W', { value: 3_000, unit: 'W' }],
    ['143th', { value: 143, unit: 'TH/s' }],
  ])('%s is one', (preset, target) => expect(wantedTarget(link, preset)).toEqual(target));
  test('in another unit, or of no number, is refused', () => {
    for (const preset of ['fast', '0 W', '143 TH/s'])
      expect(() => wantedTarget(link, preset, 'W'), preset).toThrow(unsupported);
  });
  test('is taken up to the bounds and not beyond them; a bound that is not told is none', () => {
    const within = (value: number, min?: number, max?: number) => () =>
      mustBeWithin(link, { value, unit: 'W' }, min, max);
    for (const fit of [within(800, 800, 900), within(900, 800, 900), within(1e5)]) expect(fit).not.toThrow();
    for (const other of [within(799, 800, 900), within(901, 800, 900)]) expect(other).toThrow(unsupported);
  });
  test('is shown by the same one in other words', () => {
    expect(showsTarget(tunedTo(143, 'TH/s'), '143TH')).toBe(true);
    expect(showsTarget(tunedTo(143, 'TH/s'), '143 W')).toBe(false);
    expect(showsTarget(tunedTo(undefined, 'W'), '143 W')).toBeUndefined();
  });
});

test('a power limit is shown by the limit of one that is awake', () => {
  const limited = { miningMode: 'normal', powerLimitW: 3_000 } as const;
  expect(showsModeOrLimit(limited, { preset: '3000W' })).toBe(true);
  expect(showsModeOrLimit({ ...limited, miningMode: 'sleep' }, { preset: '3000 W' })).toBe(false);
  expect(showsModeOrLimit({}, { preset: '3000 W' })).toBeUndefined();
  expect(showsModeOrLimit(limited, { mode: 'low' })).toBe(false);
});

test('steps that are not needed are not taken; none at all = it was so already', async () => {
  expect(await inTurn(false, false)).toEqual(SO_ALREADY);
  expect(await inTurn(false, async () => ACCEPTED)).toEqual(ACCEPTED);
  const late = async (): Promise<never> => expect.fail('taken after a lost answer');
  expect(await inTurn(async () => ({ kind: 'lost-reply' }), false, late)).toEqual({ kind: 'lost-reply' });
});

test('one sensor has no edges', () => {
  expect(edgesC([undefined, 41])).toEqual({});
  expect(edgesC([57, undefined, 41])).toEqual({ inletTempC: 41, outletTempC: 57 });
});

test('boards of several answers are joined by their slots; what a later one does not know stays', () => {
  const joined = joinedBoards([
    { slot: 2, chips: 40, isAlive: true },
    { slot: 0, chips: 41 },
    { slot: -1, chips: 9 },
    { slot: 2, chips: undefined, isAlive: false },
  ]);
  expect(joined).toEqual([
    { slot: 0, chips: 41 },
    { slot: 2, chips: 40, isAlive: false },
  ]);
  for (const none of [[], [{ slot: 64, chips: 9 }]]) expect(joinedBoards(none)).toBeUndefined();
});
