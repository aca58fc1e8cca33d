// One test for each row of the interface document, with the row's key as its name. A row without a test, and a test
// without a row, is an error of types and of the run.
import { describe, test } from 'vitest';
import { DOCUMENT, type Part } from './document.data.ts';
import { counted, countFile } from './tally.ts';

export type Check = () => void | Promise<void>;
type KeyOf<P extends Part> = (typeof DOCUMENT)[P]['keys'][number];

/** Several checks of one row each have a name of their own. Call it once for each part of the document. */
export function rows<P extends Part>(
  part: P,
  checks: Readonly<Record<KeyOf<P>, Check | Readonly<Record<string, Check>>>>,
): void {
  const known: readonly string[] = DOCUMENT[part].keys;
  const given = Object.keys(checks);
  const odd = [...known.filter((key) => !given.includes(key)), ...given.filter((key) => !known.includes(key))];
  if (odd.length > 0) throw new Error(`${part}: rows without test, or tests without row: ${odd.join(', ')}`);
  countFile();
  describe(part, () => {
    for (const [key, check] of Object.entries<Check | Readonly<Record<string, Check>>>(checks)) {
      const statement = `${part}: ${key}`;
      if (typeof check === 'function') test(key, counted(statement, key, check));
      else
        describe(key, () => {
          for (const [name, one] of Object.entries(check)) test(name, counted(statement, name, one));
        });
    }
  });
}

/**
 * Statements that a row of the document makes beside the one that its test in `rows` checks, such as one of each value
 * that it lists. `section` is a heading of the document; each name is the statement, and is given once.
 */
export function statements(section: string, checks: Readonly<Record<string, Check>>): void {
  countFile();
  describe(section, () => {
    for (const [statement, check] of Object.entries(checks))
      test(statement, counted(`${section}: ${statement}`, statement, check));
  });
}
