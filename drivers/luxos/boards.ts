// Boards and their sensors. `devs` is not in the order of the slots: everything is matched by the board's ID (slot,
// from 0).
import { first, largest, mean, toNumber, toTempC } from '../../src/driver/fields.ts';
import type { BoardReading } from '../../src/model/reading.ts';
import type { Stats } from '../_dialects/bitmain.ts';
import { aliveByWord, positive, present, rateHs } from '../_dialects/cgminer.ts';
import { hashrates } from '../_dialects/windows.ts';
import { type BoardRow, CORNERS, type Replies, type Temps } from './replies.ts';

/** Undefined when no answer tells of boards: those that `devs` lists, and those that have chips. */
export function boards(replies: Replies, stats: Stats | undefined): BoardReading[] | undefined {
  const rows = replies.devs?.DEVS;
  if (rows === undefined && stats?.boards === undefined) return undefined;
  const bySlot = new Map(rows?.flatMap((row): [number, BoardRow][] => (row.ID === undefined ? [] : [[row.ID, row]])));
  const slots = new Set([...bySlot.keys(), ...(stats?.boards?.map(({ slot }) => slot) ?? [])]);
  return [...slots]
    .toSorted((a, b) => a - b)
    .map((slot) => {
      const row = bySlot.get(slot);
      const own = stats?.boards?.find((board) => board.slot === slot)?.reading;
      return present({
        slot,
        ...(row && fromDevs(row)),
        chips: own?.chips ?? chipCount(replies, slot),
        badChips: own?.badChips,
        frequencyMhz: positive(own?.frequencyMhz),
        ...sensors(replies.temps, slot),
      });
    });
}

function fromDevs(row: BoardRow) {
  const isOff = row.Enabled === false || row.IsUserShutdown === true;
  return {
    serialNumber: row.SerialNumber,
    hashrateHs: hashrates(row).hashrateHs,
    expectedHashrateHs: positive(rateHs(row['Nominal MHS'], 'M')),
    hwErrors: row['Hardware Errors'],
    isAlive: isOff ? false : aliveByWord(row.Status),
  };
}

/** A board that is listed in `devs` and whose chain has no chips has lost them. */
function chipCount({ stats }: Replies, slot: number): number | undefined {
  const key = `chain_acn${slot + 1}`;
  const count = toNumber(stats?.STATS?.find((row) => row[key] !== undefined)?.[key], { min: 0, max: 100_000 });
  return count === undefined ? undefined : Math.round(count);
}

/**
 * The labels say which sensors stand in the air that comes in or goes out. Where some stand in water, that is what
 * comes in and goes out, and the others (`Board Inlet`) are on the board. An S9 has a sensor on its board and one on a
 * chip, and repeats the latter as the temperature of the board.
 */
function sensors(temps: Temps | undefined, slot: number) {
  const row = temps?.TEMPS?.find(({ ID }) => ID === slot);
  const labels = temps?.METADATA?.[0] ?? {};
  const all = [...new Set([...CORNERS, ...Object.keys(labels)])].map((name) => ({
    label: labels[name]?.Label ?? '',
    tempC: toTempC(row?.[name]),
  }));
  const inWater = all.filter(({ label }) => /water/i.test(label));
  const inFlow = inWater.length > 0 ? inWater : all;
  const labelled = (pattern: RegExp) =>
    mean(inFlow.map(({ label, tempC }) => (pattern.test(label) ? tempC : undefined)));
  const onBoard = [row?.Board, ...all.flatMap((one) => (inWater.includes(one) ? [] : [one.tempC]))];
  const boardTempsC = onBoard.filter((tempC) => tempC !== undefined);
  return {
    boardTempsC: boardTempsC.length === 0 ? undefined : boardTempsC,
    chipTempMaxC: row?.Chip,
    inletTempC: labelled(/intake|inlet/i),
    outletTempC: labelled(/exhaust|outlet/i),
  };
}

/** The hottest chip, where there is a sensor on chips, else the hottest sensor: that is what `devs` tells, too. */
export function hottestC(
  list: readonly BoardReading[] | undefined,
  devs: readonly BoardRow[] = [],
): number | undefined {
  return first(
    largest(list?.map(({ chipTempMaxC }) => chipTempMaxC) ?? []),
    largest(list?.flatMap(({ boardTempsC }) => boardTempsC ?? []) ?? []),
    largest(devs.map(({ Temperature }) => Temperature)),
  );
}
