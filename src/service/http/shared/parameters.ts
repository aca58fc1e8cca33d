// The forms that query parameters take: whole numbers, single values, lists given repeated, with commas, or both. Each
// says what it accepts.
import { z } from 'zod';
import { show, toUtc, UUID } from '../../../wire/api/forms.ts';
import type { Window } from '../../store/store.ts';
import { documented } from '../openapi/documented.ts';

const given = z.union([z.string(), z.array(z.string())]).optional();
type Given = z.infer<typeof given>;

type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** A parameter of its own form; `openapi` is how clients see it. */
function parameter<T>(openapi: Readonly<Record<string, unknown>>, parse: (value: Given) => Parsed<T>) {
  const schema = given.transform((value, context): T => {
    const parsed = parse(value);
    if ('value' in parsed) return parsed.value;
    context.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  });
  documented.add(schema, { openapi });
  return schema;
}

const refuse = (value: unknown, accepted: string) => ({ problem: `received ${show(value)}, accepted: ${accepted}` });

export function wholeNumber(range: { min: number; max?: number; fallback: number; description: string }) {
  const { min, max = Number.MAX_SAFE_INTEGER, fallback, description } = range;
  const accepted = `a whole number from ${min} to ${max}`;
  return parameter<number>({ type: 'integer', minimum: min, maximum: max, default: fallback, description }, (value) => {
    if (value === undefined || value === '') return { value: fallback };
    const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? { value: number } : refuse(value, accepted);
  });
}

/** Pages count from 1. The offset stays a number that databases can read, however far the page. */
export function toWindow(page: number, limit: number): Window {
  return { limit, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) };
}

/** One value; blank means not given. `parse` gives undefined for what is not accepted. */
export function single<T>(
  accepted: string,
  parse: (text: string) => T | undefined,
  openapi: Readonly<Record<string, unknown>> = {},
) {
  return parameter<T | undefined>({ type: 'string', description: accepted, ...openapi }, (value) => {
    if (value === undefined || value === '') return { value: undefined };
    if (typeof value !== 'string') return refuse(value, `one value: ${accepted}`);
    const parsed = parse(value.trim());
    return parsed === undefined ? refuse(value, accepted) : { value: parsed };
  });
}

/** Many values: repeated, `name[]=`, with commas. Blank items are skipped; none left means not given. */
export function list<T>(
  accepted: string,
  parse: (text: string) => Parsed<T>,
  openapi: Readonly<Record<string, unknown>> = {},
) {
  const items = { type: 'string', ...openapi };
  const described = { type: 'array', items, description: `Repeated, or separated by commas: ${accepted}` };
  return parameter<readonly T[] | undefined>(described, (value) => {
    const texts = [value ?? []].flat().flatMap((text) => text.split(','));
    const values: T[] = [];
    for (const text of texts.map((item) => item.trim()).filter((item) => item !== '')) {
      const parsed = parse(text);
      if ('problem' in parsed) return parsed;
      values.push(parsed.value);
    }
    return { value: values.length === 0 ? undefined : values };
  });
}

/** For `list`: one of a closed set of words. */
export function oneOf<T extends string>(words: readonly T[]): (text: string) => Parsed<T> {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    return word === undefined ? refuse(text, words.join(', ')) : { value: word };
  };
}

/** For a parameter that must be a time in UTC, in any spelling of UTC; undefined when it is none. */
export function parseUtcMs(text: string): number | undefined {
  const time = toUtc(text);
  return time === undefined ? undefined : Date.parse(time);
}

/** For a parameter that must be a uuid; undefined when it is none. */
export const parseUuid = (text: string): string | undefined => (UUID.test(text) ? text.toLowerCase() : undefined);
