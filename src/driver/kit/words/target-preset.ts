// Tuning targets as presets in plain words, `143 TH/s` or `3000 W`, for families that tune to a rate or a power and
// have no names for it.
export type Target = { readonly value: number; readonly unit: 'TH/s' | 'W' };

/** Undefined for other words, and for targets that no machine has. */
export function parseTarget(preset: string): Target | undefined {
  const [, digits, unit] = /^\s*(\d{1,5}(?:\.\d{1,3})?)\s*(TH\/s|TH|W)\s*$/i.exec(preset) ?? [];
  const value = Number(digits);
  if (unit === undefined || !(value > 0)) return undefined;
  return { value, unit: unit.toUpperCase() === 'W' ? 'W' : 'TH/s' };
}

/** Of a preset that is a power, in whole watts, for families that take nothing else: there a bare number is one too. */
export function wattsOf(preset: string): number | undefined {
  const target = parseTarget(/^\s*\d+\s*$/.test(preset) ? `${preset} W` : preset);
  return target?.unit === 'W' ? Math.round(target.value) : undefined;
}

export const targetText = ({ value, unit }: Target): string => `${value} ${unit}`;

/** Whether both name the same target, however they are written. */
export function sameTarget(one: string | undefined, other: string | undefined): boolean {
  const [a, b] = [parseTarget(one ?? ''), parseTarget(other ?? '')];
  return a !== undefined && b !== undefined && a.unit === b.unit && a.value === b.value;
}

/** What a reading tells of a machine that tunes to `value`; nothing where that is not known. */
export function tunedTo(value: number | undefined, unit: Target['unit'] | undefined) {
  if (value === undefined || unit === undefined) return {};
  const miningMode = unit === 'W' ? 'power_tuning' : 'hashrate_tuning';
  return { miningMode, miningModePreset: targetText({ value, unit }) } as const;
}
