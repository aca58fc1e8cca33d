// The kinds of values of a configuration: bounds, default and meaning in one call. The meanings are the text of
// `configuration.md`.
import { z } from 'zod';
import { DURATION_FORMS, parseDurationMs } from './time/duration.ts';

export const whole = (min: number, max: number, fallback: number, meaning: string) =>
  z.int().min(min).max(max).default(fallback).describe(meaning);

export const decimal = (min: number, max: number, fallback: number, meaning: string) =>
  z.number().min(min).max(max).default(fallback).describe(meaning);

export const toggle = (fallback: boolean, meaning: string) => z.boolean().default(fallback).describe(meaning);

/** Written as text, such as `1h30m`; milliseconds once it is read. */
export const durationText = (min: string, max: string) => {
  const [minMs, maxMs] = [parseDurationMs(min) ?? 0, parseDurationMs(max) ?? 0];
  return z
    .string()
    .transform((text, context) => {
      const durationMs = parseDurationMs(text);
      if (durationMs !== undefined && durationMs >= minMs && durationMs <= maxMs) return durationMs;
      context.addIssue({ code: 'custom', message: `'${text}' is not ${DURATION_FORMS} between ${min} and ${max}` });
      return z.NEVER;
    })
    .meta({ form: `duration, ${min} to ${max}` });
};

export const duration = (min: string, max: string, fallback: string, meaning: string) =>
  durationText(min, max).prefault(fallback).describe(meaning);
