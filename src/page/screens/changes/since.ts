// From when on changes are shown, as it stands in the address: a number of hours, the newest moment at which the clock
// of this device showed a time of the day (a shift begins then), or a moment. Pure.

export type Since =
  | { readonly kind: 'hours'; readonly hours: number }
  | { readonly kind: 'clock'; readonly hour: number; readonly minute: number }
  | { readonly kind: 'moment'; readonly atMs: number };

const HOUR_MS = 3_600_000;
export const USUAL: Since = { kind: 'hours', hours: 12 };
/** Of 400 days, for which the service keeps what happened. */
const MOST_HOURS = 9_600;

/** What is none of the three is what is usual. */
export function readSince(written: string | undefined): Since {
  const text = written ?? '';
  const [, hours] = /^(\d{1,4})h$/.exec(text) ?? [];
  if (hours !== undefined) {
    const count = Number(hours);
    return count >= 1 && count <= MOST_HOURS ? { kind: 'hours', hours: count } : USUAL;
  }
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour !== undefined && minute !== undefined) return { kind: 'clock', hour: Number(hour), minute: Number(minute) };
  const atMs = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(atMs) ? { kind: 'moment', atMs } : USUAL;
}

const two = (value: number): string => String(value).padStart(2, '0');

export function writeSince(since: Since): string {
  if (since.kind === 'hours') return `${since.hours}h`;
  return since.kind === 'clock' ? `${two(since.hour)}:${two(since.minute)}` : new Date(since.atMs).toISOString();
}

/** Never after now. */
export function beginOf(since: Since, nowMs: number): number {
  if (since.kind === 'hours') return nowMs - since.hours * HOUR_MS;
  if (since.kind === 'moment') return Math.min(since.atMs, nowMs);
  const today = new Date(nowMs);
  today.setHours(since.hour, since.minute, 0, 0);
  if (today.getTime() > nowMs) today.setDate(today.getDate() - 1);
  return today.getTime();
}

/** As the field of a form has it, by the clock of this device: `2026-11-26T07:00`. */
export function fieldOf(atMs: number): string {
  const at = new Date(atMs);
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Undefined = it is not filled in. */
export function momentOf(field: string): Since | undefined {
  const atMs = new Date(field).getTime();
  return Number.isFinite(atMs) ? { kind: 'moment', atMs } : undefined;
}
