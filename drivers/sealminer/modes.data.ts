// Where a Sealminer names the number of each mode, which differs from build to build.
export const MODE_KEYS = {
  low: 'low_power',
  normal: 'normal',
  high: 'high_performance',
  power_tuning: 'custom',
} as const;
export const NUMBERED_MODES = ['low', 'normal', 'high', 'power_tuning'] as const satisfies (keyof typeof MODE_KEYS)[];
