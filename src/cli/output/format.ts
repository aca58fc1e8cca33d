// Numbers for people: hashrates with a fitting unit, powers, temperatures, uptimes; `–` for an unknown value. Not for
// JSON.
import { formatDurationMs } from '../../base/time/duration.ts';
import { HASHRATE_UNITS } from '../../model/hashrate-units.ts';
import { plainText } from '../../model/plain-text.ts';

/** Of a log or an address of a pool; everything else is shorter. */
const MAX_TEXT = 4_096;

export const UNKNOWN = '–';

export function formatHashrate(hashrateHs: number | undefined | null): string {
  if (hashrateHs === undefined || hashrateHs === null) return UNKNOWN;
  const [size, unit] = HASHRATE_UNITS.find(([size]) => hashrateHs >= size) ?? [1, 'H/s'];
  return `${(hashrateHs / size).toFixed(size === 1 ? 0 : 2)} ${unit}`;
}

export function formatNumber(value: number | undefined | null, unit: string, digits = 0): string {
  return value === undefined || value === null ? UNKNOWN : `${value.toFixed(digits)} ${unit}`;
}

export function formatUptime(uptimeS: number | undefined | null): string {
  return uptimeS === undefined || uptimeS === null ? UNKNOWN : formatDurationMs(Math.floor(uptimeS) * 1_000);
}

export function formatText(value: string | undefined | null): string {
  return plainText(value, MAX_TEXT) ?? UNKNOWN;
}

/** `Antminer S19 Pro`, but not `Avalon Avalon 1246`. */
export function formatModel(make: string | undefined | null, model: string | undefined | null): string {
  if (make === undefined || make === null || model?.startsWith(make)) return formatText(model);
  return formatText(`${make} ${model ?? ''}`.trim());
}

/** A moment, in the time zone of this host: `2026-11-23 07:58:05`. JSON output has it in UTC. */
export function formatTime(moment: string | number | Date): string;
export function formatTime(moment: string | number | Date | null | undefined): string | null;
export function formatTime(moment: string | number | Date | null | undefined): string | null {
  if (moment === null || moment === undefined) return null;
  const date = new Date(moment);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const DAY_MS = 86_400_000;

/** How long ago it was, in its largest unit: `3d ago`. */
export function formatAge(ageMs: number): string {
  const size = [DAY_MS, DAY_MS / 24, 60_000, 1_000].find((unitMs) => ageMs >= unitMs) ?? 1_000;
  return `${formatDurationMs(Math.max(0, Math.floor(ageMs / size)) * size)} ago`;
}

/** Since when something is so: `07:58` of today, else with the day. `nowMs` = wall time. */
export function formatSince(since: string | number, nowMs: number): string {
  const [time, now] = [formatTime(since), formatTime(nowMs)];
  const isToday = time.slice(0, 10) === now.slice(0, 10);
  return time.slice(isToday ? 11 : 0, 16);
}

/** `1 slice`, `2 slices`. */
export const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
