// How statements are made of the values, fields and endpoints that a row of the document lists.
import type { Check } from './rows.ts';

/** One check of each item; `name` is the statement. */
export const each = <T>(items: readonly T[], name: (item: T) => string, check: (item: T) => void | Promise<void>) =>
  Object.fromEntries(items.map((item): [string, Check] => [name(item), () => check(item)]));
