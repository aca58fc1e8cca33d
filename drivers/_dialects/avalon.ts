// Controllers of Avalons put all that they know into one text per machine, whether they name themselves or not.
import type * as kit from '../../src/driver/kit/index.ts';

/** The texts of a row under keys of this form. */
export const textsOf = (row: kit.Answer, name: RegExp): string[] =>
  row.keys().flatMap((key) => {
    const value = row.value(key);
    return name.test(key) && typeof value === 'string' ? [value] : [];
  });

export const MODULE = /^MM ID\d{1,3}(:Summary)?$/;

/** Those of all machines in an answer to `estats`, `stats` or `litestats`. */
export const moduleTexts = (answer: kit.Answer): string[] =>
  (answer.rows('STATS') ?? []).flatMap((row) => textsOf(row, MODULE));
