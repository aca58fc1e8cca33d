// What ePIC's API answers, as far as we read it (atlas 9).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import {
  bool,
  field,
  int,
  list,
  mean,
  num,
  poolAddress,
  text,
  toNumber,
  toTempC,
  toText,
} from '../../src/driver/fields.ts';

const asWritten = () => field((value) => toText(value, 128));
const slot = () => int({ min: 0, max: 63 });
const rate = () => num({ min: 0, max: 1e12 });
const object = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape).optional().catch(undefined);
const temps = field((value) =>
  Array.isArray(value) ? value.slice(0, 64).flatMap((entry) => toTempC(entry) ?? []) : undefined,
);

const watts = () => num({ min: 0, max: 100_000 });
const clock = (value: unknown) => toNumber(value, { min: 1, max: 10_000 });
const meanOf = (value: unknown) => (Array.isArray(value) ? mean(value.slice(0, 2_048).map(clock)) : clock(value));

const algorithm = z.looseObject({
  Target: num({ min: 0, max: 1e5 }),
  'Throttle Target': num({ min: 0, max: 1e5 }),
  'Min Throttle Target': num({ min: 0, max: 1e5 }),
  'Throttle Step': num({ min: 0, max: 1e5 }),
  Unit: text(16),
});

export const summaryReply = z
  .looseObject({
    Hostname: text(),
    Software: text(),
    Status: object({ 'Operating State': text(64), 'Last Error': text(), 'Last Command': text() }),
    HBs: list(
      z.looseObject({
        Index: slot(),
        /** MH/s, per cent of the ideal, per cent of errors. */
        Hashrate: list(num({ min: 0, max: 1e12 }), 3),
        'Core Clock Avg': num({ min: 1, max: 10_000 }),
        /** One of the board, or one per chip. */
        'Core Clock': field(meanOf),
        Temperature: field((value) => toTempC(value)),
        'Input Power': watts(),
        'Input Voltage': num({ min: 0, max: 100 }),
      }),
      16,
    ),
    HBStatus: list(z.looseObject({ Index: slot(), Detected: bool(), Enabled: bool() }), 16),
    Session: object({
      Uptime: num({ min: 0, max: 4e9 }),
      'Average MHs': rate(),
      Accepted: int({ min: 0, max: 1e15 }),
      Rejected: int({ min: 0, max: 1e15 }),
      Difficulty: num({ min: 0 }),
    }),
    Fans: object({ 'Fans Speed': num({ min: 0, max: 100 }) }),
    /** `Fans Speed N`: null = not fitted, 0 = stands still. */
    'Fans Rpm': z.record(z.string(), z.unknown()).optional().catch(undefined),
    'Power Supply Stats': object({
      'Input Power': watts(),
      'Output Power': watts(),
      'Output Voltage': num({ min: 0, max: 100 }),
    }),
    PerpetualTune: object({
      Running: bool(),
      Algorithm: z.record(z.string(), algorithm.optional().catch(undefined)).optional().catch(undefined),
    }),
    PresetInfo: object({ Preset: text(64) }),
    Preset: text(64),
    Misc: object({ 'Locate Miner State': bool() }),
    IdleOnConnectionLost: bool(),
    Stratum: object({
      'Config Id': int({ min: 0, max: 63 }),
      IsPoolConnected: bool(),
      /** The only words for a pool that the first generation has. */
      'Current Pool': text(512),
      'Current User': text(512),
      'Worker Unique Id': bool(),
    }),
    StratumConfigs: list(z.looseObject({ pool: poolAddress(), login: text(512) }), 8),
  })
  .refine((summary) => [summary.Software, summary.HBs, summary.Session].some((value) => value !== undefined));
export type Summary = z.output<typeof summaryReply>;

export const capabilitiesReply = z
  .looseObject({
    Model: text(),
    'Model Subtype': text(),
    'Miner Serial Number': asWritten(),
    'Control Board Version': object({ cpuHardware: text(), cpuSerial: text() }),
    'Board Serial Numbers': list(z.string(), 16),
    'Max HBs': int({ min: 1, max: 63 }),
    /** TH/s at the clock of the factory. */
    'Default Hashrate': num({ min: 0, max: 1e5 }),
    'Performance Estimator': object({ 'Chip Count': int({ min: 1, max: 100_000 }) }),
    PerpetualTune: list(z.looseObject({ algorithm: text(64), min: num({ min: 0 }), max: num({ min: 0 }) }), 16),
  })
  .refine((found) => found.Model !== undefined || found['Max HBs'] !== undefined);
export type Capabilities = z.output<typeof capabilitiesReply>;

const networkPart = object({ mac_address: asWritten() });
/** One row per chip: MH/s first. */
const chipRow = z.array(z.unknown());

/** One schema per ask of index.ts. */
export const replies = z.object({
  summary: reply(summaryReply),
  temps: reply(
    z
      .array(z.unknown())
      .min(1)
      .transform((rows) => list(z.looseObject({ Index: slot(), Data: temps }), 16).parse(rows)),
  ),
  hashrate: reply(
    z
      .array(z.unknown())
      .min(1)
      .transform((rows) => list(z.looseObject({ Index: slot(), Data: list(chipRow, 2_048) }), 16).parse(rows)),
  ),
  network: reply(
    z
      .looseObject({ dhcp: networkPart, static: networkPart })
      .refine((found) => found.dhcp !== undefined || found.static !== undefined),
  ),
  capabilities: reply(capabilitiesReply),
});
export type Replies = z.output<typeof replies>;
