// What one visit to one miner reports, in our units. Everything is optional: absent means that the miner did not report
// it, never zero. Units are in the names: H/s, W, degrees Celsius, rpm, MHz, seconds. Values outside the physically
// plausible range are dropped earlier (driver/fields.ts), so a Reading that does not pass this schema is a bug.
import { z } from 'zod';
import { ERROR_CATEGORY_FLAG, type ErrorCategory } from './flags/flags.ts';

const count = z.int().min(0).max(1_000_000_000_000_000);
const tempC = z.number().min(-50).max(200);
const hashrateHs = z.number().min(0).max(1e18);
const powerW = z.number().min(0).max(100_000);
const rpm = z.number().min(0).max(30_000);
const seconds = z.number().min(0).max(4e9);
const text = z.string().min(1).max(256);

const miningModeSchema = z.enum(['sleep', 'low', 'normal', 'high', 'power_tuning', 'hashrate_tuning']);
export type MiningMode = z.infer<typeof miningModeSchema>;

export const COOLINGS = ['air', 'liquid'] as const;
export type Cooling = (typeof COOLINGS)[number];

/** One populated hashboard. `slot` counts from 0 in the device's own order. A missing board is not in the list. */
const boardReadingSchema = z.strictObject({
  slot: z.int().min(0).max(63),
  serialNumber: text.optional(),
  hashrateHs: hashrateHs.optional(),
  expectedHashrateHs: hashrateHs.optional(),
  /** Working chips. */
  chips: z.int().min(0).max(100_000).optional(),
  /** Chips that the device itself marks bad. */
  badChips: z.int().min(0).max(100_000).optional(),
  frequencyMhz: z.number().min(0).max(10_000).optional(),
  /** What the board is fed with. */
  voltageV: z.number().min(0).max(100).optional(),
  powerW: powerW.optional(),
  /** Sensors on the board (PCB), in the device's order. */
  boardTempsC: z.array(tempC).max(64).optional(),
  chipTempMaxC: tempC.optional(),
  chipTempAvgC: tempC.optional(),
  inletTempC: tempC.optional(),
  outletTempC: tempC.optional(),
  /** Cumulative hardware errors since the mining process started. */
  hwErrors: count.optional(),
  /** The device says that this board is alive; false = it says that it is dead or disabled. */
  isAlive: z.boolean().optional(),
});
export type BoardReading = z.infer<typeof boardReadingSchema>;

const fanReadingSchema = z.strictObject({
  index: z.int().min(0).max(31),
  rpm: rpm.optional(),
  dutyPercent: z.number().min(0).max(100).optional(),
});
export type FanReading = z.infer<typeof fanReadingSchema>;

const psuReadingSchema = z.strictObject({
  serialNumber: text.optional(),
  model: text.optional(),
  tempC: tempC.optional(),
  fanRpm: rpm.optional(),
  inputPowerW: powerW.optional(),
  outputPowerW: powerW.optional(),
  inputVoltageV: z.number().min(0).max(1_000).optional(),
  outputVoltageV: z.number().min(0).max(1_000).optional(),
  isOk: z.boolean().optional(),
});
export type PsuReading = z.infer<typeof psuReadingSchema>;

/**
 * One configured pool. `index` is its position in the device's list. Share counts and difficulties are cumulative since
 * process start.
 */
const poolReadingSchema = z.strictObject({
  index: z.int().min(0).max(63),
  url: z.string().max(512),
  user: z.string().max(512),
  isAlive: z.boolean().optional(),
  isActive: z.boolean().optional(),
  accepted: count.optional(),
  rejected: count.optional(),
  stale: count.optional(),
  difficultyAccepted: z.number().min(0).optional(),
  difficultyRejected: z.number().min(0).optional(),
  difficultyStale: z.number().min(0).optional(),
  /** Difficulty of the work in hand. */
  difficulty: z.number().min(0).optional(),
});
export type PoolReading = z.infer<typeof poolReadingSchema>;

const errorCategorySchema = z.custom<ErrorCategory>(
  (value) => typeof value === 'string' && value in ERROR_CATEGORY_FLAG,
);

/**
 * A fault that the device reports. `code` is the raw vendor code; an unknown code keeps it, with category `unknown`.
 */
export const errorReadingSchema = z.strictObject({
  code: z.string().min(1).max(128),
  message: z.string().max(512).optional(),
  category: errorCategorySchema,
  severity: z.enum(['info', 'minor', 'major', 'critical']).optional(),
  /** Index of the board, fan or PSU that is meant. */
  index: z.int().min(0).max(1_000).optional(),
  /** When it began, `2024-06-15 09:15:00` as the device writes it: by its own clock, in its own time zone. */
  since: z.string().min(1).max(32).optional(),
});
export type ErrorReading = z.infer<typeof errorReadingSchema>;

/** The counts of a build that a device can tell of itself, and that our table of models tells too. */
const BUILD_PARTS = ['boards', 'chipsPerBoard', 'fans'] as const;
export type BuildPart = (typeof BUILD_PARTS)[number];
const buildPart = z.enum(BUILD_PARTS);

/** What model, mode and cooling lead us to expect. Absent where it is not known: then only zero is abnormal. */
const expectationSchema = z.strictObject({
  boards: z.int().min(1).max(63).optional(),
  chipsPerBoard: z.int().min(1).max(100_000).optional(),
  fans: z.int().min(0).max(31).optional(),
  cooling: z.enum(COOLINGS).optional(),
  /** At the present mode: the device's own figure where it has one, else the model's nameplate. */
  hashrateHs: hashrateHs.optional(),
  /**
   * The counts come from a row of the model table with one public source and no recording: they raise no critical flag
   * alone.
   */
  unproven: z.literal(true).optional(),
  /** The counts above that the device itself told: these are proven, whatever the table says. */
  own: z.array(buildPart).max(BUILD_PARTS.length).optional(),
  /** Where the device's own count differs from the table's. Its own is the one that is expected. */
  contradicted: z
    .array(z.strictObject({ what: buildPart, device: z.int().min(0), table: z.int().min(0) }))
    .max(BUILD_PARTS.length)
    .optional(),
});
export type Expectation = z.infer<typeof expectationSchema>;

export const readingSchema = z.strictObject({
  /** As the device wrote it: whether it tells one miner from another is judged elsewhere. */
  mac: z.string().max(128).optional(),
  serialNumber: z.string().max(128).optional(),
  controllerSerialNumber: text.optional(),
  hostname: text.optional(),
  make: text.optional(),
  model: text.optional(),
  /** The vendor's own version string (atlas section 2.4). */
  firmwareVersion: text.optional(),
  apiVersion: text.optional(),
  controlBoard: text.optional(),

  hashrateHs: hashrateHs.optional(),
  /** The window behind `hashrateHs`. */
  hashrateWindow: z.enum(['realtime', '5s', '1m', '5m', '15m', '30m', 'average']).optional(),
  /** The 5 to 30 min average that alarms use. */
  hashrateSettledHs: hashrateHs.optional(),
  hashrateAverageHs: hashrateHs.optional(),
  hashrate24hHs: hashrateHs.optional(),
  /** Wall power. */
  powerW: powerW.optional(),
  powerLimitW: powerW.optional(),
  psuOutputPowerW: powerW.optional(),
  /** Age of the mining process. */
  uptimeS: seconds.optional(),
  /** Age of the operating system, where the device reports both. */
  systemUptimeS: seconds.optional(),
  /** Device clock, seconds since the epoch. */
  deviceTimeS: seconds.optional(),

  isMining: z.boolean().optional(),
  miningMode: miningModeSchema.optional(),
  miningModePreset: text.optional(),
  isLightOn: z.boolean().optional(),

  /** The one temperature of the interface: the hottest chip, else the hottest board sensor. */
  tempC: tempC.optional(),
  inletTempC: tempC.optional(),
  outletTempC: tempC.optional(),

  boards: z.array(boardReadingSchema).max(64).optional(),
  /** All working chips, when the device only gives the sum. */
  totalChips: z.int().min(0).max(1_000_000).optional(),
  fans: z.array(fanReadingSchema).max(32).optional(),
  psus: z.array(psuReadingSchema).max(16).optional(),
  pools: z.array(poolReadingSchema).max(64).optional(),
  /** Present and empty = the device was asked and has none. */
  errors: z.array(errorReadingSchema).max(256).optional(),
  expected: expectationSchema.optional(),
});
export type Reading = z.infer<typeof readingSchema>;
