// Reads the long texts in which Avalons put their state: `Key[value value ...]` one after another, on newer builds
// inside `'NAME':{...}`. One scan, linear in the length of the text; values never nest. It gives meaning to nothing.
import { toNumber } from '../../src/driver/fields.ts';

/** Values by key, as written between the brackets. */
export type Tokens = ReadonlyMap<string, string>;

const MAX_TOKENS = 4_096;
const MAX_VALUES = 1_024;
const MAX_SECTION_NAME = 32;

/**
 * Tokens by section: `STATS`, `HB0`, `HB1`, ...; `''` for those outside any. A token that is cut off at the end is left
 * out.
 */
export function scanSections(text: string): ReadonlyMap<string, Tokens> {
  const sections = new Map<string, Map<string, string>>();
  let section = '';
  let at = 0;
  for (let count = 0; count < MAX_TOKENS; count++) {
    const open = text.indexOf('[', at);
    const close = open < 0 ? -1 : text.indexOf(']', open);
    if (close < 0) break;
    section = sectionIn(text, at, open) ?? section;
    const key = keyBefore(text, at, open);
    const tokens = sections.get(section) ?? new Map<string, string>();
    sections.set(section, tokens);
    if (key !== '' && !tokens.has(key)) tokens.set(key, text.slice(open + 1, close).trim());
    at = close + 1;
  }
  return sections;
}

/** Name of the section that opens between two places, `'HB1':{`; undefined when none does. */
function sectionIn(text: string, from: number, to: number): string | undefined {
  // Only what lies between is searched: looking back through all of it at each token would take quadratic time.
  const between = text.slice(from, to);
  const brace = between.lastIndexOf("':{");
  if (brace < 1) return undefined;
  const quote = between.lastIndexOf("'", brace - 1);
  return quote < 0 || brace - quote > MAX_SECTION_NAME ? undefined : between.slice(quote + 1, brace);
}

/** Letters, digits, `_` and blanks before the bracket (`Nonce Mask[25]`). */
function keyBefore(text: string, from: number, open: number): string {
  let start = open;
  while (start > from && isKeyCode(text.charCodeAt(start - 1))) start--;
  return text.slice(start, open).trim();
}

const isKeyCode = (code: number) =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code === 32;

type Range = { readonly min?: number; readonly max?: number };

/**
 * The numbers of a token, in place: undefined where there is none, empty when the token is absent. Percent signs are
 * dropped.
 */
export function numbers(tokens: Tokens | undefined, key: string, range: Range = {}): (number | undefined)[] {
  const value = tokens?.get(key) ?? '';
  if (value === '') return [];
  return value
    .split(/\s+/)
    .slice(0, MAX_VALUES)
    .map((word) => toNumber(word.endsWith('%') ? word.slice(0, -1) : word, range));
}

/** The only or first number of a token, if it is whole. */
export function whole(tokens: Tokens | undefined, key: string, range: Range = {}): number | undefined {
  const value = number(tokens, key, range);
  return value !== undefined && Number.isInteger(value) ? value : undefined;
}

/** The only or first number of a token. */
export function number(tokens: Tokens | undefined, key: string, range: Range = {}): number | undefined {
  return numbers(tokens, key, range)[0];
}
