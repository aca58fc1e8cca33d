// One test for each row of the interface document, with the row's key as its name. A row without a test, and a test
// without a row, is an error of types and of the run.
import { describe, test } from 'vitest';
import { DOCUMENT, type Part } from './document.data.ts';

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
  describe(part, () => {
    for (const [key, check] of Object.entries<Check | Readonly<Record<string, Check>>>(checks)) {
      if (typeof check === 'function') test(key, check);
      else
        describe(key, () => {
          for (const [name, one] of Object.entries(check)) test(name, one);
        });
    }
  });
}
