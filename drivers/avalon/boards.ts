// The hashboards of one Avalon controller, from lists with one value per board. A board that shows no sign of life is
// left out.
import * as kit from '../../src/driver/kit/index.ts';
import { type Module, numbers } from './tokens.ts';

const MAX_BOARDS = 16;

/**
 * `MGHS` is each board's average since the start (its sum is GHSavg), the only rate per board there is; it stands still
 * while the machine sleeps, so nothing hashes anywhere when the machine's present rate is 0.
 */
export function boards(module: Module, isIdle: boolean): kit.BoardDraft[] | undefined {
  const { tokens } = module;
  const temps = (key: string) => numbers(tokens, key).map((value) => kit.toTempC(value));
  const rates = numbers(tokens, 'MGHS').map((value) => kit.rateHs(value, 'G'));
  const [hottest, averages, spans] = [temps('MTmax'), temps('MTavg'), chipSpans(tokens.value('PVT_T'))];
  const [middles, inlets, outlets] = [temps('HBTemp'), temps('HBITemp'), [...temps('HBOTemp'), ...temps('OTemp')]];
  const flags = numbers(tokens, 'HASHS');
  const wrong = numbers(tokens, 'MH', { min: 0, max: 1e15 });
  const isWrongPerBoard = wrong.every(Number.isInteger) && kit.sumOfAll(wrong) === numbers(tokens, 'HW')[0];
  const listed = kit.largest([...module.boards.keys()].map((board) => board + 1));
  const counts = [rates.length, hottest.length, spans.length, listed, workingBoards(tokens)];
  // Older builds tell nothing of single boards: that says nothing of how many there are.
  const count = counts.find((each) => each !== undefined && each > 0);
  if (count === undefined) return undefined;
  const slots = Array.from({ length: Math.min(MAX_BOARDS, count) }, (_, slot) => slot);
  const sensors = slots.map((slot) => chipTemps(module, slot));
  const seen = slots.filter(
    (slot) => sensors[slot]?.length || kit.positive(rates[slot]) || hottest[slot] !== undefined || spans[slot],
  );
  const shown = seen.length > 0 ? seen : slots;
  const chips = chipsOf(sensors, chipsIn(tokens), shown.length);
  return shown.map((slot) => {
    const chipTempsC = isIdle ? [] : (sensors[slot] ?? []).map((value) => kit.toTempC(value));
    return {
      slot,
      chips: chips(slot),
      hashrateHs: isIdle ? 0 : rates[slot],
      frequencyMhz: frequency(tokens, slot),
      chipTempMaxC: hottest[slot] ?? spans[slot]?.maxC ?? kit.largest(chipTempsC),
      chipTempAvgC: averages[slot] ?? spans[slot]?.meanC ?? kit.mean(chipTempsC),
      boardTempsC: [middles[slot]],
      inletTempC: inlets[slot],
      outletTempC: outlets[slot],
      hwErrors: isWrongPerBoard ? wrong[slot] : undefined,
      isAlive: flags[slot] === undefined ? undefined : flags[slot] === 0,
    };
  });
}

export const chipsIn = (tokens: kit.Answer) => tokens.int('TA', { min: 1, max: 100_000 });

/**
 * One sensor per chip, if they add up to the total that the controller gives. Where no board lists any, the total is
 * shared, if all its boards are there. Otherwise how many a board has is not told.
 */
function chipsOf(sensors: readonly (readonly unknown[])[], total: number | undefined, shown: number) {
  const listed = sensors.flat().length;
  const share = (total ?? Number.NaN) / (shown === sensors.length ? shown : Number.NaN);
  if (listed === 0) return () => (Number.isInteger(share) ? share : undefined);
  return (slot: number) => (total === undefined || total === listed ? sensors[slot]?.length || undefined : undefined);
}

/** `Work: In Work, Hash Board: 3` */
const workingBoards = (tokens: kit.Answer) =>
  Number(tokens.text('SYSTEMSTATU')?.match(/Hash Board:\s*(\d{1,2})/i)?.[1] ?? 0);

/** One value per chip. Builds with a section per board may number its list by board or start at 0 in each. */
function chipTemps({ tokens, boards: sections }: Module, slot: number): (number | undefined)[] {
  const own = sections.get(slot);
  const key = own?.keys().find((name) => name.startsWith('PVT_T'));
  return own && key !== undefined ? numbers(own, key) : numbers(tokens, `PVT_T${slot}`);
}

/**
 * The 7, 8 and 9 series have a word per board: `21-76/1-88/83` is chip 21 with 76 °C, the coolest, chip 1 with 88 °C,
 * the hottest, and the mean.
 */
function chipSpans(written: unknown) {
  const words = typeof written === 'string' && written.includes('/') ? written.split(/\s+/) : [];
  return words.slice(0, MAX_BOARDS).map((word) => {
    const [, ...temps] = word.match(/^\d{1,3}-(\d{1,3})\/\d{1,3}-(\d{1,3})\/(\d{1,3})$/) ?? [];
    const [minC, maxC, meanC] = temps.map((value) => kit.toTempC(value));
    if (minC === undefined || maxC === undefined || meanC === undefined) return undefined;
    return minC <= meanC && meanC <= maxC ? { maxC, meanC } : undefined;
  });
}

/** The device's own clock, else the mean of the board's clock steps, weighted by how much each was used. */
function frequency(tokens: kit.Answer, slot: number): number | undefined {
  const mhz = { min: 1, max: 10_000 };
  const [own] = numbers(tokens, 'Freq', mhz);
  if (own !== undefined) return own;
  const steps = numbers(tokens, `SF${slot}`, mhz);
  const uses = numbers(tokens, `PLL${slot}`, { min: 0, max: 1e9 });
  const parts = uses.map((times, step) => (times === 0 ? 0 : (times ?? Number.NaN) * (steps[step] ?? Number.NaN)));
  return kit.positive((kit.sumOfAll(parts) ?? 0) / (kit.sumOfAll(uses) ?? 1));
}

/**
 * What the device says that it was built with: the places in its lists, and its chips shared by them while all boards
 * are there. Where a complete unit of the known model that had lost a board would say the same, it is no build.
 */
export function ownBuild(tokens: kit.Answer, ofModel: kit.Expectation): kit.OwnBuild {
  const { boards: ofTable = 0, chipsPerBoard = 0 } = ofModel;
  const working = workingBoards(tokens);
  const places = Math.max(...['MGHS', 'MTmax', 'ECHU', 'HASHS'].map((key) => numbers(tokens, key).length));
  const chips = chipsIn(tokens);
  if (working === 0 || working > places || chips === undefined) return {};
  if (places < ofTable && chips % chipsPerBoard === 0 && chips <= places * chipsPerBoard) return {};
  const share = chips / places;
  return { boards: places, chipsPerBoard: working === places && Number.isInteger(share) ? share : undefined };
}
