// Reads the long texts in which Avalons put their state: `Key[value value ...]` one after another, on newer builds
// inside `'NAME':{...}`. One scan, linear in the length of the text; values never nest. It gives meaning to nothing.
import * as kit from '../../src/driver/kit/index.ts';
import { MODULE, textsOf } from '../_dialects/avalon.ts';

const MAX_TOKENS = 4_096;
const MAX_VALUES = 1_024;
const MAX_SECTION_NAME = 32;

/**
 * Values by key, as they stand between the brackets, by section: `STATS`, `HB0`, ...; `''` outside of any. A token that
 * is cut off at the end is left out.
 */
export function scanSections(text: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
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
  while (start > from && /[\w ]/.test(text.charAt(start - 1))) start--;
  return text.slice(start, open).trim();
}

type Range = { readonly min?: number; readonly max?: number };

/** The numbers of a token, in place: undefined where there is none, empty when the token is absent or has no value. */
export function numbers(tokens: kit.Answer, key: string, range: Range = {}): (number | undefined)[] {
  const value = tokens.value(key);
  const words = typeof value === 'string' && value !== '' ? value.split(/\s+/).slice(0, MAX_VALUES) : [];
  return words.map((word) => kit.toNumber(word.endsWith('%') ? word.slice(0, -1) : word, range));
}

/** One controller (MM): its tokens, and by number those of its boards where the build gives them apart (`HB0`, ...). */
export type Module = { readonly tokens: kit.Answer; readonly boards: ReadonlyMap<number, kit.Answer> };

export const modulesOf = (answer: kit.Answer): Module[] =>
  (answer.rows('STATS') ?? []).flatMap((row) => {
    const sections = textsOf(row, /^HBinfo$/).flatMap((text) => [...scanSections(text)]);
    const boards = new Map(sections.map(([name, tokens]) => [Number(name.match(/^HB(\d+)$/)?.[1]), answerOf(tokens)]));
    const scanned = textsOf(row, MODULE).map((text) => [...scanSections(text).values()].flatMap((each) => [...each]));
    return scanned.filter((each) => each.length > 0).map((each) => ({ tokens: answerOf(each), boards }));
  });

const answerOf = (tokens: Iterable<readonly [string, string]>) => new kit.Answer(Object.fromEntries(tokens));
