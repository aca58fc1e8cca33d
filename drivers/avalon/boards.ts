// The hashboards of one Avalon controller, from lists with one value per board. A board that shows no sign of life is
// left out.
import { largest, mean, toTempC } from '../../src/driver/fields.ts';
import type { OwnBuild } from '../../src/driver/kit/models/own-build.ts';
import type { BoardReading, Expectation } from '../../src/model/reading.ts';
import { present, rateHs } from '../_dialects/cgminer.ts';
import type { Module } from './replies.ts';
import { number, numbers, whole } from './tokens.ts';

const MAX_BOARDS = 16;

/**
 * `MGHS` is each board's average since the start (its sum is GHSavg), the only rate per board there is; it stands still
 * while the machine sleeps, so nothing hashes anywhere when the machine's present rate is 0.
 */
export function boards(module: Module, hashrateHs: number | undefined): BoardReading[] | undefined {
  const { tokens } = module;
  const list = (key: string) => numbers(tokens, key);
  const rates = list('MGHS').map((value) => rateHs(value, 'G'));
  const hottest = list('MTmax').map((value) => toTempC(value));
  const averages = list('MTavg').map((value) => toTempC(value));
  const flags = list('HASHS');
  const wrong = numbers(tokens, 'MH', { min: 0, max: 1e15 });
  const isWrongPerBoard =
    wrong.every(Number.isInteger) &&
    wrong.reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0) === number(tokens, 'HW');
  const spans = chipSpans(tokens.get('PVT_T'));
  const middles = list('HBTemp').map((value) => toTempC(value));
  const inlets = list('HBITemp').map((value) => toTempC(value));
  const outlets = [...list('HBOTemp'), ...list('OTemp')].map((value) => toTempC(value));
  const count = Math.min(
    MAX_BOARDS,
    [
      rates.length,
      hottest.length,
      spans.length,
      largest([...module.boards.keys()].map((board) => board + 1)),
      stateCount(tokens.get('SYSTEMSTATU')),
    ].find((n) => n !== undefined && n > 0) ?? 0,
  );
  // Older builds tell nothing of single boards: that says nothing of how many there are.
  if (count === 0) return undefined;
  const isIdle = hashrateHs === 0;

  const found = Array.from({ length: count }, (_, slot) => {
    const sensors = chipTemps(module, slot);
    const temps = isIdle ? [] : sensors.map((value) => toTempC(value));
    return {
      isSeen: sensors.length > 0 || (rates[slot] ?? 0) > 0 || hottest[slot] !== undefined || spans[slot] !== undefined,
      sensorCount: sensors.length,
      reading: present({
        slot,
        hashrateHs: isIdle ? 0 : rates[slot],
        frequencyMhz: frequency(module, slot),
        chipTempMaxC: hottest[slot] ?? spans[slot]?.maxC ?? largest(temps),
        chipTempAvgC: averages[slot] ?? spans[slot]?.meanC ?? mean(temps),
        boardTempsC: middles[slot] === undefined ? undefined : [middles[slot]],
        inletTempC: inlets[slot],
        outletTempC: outlets[slot],
        hwErrors: isWrongPerBoard ? wrong[slot] : undefined,
        isAlive: flags[slot] === undefined ? undefined : flags[slot] === 0,
      }),
    };
  });
  const seen = found.some(({ isSeen }) => isSeen) ? found.filter(({ isSeen }) => isSeen) : found;
  const chips = chipsOf(
    found.map(({ sensorCount }) => sensorCount),
    whole(tokens, 'TA', { min: 1, max: 100_000 }),
    seen.length,
  );
  return seen.map(({ reading }) => present({ ...reading, chips: chips(reading.slot) }));
}

/**
 * One sensor per chip, if they add up to the total that the controller gives. Where no board lists any, the total is
 * shared, if all its boards are there. Otherwise how many a board has is not told.
 */
function chipsOf(
  sensors: readonly number[],
  total: number | undefined,
  seen: number,
): (slot: number) => number | undefined {
  const listed = sensors.reduce((sum, count) => sum + count, 0);
  if (listed > 0) return (slot) => (total === undefined || total === listed ? sensors[slot] || undefined : undefined);
  const share = total !== undefined && seen === sensors.length ? total / seen : undefined;
  return () => (Number.isInteger(share) ? share : undefined);
}

/** `Work: In Work, Hash Board: 3` */
const stateCount = (state: string | undefined) => Number(state?.match(/Hash Board:\s*(\d{1,2})/i)?.[1] ?? 0);

/** One value per chip. Builds with a section per board may number its list by board or start at 0 in each. */
function chipTemps(module: Module, slot: number): (number | undefined)[] {
  const own = module.boards.get(slot);
  const key = own && [...own.keys()].find((name) => name.startsWith('PVT_T'));
  return own && key !== undefined ? numbers(own, key) : numbers(module.tokens, `PVT_T${slot}`);
}

type Span = { readonly maxC: number; readonly meanC: number };

/**
 * The 7, 8 and 9 series have a word per board: `21-76/1-88/83` is chip 21 with 76 °C, the coolest, chip 1 with 88 °C,
 * the hottest, and the mean.
 */
function chipSpans(written = ''): (Span | undefined)[] {
  if (!written.includes('/')) return [];
  return written
    .split(/\s+/)
    .slice(0, MAX_BOARDS)
    .map((word) => {
      const [, coolest, hottest, middle] = word.match(/^\d{1,3}-(\d{1,3})\/\d{1,3}-(\d{1,3})\/(\d{1,3})$/) ?? [];
      const [minC, maxC, meanC] = [toTempC(coolest), toTempC(hottest), toTempC(middle)];
      if (minC === undefined || maxC === undefined || meanC === undefined) return undefined;
      return minC <= meanC && meanC <= maxC ? { maxC, meanC } : undefined;
    });
}

/** The device's own clock, else the mean of the board's clock steps, weighted by how much each was used. */
function frequency({ tokens }: Module, slot: number): number | undefined {
  const mhz = { min: 1, max: 10_000 };
  const own = number(tokens, 'Freq', mhz);
  if (own !== undefined) return own;
  const steps = numbers(tokens, `SF${slot}`, mhz);
  const uses = numbers(tokens, `PLL${slot}`, { min: 0, max: 1e9 });
  let used = 0;
  let sum = 0;
  for (const [step, times] of uses.entries()) {
    const stepMhz = steps[step];
    if (times === undefined || (times > 0 && stepMhz === undefined)) return undefined;
    used += times;
    sum += times * (stepMhz ?? 0);
  }
  return used > 0 ? sum / used : undefined;
}

/**
 * What the device says that it was built with: the places in its lists, and its chips shared by them while all boards
 * are there. Where a complete unit of the known model that had lost a board would say the same, it is no build.
 */
export function ownBuild({ tokens }: Module, ofModel: Expectation | undefined): OwnBuild {
  const working = stateCount(tokens.get('SYSTEMSTATU'));
  const places = largest(PER_BOARD.map((key) => numbers(tokens, key).length)) ?? 0;
  const chips = whole(tokens, 'TA', { min: 1, max: 100_000 });
  if (working === 0 || working > places || chips === undefined) return {};
  const { boards: ofTable = 0, chipsPerBoard = 0 } = ofModel ?? {};
  if (places < ofTable && chips % chipsPerBoard === 0 && chips <= places * chipsPerBoard) return {};
  const share = chips / places;
  return { boards: places, chipsPerBoard: working === places && Number.isInteger(share) ? share : undefined };
}

/** Lists with one place per board. */
const PER_BOARD = ['MGHS', 'MTmax', 'ECHU', 'HASHS'] as const;
