// The names of the anomaly flags and their bits, without the schemas: the web page reads them too. Bits: interface
// document, "anomaly_flags bits"; bit 7 = low_hashrate: spec decisions, "Flags and identity".

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
