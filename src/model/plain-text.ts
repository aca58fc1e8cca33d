// Text of devices, agents and peers, made safe to show and store: without characters that change how other text is
// shown, invisible characters and half characters, and bounded. It escapes for no markup; letters that look alike stay.

/**
 * Control, direction and format codes, ends of lines and paragraphs, lone surrogates, unassigned characters, and
 * characters without a shape: fillers, joiners, selectors, tags, empty Braille cells, notes and hieroglyphs.
 */
const UNSEEN_SET = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}`;
/** Marks on one letter; no script stacks as many. More of them cover the lines above and below. */
const MOST_MARKS = 8;
/** A mark that stands on too many others, or on no letter of its own text. */
const LOOSE_MARK = String.raw`\p{M}(?<=(?:\p{M}{${MOST_MARKS}}|^\p{M}*)\p{M})`;
const UNSEEN_ALL = new RegExp(`[${UNSEEN_SET}]|${LOOSE_MARK}`, 'gu');
const UNSEEN_OR_MARK = new RegExp(`[${UNSEEN_SET}\\p{M}]`, 'u');
/** Most texts have nothing but these, and that shows much sooner. */
const ASCII = /^[\x20-\x7e]*$/;
const isClean = (text: string): boolean => ASCII.test(text) || !UNSEEN_OR_MARK.test(text);

const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
const KEY = /[0-9#*]/;
/** Of scripts whose words are spelt with joiners: Persian, and those of India and its neighbours. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const [ZWNJ, ZWJ, EMOJI_STYLE, KEYCAP] = ['\u200c', '\u200d', '\ufe0f', '\u20e3'] as const;

/**
 * The text with a blank for each invisible character and each one that changes how others are shown. Joiners stay where
 * a word or an emoji needs them.
 */
export const visibleText = (text: string): string => (isClean(text) ? text : replaceUnseen(text, '', ' '));

/** As `visibleText`, for several lines: line feeds and tabs stay. `instead` replaces each removed character. */
export const visibleLines = (text: string, instead: '' | ' ' = ' '): string =>
  isClean(text) ? text : replaceUnseen(text, '\n\t', instead);

/**
 * As a pattern for clients: one part matches any visible character, and the whole matches a text of them, without
 * joiners.
 */
export const SEEN_CHARACTER = `[^${UNSEEN_SET}]`;
export const SEEN_TEXT = new RegExp(`^${SEEN_CHARACTER}*$`, 'u');

/** Whether every character is seen, and none changes how others are shown. */
export const isVisible = (text: string): boolean => visibleText(text) === text;

function replaceUnseen(text: string, kept: string, instead: string): string {
  return text.replaceAll(UNSEEN_ALL, (found: string, at: number) =>
    kept.includes(found) || isNeeded(text, found, at) ? found : instead,
  );
}

function isNeeded(text: string, found: string, at: number): boolean {
  if (found !== ZWJ && found !== ZWNJ && found !== EMOJI_STYLE) return false;
  const before = characterBefore(text, at);
  const after = characterAt(text, at + 1);
  if (found === EMOJI_STYLE) return EMOJI.test(before) || (KEY.test(before) && after === KEYCAP);
  if (JOINED.test(before) && JOINED.test(after)) return true;
  const drawn = before === EMOJI_STYLE ? characterBefore(text, at - 1) : before;
  return found === ZWJ && EMOJI.test(drawn) && EMOJI.test(after);
}

const characterAt = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
};

/** Of two halves the whole. */
function characterBefore(text: string, at: number): string {
  const pair = text.slice(Math.max(0, at - 2), at);
  return pair.length === 2 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(pair) ? pair : pair.slice(-1);
}

/** One line of at most `maxLength` characters; undefined when nothing is left that can be seen. */
export function plainText(text: string | null | undefined, maxLength = 256): string | undefined {
  if (text === undefined || text === null) return undefined;
  // Cut before cleaning, so that a giant costs no more than what is kept of it.
  const clean = visibleText(text.slice(0, maxLength).toWellFormed()).trim();
  return clean === '' ? undefined : clean;
}

const MAX_DEPTH = 64;

/**
 * A JSON value with `show` applied to every text and every member name in it; what is nested too deeply is left out.
 */
export function visibleValue(value: unknown, show: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return show(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((entry) => visibleValue(entry, show, depth + 1));
  const entries = Object.entries(value).map(([key, entry]) => [show(key), visibleValue(entry, show, depth + 1)]);
  return Object.fromEntries(entries);
}

/**
 * Whether JSON may hold a text with an invisible character, written as it is or as an escape. Line feeds and tabs do
 * not count.
 */
export const mayHideText = (json: string): boolean => ESCAPE.test(json) || !isClean(json);
const ESCAPE = /\\[ubfr]/;

/** A pool address without the user and password that some people write into it (`stratum+tcp://user:password@host`). */
export function withoutLogin(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? '';
  const rest = url.slice(scheme.length);
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  return scheme + authority.slice(authority.lastIndexOf('@') + 1) + rest.slice(authority.length);
}
