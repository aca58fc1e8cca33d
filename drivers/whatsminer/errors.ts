// Whatsminer faults: finds the codes in every shape that firmwares write them, and says what each code means. It raises
// no flag by itself.
import { toText } from '../../src/driver/fields.ts';
import type { ErrorReading } from '../../src/model/reading.ts';
import {
  CHIP_CODES,
  type FaultRow,
  HARMLESS,
  LEVEL_CODES,
  NOTICES,
  SLOT_CODES,
  WARNINGS,
  WHOLE_CODES,
} from './errors.data.ts';

/** A code as the device gave it, with its own words if it has any. */
export type Fault = {
  readonly code: string;
  readonly detail?: string | undefined;
  /** As `ErrorReading.since`. */
  readonly since?: string | undefined;
};

const MAX_FAULTS = 64;
const CODE = /^[0-9]{1,9}$/;
const TIME = /^\d{4}-\d\d-\d\d|^\d+$/;
/** With the time of day: a date alone does not say when. */
const MOMENT = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?$/;

/**
 * The faults of an `error_code` or `error-code` value: a list of numbers, texts and objects whose all-digit key is the
 * code, or one such object. A moment as text belongs to the code before it. Each code once. Other text (`btminer
 * process is down err`) is no code; undefined when nothing was given.
 */
export function faultsOf(value: unknown): Fault[] | undefined {
  if (value === undefined || value === null) return undefined;
  const found = new Map<string, Fault>();
  const items: readonly unknown[] = Array.isArray(value) ? value.slice(0, 2 * MAX_FAULTS) : [value];
  for (const [place, item] of items.entries()) {
    for (const fault of faultsOfItem(item, items[place + 1])) {
      const code = String(Number(fault.code));
      const { detail = fault.detail, since = fault.since } = found.get(code) ?? {};
      if (code !== '0') found.set(code, { code, detail, since });
    }
  }
  return [...found.values()].slice(0, MAX_FAULTS);
}

function faultsOfItem(item: unknown, next: unknown): Fault[] {
  if (typeof item !== 'object' || item === null) {
    const code = toText(item);
    return code !== undefined && CODE.test(code) ? [{ code, since: momentIn(toText(next)) }] : [];
  }
  const entries = Object.entries(item).slice(0, MAX_FAULTS);
  const reason = toText(entries.find(([key]) => key === 'reason')?.[1]);
  return entries
    .filter(([key]) => CODE.test(key))
    .map(([code, value]) => {
      const words = toText(value);
      return {
        code,
        detail: reason ?? (words !== undefined && !TIME.test(words) ? words : undefined),
        since: momentIn(words),
      };
    });
}

const momentIn = (words: string | undefined) =>
  words !== undefined && MOMENT.test(words) ? words.slice(0, 19) : undefined;

/** What the device says and what the tables know of it. `model` decides whether farms see the code as harmless. */
export function errorReading({ code, detail, since }: Fault, model: string | undefined): ErrorReading {
  const number = Number(code);
  const [category, text, index] = meaning(number) ?? (['unknown', undefined] as const);
  const message = text === undefined ? detail : detail === undefined ? text : `${text} (${detail})`;
  return {
    code,
    category,
    severity: severity(number, model),
    ...(message !== undefined && { message }),
    ...(index !== undefined && { index }),
    ...(since !== undefined && { since }),
  };
}

function severity(code: number, model: string | undefined): 'info' | 'minor' | 'major' {
  if (NOTICES.includes(code)) return 'info';
  const isHarmless = Object.entries(HARMLESS).some(
    ([family, codes]) => model?.toUpperCase().startsWith(family) && codes.includes(code),
  );
  return isHarmless || WARNINGS.includes(code) ? 'minor' : 'major';
}

/** Six-digit codes that start with 1 are whole codes and never name a chip. */
function meaning(code: number): FaultRow | undefined {
  const whole = WHOLE_CODES[code];
  if (whole !== undefined) return whole;
  const bySlot = SLOT_CODES[Math.floor(code / 10)];
  if (bySlot !== undefined) return fill(bySlot, { slot: code % 10 }, code % 10);
  const digits = String(code);
  const byChip = digits.length >= 4 && digits.length <= 6 ? CHIP_CODES[Number(digits.slice(0, 2))] : undefined;
  if (byChip !== undefined) {
    const slot = Number(digits[2]);
    return fill(byChip, { slot, chip: Number(digits.slice(3)) }, slot);
  }
  const byLevel = digits.length === 4 && digits.startsWith('85') ? LEVEL_CODES[code % 10] : undefined;
  return byLevel && fill(byLevel, { level: Number(digits[2]) });
}

function fill([category, text]: FaultRow, values: Readonly<Record<string, number>>, index?: number): FaultRow {
  const filled = text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '?'));
  return index === undefined ? [category, filled] : [category, filled, index];
}
