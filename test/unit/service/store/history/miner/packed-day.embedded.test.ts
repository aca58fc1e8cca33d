// A day of a miner as a text, and its open hours: what is written is read again, as exactly as it is promised.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addHours, type HourSums, NO_HOUR } from '../../../../../../src/service/store/history/miner/hour-sums.ts';
import {
  addToHour,
  type OpenHours,
  readOpenHours,
  splitDue,
  writeOpenHours,
} from '../../../../../../src/service/store/history/miner/open-hours.ts';
import {
  addToDay,
  emptyDay,
  HOURS,
  hourOf,
  readDay,
  setHour,
  writeDay,
} from '../../../../../../src/service/store/history/miner/packed-day.ts';

const celsius = fc.integer({ min: -400, max: 1_500 }).map((tenths) => tenths / 10);
/** Of the smallest coin's miner to the largest machine, and nothing. */
const rate = fc.oneof(fc.constant(0), fc.double({ min: 1, max: 1e17, noNaN: true }));

/** An hour whose values are the same in each minute: the mean is known. */
const anyHour: fc.Arbitrary<HourSums> = fc
  .record({
    ...{ accounted: fc.integer({ min: 1, max: 60 }), parts: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }) },
    ...{ hashrate: rate, power: rate, celsius, peak: fc.option(celsius) },
  })
  .map(({ accounted, parts, hashrate, power, celsius: mean, peak }) => {
    const [online = 0, hashrateCount = 0, powerCount = 0, temperatureCount = 0] = parts.map((n) => n % (accounted + 1));
    return {
      ...{ accounted, online, hashrateCount, powerCount, temperatureCount, temperatureMax: peak },
      ...{ hashrate: hashrate * hashrateCount, power: power * powerCount, temperature: mean * temperatureCount },
    };
  });

const within = (share: number, sum: number) => expect.closeTo(sum, -Math.log10(Math.max(1e-9, sum * share * 2)));

const near = (sums: HourSums) => ({
  ...sums,
  hashrate: within(0.00013, sums.hashrate),
  power: within(0.00013, sums.power),
  temperature: expect.closeTo(sums.temperature, 4),
  temperatureMax: sums.temperatureMax === null ? null : expect.closeTo(sums.temperatureMax, 6),
});

test('each hour of a day is read as it was written, and the text is always as long', () => {
  fc.assert(
    fc.property(fc.array(fc.option(anyHour, { freq: 5 }), { minLength: HOURS, maxLength: HOURS }), (hours) => {
      const day = emptyDay();
      for (const [hour, sums] of hours.entries()) if (sums !== null) setHour(day, hour, sums);
      const text = writeDay(day);
      expect(text).toHaveLength(384);
      const again = readDay(text);
      for (const [hour, sums] of hours.entries())
        expect(hourOf(again, hour)).toEqual(sums === null ? undefined : near(sums));
    }),
    { numRuns: 50 },
  );
});

test('what comes later is added to the hour', () => {
  const day = emptyDay();
  const half = (hashrate: number, temperatureMax: number): HourSums => ({
    ...{ ...NO_HOUR, accounted: 30, online: 30, hashrate: hashrate * 30, hashrateCount: 30, temperatureMax },
  });
  addToDay(day, 7, half(100e12, 60));
  addToDay(day, 7, half(50e12, 55));
  const { accounted, hashrate, hashrateCount, temperatureMax, powerCount } = hourOf(day, 7) ?? NO_HOUR;
  expect({ accounted, hashrateCount, temperatureMax, powerCount }).toEqual({
    ...{ accounted: 60, hashrateCount: 60, temperatureMax: 60, powerCount: 0 },
  });
  expect(hashrate / 60 / 75e12).toBeCloseTo(1, 3);
});

test('open hours are read as they were written, to a hundredth', () => {
  const anyOpen = fc.array(fc.record({ hour: fc.integer({ min: 0, max: 600_000 }), sums: anyHour }), { maxLength: 3 });
  fc.assert(
    fc.property(anyOpen, (open) => {
      const close = (sum: number) => expect.closeTo(sum, sum < 1e9 ? 1 : -1);
      const expected = open.map(({ hour, sums }) => ({
        hour,
        sums: {
          ...sums,
          hashrate: close(sums.hashrate),
          power: close(sums.power),
          temperature: close(sums.temperature),
        },
      }));
      expect(readOpenHours(writeOpenHours(open))).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

test('two hours stay open, whatever their order; the third goes when its minute has come', () => {
  const sums: HourSums = { ...NO_HOUR, accounted: 1 };
  let open: OpenHours = [];
  for (const hour of [100, 90, 100, 90, 101]) open = addToHour(open, hour, sums);
  expect(open.map((one) => [one.hour, one.sums.accounted])).toEqual([
    [100, 2],
    [90, 2],
    [101, 1],
  ]);
  const rowId = 25;
  expect(splitDue(open, rowId, 101 * 60 + 24).due).toEqual([]);
  const { kept, due } = splitDue(open, rowId, 101 * 60 + 25);
  expect(due).toEqual([{ hour: 100, sums: addHours(sums, sums) }]);
  expect(kept.map(({ hour }) => hour)).toEqual([90, 101]);
});
