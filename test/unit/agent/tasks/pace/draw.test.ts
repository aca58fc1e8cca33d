// What miners draw at full load: by what each showed, by others of its model, and of the farm.
import { expect, test } from 'vitest';
import { fullDraw } from '../../../../../src/agent/fleet/miner-state.ts';
import { createFarmDraw, UNKNOWN_DRAW_W } from '../../../../../src/agent/tasks/pace/draw.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

type Miner = NonNullable<ReturnType<Parameters<typeof createFarmDraw>[0]['get']>>;

function farmOf(miners: Record<string, Miner>) {
  const clock = createVirtualClock();
  const draw = createFarmDraw({ clock, get: (key) => miners[key], all: () => Object.values(miners) });
  return { clock, draw };
}

const miner = (model: string, fullDrawW?: number, powerLimitW?: number): Miner => ({
  fullDrawW,
  reading: powerLimitW === undefined ? undefined : { powerLimitW },
  reported: { document: { model }, extras: { make: 'Antminer', power_limit: null } },
});

test('a miner counts with what it showed, or with its limit if that is more', () => {
  const { draw } = farmOf({
    seen: miner('S19', 3_250),
    tunedDown: miner('S19', 2_000, 3_600),
    capped: miner('S19', 3_250, 3_000),
  });
  expect(['seen', 'tunedDown', 'capped'].map(draw.of)).toEqual([3_250, 3_600, 3_250]);
});

test('one that showed nothing counts like the middle one of its model; one of an unknown model is not known', () => {
  const { draw } = farmOf({
    ...{ a: miner('S19', 3_000), b: miner('S19', 3_200), c: miner('S19', 9_000) },
    ...{ asleep: miner('S19'), stranger: miner('X1') },
  });
  expect(['asleep', 'stranger', 'gone'].map(draw.of)).toEqual([3_200, undefined, undefined]);
});

test('the farm is the sum of all, those that are not known like ordinary ones; it is added up anew after a while', () => {
  const miners: Record<string, Miner> = { a: miner('S19', 3_000), b: miner('S19'), c: miner('X1') };
  const { clock, draw } = farmOf(miners);
  expect(draw.farm()).toEqual({ miners: 3, drawW: 6_000 + UNKNOWN_DRAW_W });
  miners.d = miner('S19', 3_000);
  expect(draw.farm().miners).toBe(3);
  return clock.advance(30_000).then(() => expect(draw.farm().miners).toBe(4));
});

test('the full draw is what a miner showed while it mined: sleep and start do not lower it, tuning down does in time', () => {
  const mining = (powerW: number) => ({ powerW, hashrateHs: 1e14 });
  expect(fullDraw(undefined, { powerW: 20, hashrateHs: 0 })).toBeUndefined();
  expect(fullDraw(undefined, mining(3_000))).toBe(3_000);
  expect(fullDraw(3_000, { powerW: 20, hashrateHs: 0 })).toBe(3_000);
  expect(fullDraw(3_000, { hashrateHs: 1e14 })).toBe(3_000);
  expect(fullDraw(3_000, mining(3_400))).toBe(3_400);
  let drawW = 3_400;
  for (let poll = 0; poll < 1_440; poll++) drawW = fullDraw(drawW, mining(2_000)) ?? 0;
  expect(drawW).toBeLessThan(2_500);
  expect(drawW).toBeGreaterThan(2_000);
});

test.each([
  ['S9', 1_200, 1_600],
  ['S19 Pro', 3_250, 3_700],
  ['S21', 3_400, 3_700],
  ['S21 Hydro', 5_300, 9_000],
])('a model that tells no power counts with what its nominal hashrate takes: %s', (model, least, most) => {
  const { draw } = farmOf({ silent: miner(model) });
  expect(draw.of('silent')).toBeGreaterThanOrEqual(least);
  expect(draw.of('silent')).toBeLessThanOrEqual(most);
});

test('of other algorithms the nominal hashrate says nothing of the power', () => {
  const { draw } = farmOf({ litecoin: miner('L7') });
  expect(draw.of('litecoin')).toBeUndefined();
});
