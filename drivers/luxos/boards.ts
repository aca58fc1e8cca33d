// Boards and their sensors. `devs` is not in the order of the slots: everything is matched by the board's ID (slot,
// from 0).
import * as kit from '../../src/driver/kit/index.ts';
import { type Stats, statsRows } from '../_dialects/bitmain.ts';

type Answers = Readonly<Record<'devs' | 'stats' | 'temps', kit.Answer>>;

const idOf = (row: kit.Answer) => row.int('ID', { min: 0, max: 63 }) ?? -1;

/**
 * Boards that `devs` lists, and those that have chips; nothing when no answer tells of boards. The temperature is that
 * of the hottest chip, where a sensor is on chips, else of the hottest sensor: that is what `devs` tells, too.
 */
export function boardsOf({ devs, stats: answer, temps }: Answers, stats: Stats): kit.Draft {
  const rows = devs.rows('DEVS');
  if (rows === undefined && stats.boards === undefined) return {};
  const slots = new Set([...(rows?.map(idOf) ?? []), ...(stats.boards?.map(({ slot }) => slot) ?? [])]);
  const boards = [...slots]
    .toSorted((a, b) => a - b)
    .map((slot): kit.BoardDraft => {
      const row = rows?.findLast((each) => idOf(each) === slot);
      const own = stats.boards?.find((board) => board.slot === slot)?.reading;
      return {
        slot,
        ...(row && fromDevs(row)),
        // A board that is listed in `devs` and whose chain has no chips has lost them.
        chips:
          own?.chips ??
          statsRows(answer)
            .find((each) => each.has(chainOf(slot)))
            ?.count(chainOf(slot), 100_000),
        badChips: own?.badChips,
        frequencyMhz: kit.positive(own?.frequencyMhz),
        ...sensors(temps, slot),
      };
    });
  const isUntold = kit.hottestC(boards) === undefined;
  return { boards, ...(isUntold && { tempC: kit.largest(rows?.map((row) => row.tempC('Temperature')) ?? []) }) };
}

const chainOf = (slot: number) => `chain_acn${slot + 1}`;

function fromDevs(row: kit.Answer) {
  const isOff = row.bool('Enabled') === false || row.bool('IsUserShutdown') === true;
  return {
    serialNumber: row.text('SerialNumber'),
    hashrateHs: kit.hashrates(row).hashrateHs,
    expectedHashrateHs: kit.positive(row.rateHs('Nominal MHS', 'M')),
    hwErrors: row.count('Hardware Errors'),
    isAlive: isOff ? false : kit.aliveByWord(row.text('Status')),
  };
}

/** Four corners per board; other machines name their sensors otherwise. */
const CORNERS = ['TopLeft', 'TopRight', 'BottomLeft', 'BottomRight'];

/**
 * The labels say which sensors stand in the air that comes in or goes out. Where some stand in water, that is what
 * comes in and goes out, and the others (`Board Inlet`) are on the board. An S9 has a sensor on its board and one on a
 * chip, and repeats the latter as the temperature of the board.
 */
function sensors(temps: kit.Answer, slot: number) {
  const row = temps.rows('TEMPS')?.find((each) => idOf(each) === slot) ?? new kit.Answer(undefined);
  const labels = temps.row('METADATA');
  const all = [...new Set([...CORNERS, ...labels.keys()])].map((name) => ({
    label: labels.at(name).text('Label') ?? '',
    tempC: row.tempC(name),
  }));
  const inWater = all.filter(({ label }) => /water/i.test(label));
  const inFlow = inWater.length > 0 ? inWater : all;
  const labelled = (pattern: RegExp) =>
    kit.mean(inFlow.map(({ label, tempC }) => (pattern.test(label) ? tempC : undefined)));
  return {
    boardTempsC: [row.tempC('Board'), ...all.map((one) => (inWater.includes(one) ? undefined : one.tempC))],
    chipTempMaxC: row.tempC('Chip'),
    inletTempC: labelled(/intake|inlet/i),
    outletTempC: labelled(/exhaust|outlet/i),
  };
}
