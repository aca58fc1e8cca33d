// The words of a selector: from the text or the arguments that a person writes to kinds and values, and back. What the
// values mean is selector.ts.
import { nearestNames } from '../../base/nearest-names.ts';

/** Prefixes of words. What has none says who: an address, a range, a MAC, a serial number, a worker, a host name. */
export const WORD_KINDS = [
  'rack',
  'container',
  'model',
  'flag',
  'pool',
  'worker',
  'driver',
  'firmware',
  'algorithm',
  'state',
] as const;
export type WordKind = (typeof WORD_KINDS)[number] | 'who';

/** `rack:C03,C04` = one word with two values. */
export type Word = { readonly isNot: boolean; readonly kind: WordKind; readonly values: readonly string[] };

export type ReadWords =
  | { readonly kind: 'ok'; readonly words: readonly Word[] }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

/** Reads what stands in one text, `rack:C03 not flag:fan model:"S19 Pro"`. */
export const readText = (text: string): ReadWords => {
  const parts = splitText(text);
  return parts === undefined
    ? { kind: 'wrong', problems: ['a quotation mark is not closed'] }
    : readParts(parts.map(valuesOf));
};

/** Reads arguments of a command line, where blanks are part of a word. */
export const readArguments = (parts: readonly string[]): ReadWords =>
  readParts(parts.filter((part) => part.trim() !== '').map((part) => part.trim().split(',')));

/** The text that reads the same. */
export const textOf = (words: readonly Word[]): string =>
  words
    .map(({ isNot, kind, values }) => {
      const prefix = kind === 'who' ? '' : `${kind}:`;
      return `${isNot ? 'not ' : ''}${prefix}${values.map(quoted).join(',')}`;
    })
    .join(' ');

const quoted = (value: string): string => (/[\s,]/.test(value) ? `"${value}"` : value);

/** At blanks outside quotation marks; undefined where one is not closed. */
function splitText(text: string): string[] | undefined {
  const parts = text.match(/(?:"[^"]*"|[^\s"])+|"/g) ?? [];
  return parts.some((part) => (part.split('"').length - 1) % 2 === 1) ? undefined : [...parts];
}

/** At commas outside quotation marks, which go. */
const valuesOf = (part: string): string[] => (part.match(/(?:"[^"]*"|[^,"])+|(?<=,|^)(?=,|$)/g) ?? []).map(unquoted);
const unquoted = (text: string) => text.replaceAll('"', '');

function readParts(parts: readonly (readonly string[])[]): ReadWords {
  const words: Word[] = [];
  const problems: string[] = [];
  let isNot = false;
  for (const part of parts) {
    if (part.length === 1 && part[0]?.toLowerCase() === 'not') {
      if (isNot) problems.push("'not' stands twice in a row");
      isNot = true;
      continue;
    }
    const word = readWord(part, isNot);
    if (typeof word === 'string') problems.push(word);
    else words.push(word);
    isNot = false;
  }
  if (isNot) problems.push("'not' has no word after it");
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'ok', words };
}

function readWord(part: readonly string[], isNot: boolean): Word | string {
  const [first = '', ...others] = part.map((value) => value.trim());
  const prefix = prefixOf(first);
  if (typeof prefix === 'object') return prefix.wrong;
  const values = [prefix === 'who' ? first : first.slice(prefix.length + 1).trim(), ...others].filter(Boolean);
  if (values.length === 0) return `'${first}' has no value`;
  const stray = others.find((value) => prefixOf(value) !== 'who');
  if (stray !== undefined)
    return `'${stray}' stands after a comma: values after a comma are of the kind before it, write it as a word of its own`;
  return { isNot, kind: prefix, values };
}

/** A MAC has colons too, and a worker may have one. */
function prefixOf(value: string): WordKind | { readonly wrong: string } {
  const name = /^([A-Za-z]{3,16}):(?!\/\/)/.exec(value)?.[1]?.toLowerCase();
  if (name === undefined) return 'who';
  const kind = WORD_KINDS.find((each) => each === name);
  if (kind !== undefined) return kind;
  const nearest = nearestNames(name, WORD_KINDS);
  const hint = nearest.length > 0 ? `do you mean ${nearest.join(' or ')}?` : `accepted: ${WORD_KINDS.join(', ')}`;
  return { wrong: `'${name}:' is no kind of word: ${hint}` };
}
