// Values of options, read with their bounds. What is wrong becomes a ConfigError that names the option.
import { ConfigError } from '../base/errors.ts';
import { DURATION_FORMS, parseDurationMs } from '../base/time/duration.ts';

export const wrongOption = (option: string, message: string): ConfigError =>
  new ConfigError('read the command line', [{ path: option, message }]);

export function readWhole(option: string, text: string, min: number, max: number, what = 'whole number'): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw wrongOption(option, `'${text}' is not a ${what} from ${min} to ${max}`);
}

/** Milliseconds. */
export function readDuration(option: string, text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs === undefined) throw wrongOption(option, `'${text}' is not ${DURATION_FORMS}`);
  return durationMs;
}

/** `a,b` and repeated options alike. */
export const splitList = (texts: readonly string[]): string[] =>
  texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
