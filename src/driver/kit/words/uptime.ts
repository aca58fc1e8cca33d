// Times of running that devices write in words, as seconds.
import { toText } from '../../fields.ts';

const seconds = (days = '0', hours = '0', minutes = '0', rest = '0'): number =>
  Number(days) * 86_400 + Number(hours) * 3_600 + Number(minutes) * 60 + Number(rest);

/** Days, hours, minutes and seconds: `03:09:36:02`. */
export function daysClockS(value: unknown): number | undefined {
  const [, days, hours, minutes, rest] = toText(value, 128)?.match(/^(\d{1,5}):(\d{1,2}):(\d{1,2}):(\d{1,2})$/) ?? [];
  return rest === undefined ? undefined : seconds(days, hours, minutes, rest);
}

/** The words of the program `uptime`: ` 10:22:33 up 1 day,  2:32,  load average: 0.10`, `up 12 min`, `up 3 days`. */
export function uptimeWordsS(value: unknown): number | undefined {
  const [, days, hours, minutes, onlyMinutes = minutes] =
    toText(value, 128)?.match(/\bup\s+(?:(\d{1,5}) days?(?:,\s*|$))?(?:(\d{1,2}):(\d\d)|(\d{1,2}) min|$)/) ?? [];
  return days === undefined && onlyMinutes === undefined ? undefined : seconds(days, hours, onlyMinutes);
}
