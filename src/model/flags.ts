// The anomaly flags: their names, their bits, and nothing about when they fire (that is the agent's anomaly organ).
// Bits: interface document, "anomaly_flags bits"; bit 7 = low_hashrate: spec decisions, "Flags and identity".
import { z } from 'zod';

/** In the order of their bits, from bit 0. */
export const ANOMALY_TYPES = [
  'fan',
  'power',
  'temperature',
  'hashboard',
  'network',
  'firmware',
  'unknown',
  'low_hashrate',
  'control_board',
  'pool',
] as const;

export type AnomalyType = (typeof ANOMALY_TYPES)[number];

export const anomalyTypeSchema = z.enum(ANOMALY_TYPES);

/** The bitmask of a set of flags. */
export function toBitmask(types: Iterable<AnomalyType>): number {
  let mask = 0;
  for (const type of types) mask |= 1 << ANOMALY_TYPES.indexOf(type);
  return mask;
}

/** The flags of a bitmask, in bit order; bits without a name are ignored. */
export function fromBitmask(mask: number): AnomalyType[] {
  return ANOMALY_TYPES.filter((_, bit) => (mask & (1 << bit)) !== 0);
}

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
