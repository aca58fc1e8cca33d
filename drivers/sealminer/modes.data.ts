// Where a Sealminer names the number of each mode, which differs from build to build; and its words for them.
export const MODE_KEYS = {
  low: 'low_power',
  normal: 'normal',
  high: 'high_performance',
  power_tuning: 'custom',
} as const;
export const NUMBERED_MODES = ['low', 'normal', 'high', 'power_tuning'] as const satisfies (keyof typeof MODE_KEYS)[];

/** Words of the statistics, which say nothing of a power limit. */
export const MODE_WORDS: Readonly<Record<string, 'low' | 'normal' | 'high'>> = {
  ...{ low: 'low', 'low power': 'low', low_power: 'low' },
  normal: 'normal',
  ...{ high: 'high', 'high performance': 'high', high_performance: 'high' },
};
