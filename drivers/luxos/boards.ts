// Boards and their sensors. `devs` is not in the order of the slots: everything is matched by the board's ID (slot, from 0).
import { largest, mean, toNumber } from '../../src/driver/fields.ts';
import type { BoardReading } from '../../src/model/reading.ts';
import type { Stats } from '../_families/bitmain.ts';
import { aliveByWord, hashrates, positive, present, rateHs } from '../_families/cgminer.ts';
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
        ...sensors(replies.temps, slot, row?.Temperature),
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

/** Four corners per board. Their labels say which stand in the air (or water) that comes in or goes out; layouts differ. */
function sensors(temps: Temps | undefined, slot: number, hottest: number | undefined) {
  const row = temps?.TEMPS?.find(({ ID }) => ID === slot);
  const labels = temps?.METADATA?.[0];
  const labelled = (pattern: RegExp) =>
    mean(CORNERS.flatMap((corner) => (pattern.test(labels?.[corner]?.Label ?? '') ? [row?.[corner]] : [])));
  const onBoard = CORNERS.filter((corner) => !/water/i.test(labels?.[corner]?.Label ?? '')).flatMap(
    (corner) => row?.[corner] ?? [],
  );
  const boardTempsC = onBoard.length > 0 ? onBoard : hottest === undefined ? undefined : [hottest];
  return {
    boardTempsC,
    inletTempC: labelled(/intake|inlet/i),
    outletTempC: labelled(/exhaust|outlet/i),
  };
}

/** The hottest sensor: LuxOS has none on chips. */
export function hottestC(list: readonly BoardReading[] | undefined): number | undefined {
  return largest(list?.flatMap(({ boardTempsC }) => boardTempsC ?? []) ?? []);
}
