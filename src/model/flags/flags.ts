// The anomaly flags as they are reported, and nothing about when they fire (that is the agent's anomaly module). Their
// names and bits are in anomaly-types.ts.
import { z } from 'zod';
import { ANOMALY_TYPES, type AnomalyType } from './anomaly-types.ts';

export const anomalyTypeSchema = z.enum(ANOMALY_TYPES);

/**
 * One set flag with its evidence, as the agent reports it and v2 serves it. `value` and `limit` were compared: units
 * are in `source`, e.g. `hashboards[1].chipTempsC`; text when they are not numbers.
 */
export const flagSchema = z.strictObject({
  type: anomalyTypeSchema,
  since: z.iso.datetime(),
  severity: z.enum(['info', 'minor', 'major', 'critical']),
  value: z.union([z.number(), z.string()]).nullable(),
  limit: z.union([z.number(), z.string()]).nullable(),
  source: z.string(),
  message: z.string(),
  /**
   * Key of the finding that this miner shares with others, e.g. `pool:stratum.example:3333`; see findings/findings.ts.
   */
  finding: z.string().exactOptional(),
});
export type Flag = z.infer<typeof flagSchema>;

const SEVERITIES = ['critical', 'major', 'minor', 'info'] as const satisfies readonly Flag['severity'][];

/** And the oldest first among those that are as bad. */
export const worstFirst = (a: Pick<Flag, 'severity' | 'since'>, b: Pick<Flag, 'severity' | 'since'>): number =>
  SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || (a.since < b.since ? -1 : 1);

/** Category of a vendor error code → flag; `state` is no fault (atlas 25.3). */
export const ERROR_CATEGORY_FLAG = {
  fan: 'fan',
  psu: 'power',
  temperature: 'temperature',
  environment: 'temperature',
  cooling: 'temperature',
  hashboard: 'hashboard',
  chip: 'hashboard',
  eeprom: 'hashboard',
  network: 'network',
  firmware: 'firmware',
  security: 'firmware',
  controlBoard: 'control_board',
  integrity: 'control_board',
  software: 'control_board',
  pool: 'pool',
  hashrate: 'low_hashrate',
  performance: 'low_hashrate',
  config: 'unknown',
  factory: 'unknown',
  tool: 'unknown',
  unknown: 'unknown',
  state: undefined,
} as const satisfies Record<string, AnomalyType | undefined>;

export type ErrorCategory = keyof typeof ERROR_CATEGORY_FLAG;
