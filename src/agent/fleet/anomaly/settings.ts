// Every threshold of the anomaly rules with its default: one schema, also used by the config file. Durations are texts
// there and ms in the code.
import { z } from 'zod';
import { decimal, durationText, toggle, whole } from '../../../base/settings.ts';

const anyDuration = durationText('0s', '30d');
const duration = (fallback: string, meaning: string) => anyDuration.prefault(fallback).describe(meaning);

/** A condition takes effect after this many polls in a row and this much time, whichever takes longer. */
const hold = (verb: string, polls: number, time: string) =>
  z
    .strictObject({
      polls: whole(1, 1_000, polls, `Polls in a row before the flag ${verb}.`),
      time: duration(time, `Time before the flag ${verb}, if that is longer.`),
    })
    .prefault({});

type HoldDefault = readonly [polls: number, time: string];
const holds = (raise: HoldDefault, clear: HoldDefault) => ({
  raise: hold('is raised', ...raise),
  clear: hold('clears', ...clear),
});

const ratio = (fallback: number, meaning: string) => decimal(0, 10, fallback, meaning);
const percent = (fallback: number, meaning: string) => decimal(0, 100, fallback, meaning);
const tempC = z.number().min(-50).max(200);
const chipMaxC = tempC.describe('Highest chip temperature, degrees Celsius.');
const boardMaxC = tempC.describe('Highest board temperature, degrees Celsius.');
const minC = tempC.describe('Lowest temperature of a mining unit, degrees Celsius.');
/** No default: the limits of inlet and outlet depend on the site. */
const inletAndOutlet = {
  inletMaxC: tempC.describe('Highest inlet temperature, degrees Celsius.').optional(),
  inletMinC: tempC.describe('Lowest inlet temperature, degrees Celsius.').optional(),
  outletMaxC: tempC.describe('Highest outlet temperature, degrees Celsius.').optional(),
};

const temperatureLimitsSchema = z.strictObject({
  chipMaxC: chipMaxC.optional(),
  boardMaxC: boardMaxC.optional(),
  minC: minC.optional(),
  ...inletAndOutlet,
});
export type TemperatureLimits = z.infer<typeof temperatureLimitsSchema>;

/** The descriptions are the text of `configuration.md` in the handbook. */
export const anomalySettingsSchema = z.strictObject({
  warmUp: anyDuration
    .optional()
    .describe(
      'Fans, boards, pools, power and hashrate are not judged while the mining process is younger. Default: what the family needs, else 10m.',
    ),
  maxGap: duration('10m', 'The most that a gap between two polls counts for in a hold, window or movement.'),
  forgetAfter: duration(
    '30m',
    'Polling time after which a raised condition is dropped when its field is no longer reported.',
  ),
  learning: z
    .strictObject({
      window: duration('30m', 'Time over which a miner must hold its best level for that to be learned.'),
      validFor: duration('7d', 'Age at which a learned level is learned again.'),
    })
    .prefault({}),

  fan: z
    .strictObject({
      isExpected: toggle(true, 'False where air-cooled models run in oil without fans.'),
      slowRatio: ratio(0.2, "Share of the median speed of the unit's other fans below which a fan is too slow."),
      ...holds([2, '0s'], [2, '0s']),
    })
    .prefault({}),
  power: z
    .strictObject({
      overLimitRatio: ratio(1.1, 'Multiple of the power limit that is set on the miner.'),
      overLearnedRatio: ratio(1.3, 'Multiple of the power that the miner steadily drew in this mode.'),
      ...holds([2, '2m'], [2, '0s']),
    })
    .prefault({}),
  temperature: z
    .strictObject({
      chipMaxC: chipMaxC.default(95),
      boardMaxC: boardMaxC.default(85),
      minC: minC.default(0),
      ...inletAndOutlet,
      clearByC: decimal(0, 50, 5, 'Degrees inside the limit at which the flag clears.'),
      models: z
        .record(z.string().min(1).max(64), temperatureLimitsSchema)
        .default({})
        .meta({ form: 'map of model words to limits' })
        .describe(
          'Other limits for models whose reported name holds these whole words, e.g. `{ S21 Hyd: { chipMaxC: 85 } }`. The longest match wins.',
        ),
      ...holds([2, '0s'], [2, '0s']),
    })
    .prefault({}),
  hashboard: z
    .strictObject({
      hwErrorPercent: percent(1, 'Hardware errors of a board, percent.'),
      hwErrorMajorPercent: percent(5, 'The same for a major flag.'),
      hwErrorWindow: duration('20m', 'Time over which hardware errors are counted.'),
      ...holds([2, '0s'], [3, '0s']),
    })
    .prefault({}),
  network: z
    .strictObject({
      addressChangesPerHour: whole(2, 100, 3, 'Changes of address in an hour that make a flapping link.'),
      lossesPerHour: whole(
        3,
        100,
        5,
        'Times in an hour that a miner stops answering before its link counts as flapping.',
      ),
      ...holds([2, '0s'], [1, '0s']),
    })
    .prefault({}),
  firmware: z
    .strictObject({
      allowed: z
        .array(z.string().min(1).max(128))
        .max(256)
        .default([])
        .describe('Accepted firmware versions, by their beginning. Empty: any.'),
      ...holds([2, '0s'], [1, '0s']),
    })
    .prefault({}),
  unknown: z
    .strictObject({
      implausibleRatio: decimal(1, 1_000, 3, 'Multiple of the expected hashrate above which a value is not believed.'),
      maxHashrateHs: decimal(1, 1e18, 5e15, 'Hashrate in H/s that no single unit reaches: 5 PH/s.'),
      mining: duration(
        '5m',
        'Time without a rate, a share or a word of the device after which it is not known whether it mines.',
      ),
      frozen: hold('is raised for the same hashrate to the last digit', 5, '3m'),
      ...holds([2, '0s'], [2, '0s']),
    })
    .prefault({}),
  lowHashrate: z
    .strictObject({
      raiseRatio: ratio(0.75, 'Share of the expected hashrate below which the flag is raised.'),
      clearRatio: ratio(0.8, 'Share of the expected hashrate at which it clears.'),
      minUptime: duration('30m', 'Younger mining processes are not judged.'),
      average: duration('5m', "Window of the agent's own average, for devices that report none."),
      ...holds([2, '0s'], [2, '0s']),
    })
    .prefault({}),
  controlBoard: z
    .strictObject({
      restartsPerHour: whole(2, 8, 2, 'Restarts in an hour that no task asked for.'),
      ...holds([1, '0s'], [1, '0s']),
    })
    .prefault({}),
  pool: z
    .strictObject({
      rejectPercent: percent(5, 'Rejected shares, percent.'),
      rejectMajorPercent: percent(10, 'The same for a major flag.'),
      rejectClearPercent: percent(4, 'Percent at which it clears.'),
      rejectWindow: duration('10m', 'Time over which shares are counted.'),
      noShare: duration(
        '10m',
        'Time without an accepted share while the unit hashes. Longer for miners whose shares are rare.',
      ),
      noFirstShare: duration(
        '30m',
        'The same before the first share of a process, and where the age of the process is not known.',
      ),
      elsewhere: duration('10m', 'Time for which the first pool is dead while another one works.'),
      allowedHosts: z
        .array(z.string().min(1).max(253))
        .max(256)
        .default([])
        .describe('Pool hosts that are accepted; `example.com` covers `eu.example.com`. Empty: any.'),
      ...holds([2, '0s'], [3, '0s']),
    })
    .prefault({}),
});
export type AnomalySettings = z.output<typeof anomalySettingsSchema>;
export type Hold = AnomalySettings['fan']['raise'];
