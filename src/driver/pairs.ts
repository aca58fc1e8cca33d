// Pairs of a key and a value in text of any shape, broken JSON included: `"key": "value"`, the same inside a string,
// `Worker[bob]`, `user=bob`, `bob@host`. Each is found by the mark in its middle, and one pass over the text finds all
// of a form. A pattern would be tried at each character, and make an object and four texts of each pair, private or
// not.

/** A text with the codes of its characters, which are read much sooner from there than from a string. */
export class Scanned {
  readonly text: string;
  #codes: Uint16Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Made when it is asked for: most texts have no mark of most forms. */
  get codes(): Uint16Array {
    if (this.#codes !== undefined) return this.#codes;
    this.#codes = new Uint16Array(this.text.length);
    Buffer.from(this.#codes.buffer).write(this.text, 'utf16le');
    return this.#codes;
  }
}

/** Where it lies: the key from `from` to `keyTo`, the value from `valueFrom` to `to`. */
export type Pair = { readonly from: number; readonly keyTo: number; readonly valueFrom: number; readonly to: number };

/** How pairs of one kind look from their mark, one of two characters. */
type Form = {
  readonly marks: readonly [string, string];
  /** What may stand directly before the mark; most marks of a hostile text have something else there. */
  readonly behind: Uint8Array;
  /** Looks to both sides of the mark. Undefined where there is no pair that begins at `least` or later. */
  find(codes: Uint16Array, mark: number, least: number): Pair | undefined;
};

/** Each value as `replace` says; undefined = it stays. */
export function replaceValues(
  whole: Scanned,
  { marks, behind, find }: Form,
  replace: (text: string, pair: Pair) => string | undefined,
): Scanned {
  const { text } = whole;
  if (!marks.some((mark) => text.includes(mark))) return whole;
  const { codes } = whole;
  const [mark, other] = [code(marks[0]), code(marks[1])];
  let result = '';
  let written = 0;
  let done = 0;
  for (let at = 0; at < codes.length; at++) {
    if ((codes[at] !== mark && codes[at] !== other) || behind[codeAt(codes, at - 1)] !== 1) continue;
    const pair = find(codes, at, done);
    if (pair === undefined) continue;
    done = pair.to;
    at = done - 1;
    const replaced = replace(text, pair);
    if (replaced === undefined) continue;
    result += text.slice(written, pair.valueFrom) + replaced;
    written = done;
  }
  return written === 0 ? whole : new Scanned(result + text.slice(written));
}

const code = (character: string): number => character.charCodeAt(0);
const [QUOTE, SINGLE, BACKSLASH] = [code('"'), code("'"), code('\\')];
const SPACES =
  ' \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const WORDS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_';

/** By the code of a character, which is read at every one: 1 = it is one of these. */
const oneOf = (characters: string): Uint8Array => tableOf(characters, 0, 1);
const noneOf = (characters: string): Uint8Array => tableOf(characters, 1, 0);
function tableOf(characters: string, others: number, these: number): Uint8Array {
  const table = new Uint8Array(0x1_0000).fill(others);
  for (const character of characters) table[code(character)] = these;
  return table;
}

const SPACE = oneOf(SPACES);
const WORD = oneOf(WORDS);
const KEY = oneOf(`${WORDS} .-`);
/** The end of a key in quotes. */
const KEY_END = oneOf(`${SPACES}"'`);
const ASSIGNABLE = noneOf(`${SPACES},|&"'<>`);
const OF_MAIL = noneOf(`${SPACES}"'<>:,=@`);
const OF_HOST = noneOf(`${SPACES}"'<>:,=`);
const OF_BRACKETS = noneOf('[]');

const [MOST_KEY, MOST_VALUE, MOST_HOST, MOST_SPACES, MOST_BACKSLASHES] = [64, 4_096, 255, 8, 3];

/** 0 beyond either end of the text. */
const codeAt = (codes: Uint16Array, at: number): number => codes[at] ?? 0;
const isQuote = (found: number): boolean => found === QUOTE || found === SINGLE;

/** Where the characters of this table that end at `to` begin; not before `least`. */
function backOver(codes: Uint16Array, table: Uint8Array, to: number, least: number): number {
  let from = to;
  while (from > least && table[codeAt(codes, from - 1)] === 1) from--;
  return from;
}

/** Where the characters of this table that begin at `from` end; at most `most` of them. */
function over(codes: Uint16Array, table: Uint8Array, from: number, most: number): number {
  const limit = Math.min(codes.length, from + most);
  let to = from;
  while (to < limit && table[codeAt(codes, to)] === 1) to++;
  return to;
}

/** The quote before the mark, behind which the key ends; -1 = none is near. */
function quoteBefore(codes: Uint16Array, mark: number): number {
  if (isQuote(codeAt(codes, mark - 1))) return mark - 1;
  const at = backOver(codes, SPACE, mark, Math.max(0, mark - MOST_SPACES)) - 1;
  return isQuote(codeAt(codes, at)) ? at : -1;
}

/** The first character of a key that ends at `to` and has this quote before it; -1 = there is none. */
function keyBefore(codes: Uint16Array, to: number, quote: number): number {
  const from = backOver(codes, KEY, to, Math.max(0, to - MOST_KEY));
  return from > 0 && from < to && codeAt(codes, from - 1) === quote ? from : -1;
}

/** `"key": "value"`, with the value as JSON writes it; the key may have single quotes. */
export const QUOTED: Form = {
  marks: [':', ':'],
  behind: KEY_END,
  find(codes, mark, least) {
    const keyTo = quoteBefore(codes, mark);
    if (keyTo <= least) return undefined;
    const from = keyBefore(codes, keyTo, codeAt(codes, keyTo));
    if (from <= least || codeAt(codes, from - 2) === BACKSLASH) return undefined;
    const quote = over(codes, SPACE, mark + 1, MOST_SPACES);
    if (codeAt(codes, quote) !== QUOTE) return undefined;
    return { from, keyTo, valueFrom: quote + 1, to: endOfQuoted(codes, quote + 1) };
  },
};

function endOfQuoted(codes: Uint16Array, from: number): number {
  let at = from;
  for (let count = 0; count < MOST_VALUE && at < codes.length; count++) {
    const found = codeAt(codes, at);
    if (found === QUOTE || (found === BACKSLASH && at + 1 === codes.length)) break;
    at += found === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** Within a string, where quotes have backslashes before them: as many behind the key as before it. */
export const NESTED: Form = {
  marks: [':', '='],
  behind: KEY_END,
  find(codes, mark, least) {
    const quote = quoteBefore(codes, mark);
    if (quote <= least) return undefined;
    const keyTo = backslashesBefore(codes, quote, MOST_BACKSLASHES + 1);
    const depth = quote - keyTo;
    const from = keyBefore(codes, keyTo, codeAt(codes, quote));
    if (depth > MOST_BACKSLASHES || from - 1 - depth < least) return undefined;
    if (from - 1 - backslashesBefore(codes, from - 1, depth) !== depth) return undefined;
    const opening = over(codes, SPACE, mark + 1, MOST_SPACES);
    let valueFrom = opening;
    while (valueFrom < opening + MOST_BACKSLASHES && codeAt(codes, valueFrom) === BACKSLASH) valueFrom++;
    if (!isQuote(codeAt(codes, valueFrom))) return undefined;
    return { from, keyTo, valueFrom: valueFrom + 1, to: endOfNested(codes, valueFrom + 1) };
  },
};

function backslashesBefore(codes: Uint16Array, to: number, most: number): number {
  let from = to;
  while (from > 0 && to - from < most && codeAt(codes, from - 1) === BACKSLASH) from--;
  return from;
}

function endOfNested(codes: Uint16Array, from: number): number {
  let at = from;
  for (let count = 0; count < MOST_VALUE && at < codes.length; count++) {
    const found = codeAt(codes, at);
    if (isQuote(found)) break;
    if (found === BACKSLASH && (at + 1 === codes.length || isQuote(codeAt(codes, at + 1)))) break;
    at += found === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** `Worker[bob]` of Avalon. */
export const BRACKETED: Form = {
  marks: ['[', '['],
  behind: WORD,
  find(codes, mark, least) {
    const from = backOver(codes, WORD, mark, Math.max(0, mark - MOST_KEY));
    // A longer word is none, and neither is the rest of one that a pair before it ends in.
    if (from === mark || from < least || isWord(codes, from - 1)) return undefined;
    const to = over(codes, OF_BRACKETS, mark + 1, MOST_VALUE);
    return to === mark + 1 ? undefined : { from, keyTo: mark, valueFrom: mark + 1, to };
  },
};

const isWord = (codes: Uint16Array, at: number): boolean => at >= 0 && WORD[codeAt(codes, at)] === 1;

/** `user=bob`. */
export const ASSIGNED: Form = {
  marks: ['=', '='],
  behind: KEY,
  find(codes, mark, least) {
    let from = backOver(codes, KEY, mark, Math.max(least, mark - MOST_KEY));
    while (from < mark && isWord(codes, from - 1) === isWord(codes, from)) from++;
    if (from === mark) return undefined;
    const to = over(codes, ASSIGNABLE, mark + 1, MOST_VALUE);
    return to === mark + 1 ? undefined : { from, keyTo: mark, valueFrom: mark + 1, to };
  },
};

/** `bob@host`: all of it is the value. */
export const MAILED: Form = {
  marks: ['@', '@'],
  behind: OF_MAIL,
  find(codes, mark, least) {
    const from = backOver(codes, OF_MAIL, mark, Math.max(least, mark - MOST_KEY));
    if (from === mark) return undefined;
    const to = over(codes, OF_HOST, mark + 1, MOST_HOST);
    return to === mark + 1 ? undefined : { from, keyTo: from, valueFrom: from, to };
  },
};
