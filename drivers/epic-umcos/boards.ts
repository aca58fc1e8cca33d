// The boards of an ePIC miner: what is found and enabled, what it hashes, its sensors, and its chips where they are
// told.
import { first, largest, toText } from '../../src/driver/fields.ts';
import type { BoardReading } from '../../src/model/reading.ts';
import { positive, present, rateHs } from '../_dialects/cgminer.ts';
import type { Replies } from './replies.ts';

/** A board that is found but switched off has no row among those that hash; one that is not found is no board. */
export function boardsOf({ summary, temps, hashrate, capabilities }: Replies): BoardReading[] | undefined {
  const rows = summary?.HBs;
  const states = summary?.HBStatus;
  if (rows === undefined && states === undefined) return undefined;
  const slots = new Set<number>();
  for (const { Index, Detected } of states ?? []) if (Index !== undefined && Detected !== false) slots.add(Index);
  for (const { Index } of rows ?? []) if (Index !== undefined) slots.add(Index);
  const serials = serialsOf(capabilities?.['Board Serial Numbers'], enabledSlots(rows, states));
  return [...slots]
    .toSorted((a, b) => a - b)
    .map((slot) => {
      const row = rows?.find(({ Index }) => Index === slot);
      const isEnabled = states?.find(({ Index }) => Index === slot)?.Enabled;
      const sensors = temps?.find(({ Index }) => Index === slot)?.Data ?? [];
      const hashrateHs = rateHs(row?.Hashrate?.[0], 'M');
      const ideal = row?.Hashrate?.[1];
      return present({
        slot,
        serialNumber: serials.get(slot),
        hashrateHs,
        expectedHashrateHs: hashrateHs && ideal && ideal > 1 ? hashrateHs / (ideal / 100) : undefined,
        chips: hashrateHs ? chipsOf(hashrate, slot) : undefined,
        frequencyMhz: first(row?.['Core Clock Avg'], row?.['Core Clock']),
        voltageV: positive(row?.['Input Voltage']),
        powerW: positive(row?.['Input Power']),
        boardTempsC: sensors.length > 0 ? sensors : row?.Temperature === undefined ? undefined : [row.Temperature],
        inletTempC: sensors.length > 1 ? Math.min(...sensors) : undefined,
        outletTempC: sensors.length > 1 ? Math.max(...sensors) : undefined,
        isAlive: isEnabled,
      });
    });
}

type Rows = NonNullable<Replies['summary']>['HBs'];
type States = NonNullable<Replies['summary']>['HBStatus'];

function enabledSlots(rows: Rows, states: States): number[] {
  const enabled = states?.filter(({ Enabled, Detected }) => Enabled === true && Detected !== false);
  return (enabled ?? rows ?? []).flatMap(({ Index }) => Index ?? []).toSorted((a, b) => a - b);
}

/** The list has no numbers: it counts only if it has as many as there are boards at work. */
function serialsOf(list: readonly string[] | undefined, slots: readonly number[]): ReadonlyMap<number, string> {
  const written = list?.map((serial) => toText(serial) ?? '') ?? [];
  if (written.length !== slots.length || written.some((serial) => serial === '' || serial.length > 128))
    return new Map();
  return new Map(slots.flatMap((slot, place) => (written[place] === undefined ? [] : [[slot, written[place]]])));
}

/** Chips that hash; while none does, there is no telling. */
function chipsOf(chips: Replies['hashrate'], slot: number): number | undefined {
  const rows = chips?.find(({ Index }) => Index === slot)?.Data;
  const working = rows?.filter(([rate]) => typeof rate === 'number' && rate > 0).length;
  return working === 0 ? undefined : working;
}

/** The hottest board sensor: chips tell no temperature of their own with each poll. */
export function hottestC(boards: readonly BoardReading[] | undefined): number | undefined {
  const alive = boards?.filter(({ isAlive }) => isAlive !== false) ?? [];
  const of = (list: readonly BoardReading[]) => largest(list.flatMap(({ boardTempsC }) => boardTempsC ?? []));
  return first(of(alive), of(boards ?? []));
}
