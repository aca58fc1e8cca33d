// What one report adds to history: to the cells of its farm, and to what is kept of its miner. A minute counts once.
// Pure.
import type { MinerRecord } from '../../../wire/records.ts';
import {
  CELL_MS,
  HOUR_MS,
  MINUTE_MS,
  NO_SUMS,
  QUANTITIES,
  type Quantity,
  quantitiesOf,
  type Sums,
  sumsOf,
} from './history-sums.ts';
import { minutesOf } from './miner/hour-sums.ts';
import { addToHour, type OpenHours } from './miner/open-hours.ts';
import { insert, newMinutes, type Span, touches, union } from './presence-intervals.ts';

/** Of a miner: its minutes, for each quantity the cells in which it was known, and the hours that are added to. */
export type Presence = {
  readonly spans: readonly Span[];
  readonly known: Readonly<Record<Quantity, readonly Span[]>>;
  readonly open: OpenHours;
};
export const ABSENT: Presence = { spans: [], known: { hashrate: [], expected: [], power: [] }, open: [] };

const CELL_MINUTES = CELL_MS / MINUTE_MS;
const HOUR_MINUTES = HOUR_MS / MINUTE_MS;

/** Of two rows that become one: a minute that was counted for either counts no more. */
export const mergePresence = (a: Presence = ABSENT, b: Presence = ABSENT): Presence => ({
  spans: union(a.spans, b.spans),
  known: {
    hashrate: union(a.known.hashrate, b.known.hashrate),
    expected: union(a.known.expected, b.known.expected),
    power: union(a.known.power, b.known.power),
  },
  open: b.open.reduce((open, { hour, sums }) => addToHour(open, hour, sums), a.open),
});

type Sample = { readonly record: MinerRecord; readonly minute: number };

/** Gives the same presence where nothing of the miner has changed. `reach`: see `newMinutes`. */
export function accountFor(
  presence: Presence,
  { record, minute }: Sample,
  reach: number,
  addToCell: (cell: number, sums: Sums) => void,
): Presence {
  const fresh = newMinutes(presence.spans, minute, reach).flatMap(splitByCell);
  if (fresh.length === 0) return accountForPeak(presence, { record, minute }, addToCell);
  let { spans, known, open } = presence;
  const values = quantitiesOf(record);
  for (const span of fresh) {
    const cell = Math.floor(span[0] / CELL_MINUTES);
    const minutes = span[1] - span[0] + 1;
    const first: readonly ('miner' | Quantity)[] = [
      ...(touches(spans, [cell * CELL_MINUTES, (cell + 1) * CELL_MINUTES - 1]) ? [] : (['miner'] as const)),
      ...QUANTITIES.filter((quantity) => values[quantity] !== null && !touches(known[quantity], [cell, cell])),
    ];
    addToCell(
      cell,
      sumsOf(record, minutes, (what) => first.includes(what)),
    );
    spans = insert(spans, span);
    for (const what of first) if (what !== 'miner') known = { ...known, [what]: insert(known[what], [cell, cell]) };
    open = addToHour(open, Math.floor(span[0] / HOUR_MINUTES), minutesOf(record, minutes));
  }
  return { spans, known, open };
}

/** A second reading within the minute counts no time, but a peak is a peak. */
function accountForPeak(
  presence: Presence,
  { record, minute }: Sample,
  addToCell: (cell: number, sums: Sums) => void,
): Presence {
  const peak = minutesOf(record, 0);
  const { temperatureMax } = peak;
  if (temperatureMax === null) return presence;
  addToCell(Math.floor(minute / CELL_MINUTES), { ...NO_SUMS, temperature_max: temperatureMax });
  const hour = Math.floor(minute / HOUR_MINUTES);
  const before = presence.open.find((one) => one.hour === hour)?.sums.temperatureMax ?? null;
  if (before !== null && before >= temperatureMax) return presence;
  return { ...presence, open: addToHour(presence.open, hour, peak) };
}

function splitByCell([first, last]: Span): Span[] {
  const parts: Span[] = [];
  for (let start = first; start <= last; ) {
    const end = Math.min(last, (Math.floor(start / CELL_MINUTES) + 1) * CELL_MINUTES - 1);
    parts.push([start, end]);
    start = end + 1;
  }
  return parts;
}
