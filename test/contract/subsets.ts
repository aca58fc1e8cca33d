// What a driver reports of a part of a device's answers, against what it reports of all of them. Pure: no sockets.
import type { Driver, Known } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';

/** All answers of one device at one time. */
export type AnswerSet = {
  readonly name: string;
  readonly driver: Driver;
  readonly known: Known;
  /** By ask, as the link hands them over. */
  readonly raw: Readonly<Record<string, unknown>>;
};

/** One thing that a part of the answers reports otherwise than all of them, or that all of them do not report. */
export type Difference = {
  readonly field: string;
  readonly part: unknown;
  readonly whole: unknown;
  readonly without: readonly string[];
};

const MAX_ALL = 8;
const SAMPLES = 32;

/** Every part of few answers; of many those with one, all but one, all but two, and some at random. */
export function partsOf(names: readonly string[], random: () => number): string[][] {
  if (names.length <= MAX_ALL)
    return Array.from({ length: 2 ** names.length - 1 }, (_, bits) => names.filter((_name, nth) => (bits >> nth) & 1));
  const without = (...gone: string[]) => names.filter((name) => !gone.includes(name));
  return [
    [],
    ...names.map((name) => [name]),
    ...names.map((name) => without(name)),
    ...names.flatMap((name, nth) => names.slice(nth + 1).map((other) => without(name, other))),
    ...Array.from({ length: SAMPLES }, () => names.filter(() => random() < 0.5)),
  ];
}

/** As a visit asks: a substitute only where the answer that it stands for is not there, or lacks what it tells. */
export function readPart({ driver, known, raw }: AnswerSet, names: readonly string[]): Reading {
  const there = new Set(names);
  const given = Object.entries(driver.asks).flatMap(([name, { insteadOf, isLacking }]) => {
    const isAsked = insteadOf === undefined || !there.has(insteadOf) || isLacking?.(raw[insteadOf]) === true;
    return there.has(name) && isAsked ? [[name, raw[name]] as const] : [];
  });
  return driver.read(Object.fromEntries(given), known).reading;
}

/** By what the entries of a list are known again. */
const KEYS: Readonly<Record<string, (entry: Readonly<Record<string, unknown>>, nth: number) => string>> = {
  boards: ({ slot }) => String(slot),
  fans: ({ index }) => String(index),
  pools: ({ index, url }) => `${index} ${url}`,
  errors: ({ code, index }) => `${code} ${index ?? ''}`,
  psus: (_psu, nth) => String(nth),
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What `part` says and `whole` does not. */
export function surplus(part: unknown, whole: unknown, field = ''): Omit<Difference, 'without'>[] {
  const keyOf = KEYS[field];
  if (keyOf !== undefined && Array.isArray(part) && Array.isArray(whole)) {
    const known = new Map(whole.map((entry, nth) => [keyOf(entry, nth), entry]));
    return part.flatMap((entry, nth) => surplus(entry, known.get(keyOf(entry, nth)), `${field}[]`));
  }
  if (isRecord(part) && isRecord(whole))
    return Object.entries(part).flatMap(([name, value]) =>
      value === undefined ? [] : surplus(value, whole[name], field === '' ? name : `${field}.${name}`),
    );
  return isSame(part, whole) || part === '' ? [] : [{ field, part, whole }];
}

/** Sums of fractions differ in their last digits, MACs in their case. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.toLowerCase() === b.toLowerCase();
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
  return JSON.stringify(a) === JSON.stringify(b);
}
