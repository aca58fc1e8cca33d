// What the clock on a wall shows at a moment, in the time zone of this host or in another one, for sheets that have no
// time zones.

/** Gives ms as if that clock showed UTC. */
export type WallClock = (atMs: number) => number;

export const ownWallClock: WallClock = (atMs) => atMs - new Date(atMs).getTimezoneOffset() * 60_000;

/** Time zones change at quarters of an hour and no other moments. */
const QUARTER_MS = 900_000;

/** `zone` = a name of the IANA, such as `America/Chicago`; undefined where there is none of that name. */
export function wallClockOf(zone: string): WallClock | undefined {
  const fields = fieldsOf(zone);
  if (fields === undefined) return undefined;
  const offsets = new Map<number, number>();
  return (atMs) => {
    const quarterMs = Math.floor(atMs / QUARTER_MS) * QUARTER_MS;
    const offset = offsets.get(quarterMs) ?? shownMs(fields, quarterMs) - quarterMs;
    offsets.set(quarterMs, offset);
    return atMs + offset;
  };
}

function fieldsOf(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  } catch {
    return undefined;
  }
}

function shownMs(fields: Intl.DateTimeFormat, atMs: number): number {
  const shown = new Map(fields.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const of = (name: Intl.DateTimeFormatPartTypes) => shown.get(name) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

/** `2026-11-23 07:58:05`, of what a wall clock shows. */
export const wallText = (wallMs: number): string => new Date(wallMs).toISOString().slice(0, 19).replace('T', ' ');
