// Every threshold of the anomaly rules with its default: one schema, used as it is by the config file. Durations are written as text, kept in ms.
import { z } from 'zod';
import { DURATION_FORMS, parseDurationMs } from '../../../base/time/duration.ts';

const toMs = (text: string, context: z.RefinementCtx) => {
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined && durationMs <= 30 * 86_400_000) return durationMs;
  context.addIssue({ code: 'custom', message: `'${text}' is not ${DURATION_FORMS}, at most 30d` });
  return z.NEVER;
};
const duration = (fallback: string) => z.string().default(fallback).transform(toMs);

/** A condition counts after this many polls in a row and this much time, whichever takes longer. */
const hold = (polls: number, time: string) =>
  z.strictObject({ polls: z.int().min(1).max(1_000).default(polls), time: duration(time) }).prefault({});

type HoldDefault = readonly [polls: number, time: string];
const holds = (raise: HoldDefault, clear: HoldDefault) => ({ raise: hold(...raise), clear: hold(...clear) });

const ratio = (fallback: number) => z.number().min(0).max(10).default(fallback);
const tempC = z.number().min(-50).max(200);

/** Limits in degrees Celsius; those of the longest matching model name win. */
const temperatureLimitsSchema = z.strictObject({
  chipMaxC: tempC.optional(),
  boardMaxC: tempC.optional(),
  minC: tempC.optional(),
  inletMaxC: tempC.optional(),
  inletMinC: tempC.optional(),
  outletMaxC: tempC.optional(),
});
export type TemperatureLimits = z.infer<typeof temperatureLimitsSchema>;

export const anomalySettingsSchema = z.strictObject({
  /** Process age below which fans, boards, pools, power and hashrate are not judged. Default: what the family needs, else 10 min. */
  warmUp: z.string().transform(toMs).optional(),
  /** The most that a gap between two polls counts for in any hold, window or movement. */
  maxGap: duration('10m'),
  /** A raised condition whose field is no longer reported is dropped after this much successful polling. */
  forgetAfter: duration('30m'),
  /** What nobody tells us is learned: the best level held for `window`, renewed at least every `validFor`. */
  learning: z.strictObject({ window: duration('30m'), validFor: duration('7d') }).prefault({}),

  fan: z
    .strictObject({
      /** False on sites where air-cooled models run in oil without fans. */
      isExpected: z.boolean().default(true),
      /** Share of the median of its peers below which a turning fan is too slow. */
      slowRatio: ratio(0.2),
      ...holds([2, '0s'], [2, '0s']),
    })
    .prefault({}),
  power: z
    .strictObject({
      /** Above the configured power limit. */
      overLimitRatio: ratio(1.1),
      /** Above what it steadily drew in this mode. */
      overLearnedRatio: ratio(1.3),
      ...holds([2, '2m'], [2, '0s']),
    })
    .prefault({}),
  temperature: z
    .strictObject({
      chipMaxC: tempC.default(95),
      boardMaxC: tempC.default(85),
      minC: tempC.default(0),
      inletMaxC: tempC.optional(),
      inletMinC: tempC.optional(),
      outletMaxC: tempC.optional(),
      /** How far inside the limit it must come to clear. */
      clearByC: z.number().min(0).max(50).default(5),
      /** By model name, matched as whole words anywhere in the reported model. */
      models: z.record(z.string().min(1).max(64), temperatureLimitsSchema).default({}),
      ...holds([2, '0s'], [2, '0s']),
    })
    .prefault({}),
  hashboard: z
    .strictObject({
      hwErrorPercent: z.number().min(0).max(100).default(1),
      hwErrorMajorPercent: z.number().min(0).max(100).default(5),
      hwErrorWindow: duration('20m'),
      ...holds([2, '0s'], [3, '0s']),
    })
    .prefault({}),
  network: z
    .strictObject({
      /** Address changes within an hour that make a flapping link. */
      addressChangesPerHour: z.int().min(2).max(100).default(3),
      /** How often within an hour it must stop answering to be one that answers now and then only. */
      lossesPerHour: z.int().min(3).max(100).default(5),
      ...holds([2, '0s'], [1, '0s']),
    })
    .prefault({}),
  firmware: z
    .strictObject({
      /** Accepted firmware versions, by their beginning; empty = any. */
      allowed: z.array(z.string().min(1).max(128)).max(256).default([]),
      ...holds([2, '0s'], [1, '0s']),
    })
    .prefault({}),
  unknown: z
    .strictObject({
      /** Times the expected hashrate beyond which a value is not believed. */
      implausibleRatio: z.number().min(1).max(1_000).default(3),
      /** H/s that no single unit reaches, whatever is expected of it: 5 PH/s. */
      maxHashrateHs: z.number().min(1).max(1e18).default(5e15),
      /** Whether it mines is a question after this long without a rate, a share or a word of its own. */
      mining: duration('5m'),
      /** The same hashrate to the last digit for this long is no measurement. */
      frozen: hold(5, '3m'),
      ...holds([2, '0s'], [2, '0s']),
    })
    .prefault({}),
  lowHashrate: z
    .strictObject({
      raiseRatio: ratio(0.75),
      clearRatio: ratio(0.8),
      minUptime: duration('30m'),
      /** Window of our own average, for devices that report none. */
      average: duration('5m'),
      ...holds([2, '0s'], [2, '0s']),
    })
    .prefault({}),
  controlBoard: z
    .strictObject({
      /** Restarts that nobody asked for within an hour. */
      restartsPerHour: z.int().min(2).max(8).default(2),
      ...holds([1, '0s'], [1, '0s']),
    })
    .prefault({}),
  pool: z
    .strictObject({
      rejectPercent: z.number().min(0).max(100).default(5),
      rejectMajorPercent: z.number().min(0).max(100).default(10),
      rejectClearPercent: z.number().min(0).max(100).default(4),
      rejectWindow: duration('10m'),
      /** No accepted share for this long while hashing; longer for miners whose shares are rare. */
      noShare: duration('10m'),
      /** The same before the first share of a process, and where the process age is not known. */
      noFirstShare: duration('30m'),
      /** The first pool is dead for this long while another one works. */
      elsewhere: duration('10m'),
      /** Hosts (or their parents, `example.com` covers `eu.example.com`) that may be mined at; empty = any. */
      allowedHosts: z.array(z.string().min(1).max(253)).max(256).default([]),
      ...holds([2, '0s'], [3, '0s']),
    })
    .prefault({}),
});
export type AnomalySettings = z.output<typeof anomalySettingsSchema>;
export type Hold = AnomalySettings['fan']['raise'];
