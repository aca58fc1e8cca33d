// Text of strangers (devices, agents, peers) made fit to show and store: nothing that changes how other text is shown, nothing that is not seen, no
// half characters, bounded. It does not escape for any markup, and letters that only look alike stay.

/**
 * Control, direction and format codes, ends of lines and paragraphs, halves of characters, and what is drawn as nothing: fillers, joiners, selectors,
 * tags, the empty Braille cell.
 */
const UNSEEN_SET = String.raw`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800`;
const UNSEEN = new RegExp(`[${UNSEEN_SET}]`, 'u');
const UNSEEN_ALL = new RegExp(UNSEEN.source, 'gu');

const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
const KEY = /[0-9#*]/;
/** Of scripts whose words are spelt with joiners: Persian, and those of India and its neighbours. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const [ZWNJ, ZWJ, EMOJI_STYLE, KEYCAP] = ['\u200c', '\u200d', '\ufe0f', '\u20e3'] as const;

/** The same text with a blank for each character that is not seen or changes how others are shown. Joiners stay where a word or an emoji needs them. */
export const visibleText = (text: string): string => (UNSEEN.test(text) ? replaceUnseen(text, '', ' ') : text);

/** As `visibleText`, for a text of several lines: line feeds and tabs stay. `instead` stands where something was taken out. */
export const visibleLines = (text: string, instead: '' | ' ' = ' '): string =>
  UNSEEN.test(text) ? replaceUnseen(text, '\n\t', instead) : text;

/** As a pattern that clients can be told: a part of one, for any character that is seen, and the whole of a text of them, joiners left out. */
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

/** A JSON value with every text in it, and every name of a member, as `show` gives it; what lies deeper than anything that is meant is left out. */
export function visibleValue(value: unknown, show: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return show(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((entry) => visibleValue(entry, show, depth + 1));
  const entries = Object.entries(value).map(([key, entry]) => [show(key), visibleValue(entry, show, depth + 1)]);
  return Object.fromEntries(entries);
}

/** Whether JSON may hold a text with something unseen, as it is or written with an escape. Line feeds and tabs do not count. */
export const mayHideText = (json: string): boolean => UNSEEN_IN_JSON.test(json);
const UNSEEN_IN_JSON = new RegExp(`\\\\[ubfr]|${UNSEEN.source}`, 'u');

/** A pool address without the user and password that some people write into it (`stratum+tcp://user:password@host`). */
export function withoutLogin(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? '';
  const rest = url.slice(scheme.length);
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  return scheme + authority.slice(authority.lastIndexOf('@') + 1) + rest.slice(authority.length);
}
