// Reads the JSON of miners: strictly if possible, repaired where the damage is known (atlas section 1.2), in linear
// time. The value is safe to keep: bounded depth, finite numbers, no `__proto__`.
import { isUtf8 } from 'node:buffer';

/** In the order of atlas section 1.2, steps 3 to 9. */
const MENDS = [
  'control-characters', // raw control characters inside strings, or between values
  'joined-objects', // `}{` for `},{` inside a list
  'stray-commas', // `,}` `,]` `[,` `{,` and a `,` in place of the first `{`
  'non-finite', // bare nan, -nan, inf, -inf
  'missing-comma', // `""temp0":` for `"","temp0":`
  'pairs-in-list', // `["110":"2024-…"]` for `{"110":"2024-…"}`
  'truncated-tail', // the end is missing: cut after the last whole value, and closed
] as const;
type Mend = (typeof MENDS)[number];

/** Deeper nesting than any device uses; what is deeper is an attack. */
export const MAX_DEPTH = 64;
/**
 * In one answer. The damage that is known spoils a field or a bracket here and there; what needs more repairs than this
 * is an attack, and each repair costs time in which the agent does nothing else.
 */
export const MAX_EDITS = 4_096;
const NON_FINITE = /^[+-]?(nan|inf|infinity)$/i;

/** `latin1` = the bytes were no UTF-8; `nul-tail` = bytes behind the first NUL were dropped. Then the repairs. */
type Repair = 'nul-tail' | 'bom' | 'latin1' | Mend;

type RepairedJson = {
  readonly value: unknown;
  /** Empty when the answer was right as it came. */
  readonly repairs: readonly Repair[];
  /** The end was missing: what is absent is unknown, not zero. */
  readonly isPartial: boolean;
};

/** Text of an answer: cut at the first NUL, without BOM, trimmed; bytes that are not UTF-8 are read as Latin-1. */
export function decodeReply(bytes: Uint8Array): { text: string; repairs: Repair[] } {
  const repairs: Repair[] = [];
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const nulAt = all.indexOf(0);
  const kept = nulAt < 0 ? all : all.subarray(0, nulAt);
  if (nulAt >= 0 && all.subarray(nulAt).some((byte) => byte > 0x20)) repairs.push('nul-tail');
  let text: string;
  if (isUtf8(kept)) {
    text = kept.toString('utf8');
    if (text.charCodeAt(0) === 0xfeff) repairs.push('bom');
  } else {
    text = kept.toString('latin1');
    if (text.startsWith('\u00ef\u00bb\u00bf')) {
      repairs.push('bom');
      text = text.slice(3);
    }
    repairs.push('latin1');
  }
  // trim() takes the BOM of the UTF-8 case along.
  return { text: text.trim(), repairs };
}

/** Undefined when the bytes are not JSON, or not damaged in a known way, or nested too deep. */
export function repairJson(bytes: Uint8Array): RepairedJson | undefined {
  const { text, repairs } = decodeReply(bytes);
  return repairJsonText(text, repairs);
}

/** As `repairJson`, for text that decodeReply gave; `earlier` is put before the repairs that are made here. */
export function repairJsonText(text: string, earlier: readonly Repair[]): RepairedJson | undefined {
  const strict = parseStrict(text);
  const mended = strict ? undefined : new Mender(text).mend();
  const parsed = strict ?? (mended && parseStrict(mended.text));
  if (!parsed || !makeSafe(parsed.value)) return undefined;
  return {
    value: isMeaningless(parsed.value) ? null : parsed.value,
    repairs: mended ? [...earlier, ...mended.mends] : earlier,
    isPartial: mended?.mends.includes('truncated-tail') ?? false,
  };
}

export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseStrict(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function isMeaningless(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'string' || value.length < 3 || value.length > 9) return false;
  // Digits are what most short texts end in: a look at the last letter spares them the pattern.
  return value.charCodeAt(value.length - 1) > 0x39 && NON_FINITE.test(value);
}

/** Changes the value in place: numbers that are not finite become null, `__proto__` goes. False = too deep. */
function makeSafe(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (isMeaningless(item)) value[i] = null;
      else if (!makeSafe(item, depth + 1)) return false;
    }
    return true;
  }
  if (!isJsonObject(value)) return true;
  // Not Object.entries: it would make an array per field of every answer of every poll.
  for (const key in value) {
    const item = value[key];
    if (key === '__proto__') Reflect.deleteProperty(value, key);
    else if (isMeaningless(item)) Reflect.set(value, key, null);
    else if (!makeSafe(item, depth + 1)) return false;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

type Container = { kind: 'object' | 'list'; readonly openedAt: number; wasList: boolean; items: number };
type Edit = { readonly at: number; readonly removed: number; readonly inserted: string };
/** What may come next. `first…` = right after an opener; `after` = a value has just ended. */
type Expecting = 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'after' | 'nothing';

const isBlank = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isControl = (code: number) => code < 0x20 || code === 0x7f;
const isWord = (code: number) =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
const endsWord = (code: number) =>
  code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code === COLON || code === QUOTE || code <= 0x20;

/**
 * Turns broken JSON into strict JSON text, in one pass that knows where strings begin and end (a worker name may
 * contain `}{`). It repairs what MENDS names and nothing else; JSON.parse has the last word on the result.
 */
class Mender {
  readonly #text: string;
  readonly #stack: Container[] = [];
  #edits: Edit[] = [];
  readonly #mends = new Set<Mend>();
  #at = 0;
  #expecting: Expecting = 'value';
  #commaAt = 0;
  /** The newest place where everything before is whole, and how many containers were open there. */
  #safe = { at: 0, depth: 0 };
  #previous = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Undefined when the text is broken in a way that is not on the list. */
  mend(): { text: string; mends: Mend[] } | undefined {
    const text = this.#text;
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at);
      if (isBlank(code)) this.#at++;
      else if (isControl(code)) this.#edit('control-characters', { at: this.#at++, removed: 1, inserted: '' });
      else if (!this.#step(code)) return undefined;
      else this.#previous = code;
      if (this.#edits.length > MAX_EDITS) return undefined;
    }
    if (this.#expecting !== 'nothing' && !this.#cutTail()) return undefined;
    return { text: this.#applyEdits(), mends: MENDS.filter((mend) => this.#mends.has(mend)) };
  }

  get #top(): Container | undefined {
    return this.#stack.at(-1);
  }

  #edit(mend: Mend, edit: Edit): void {
    this.#mends.add(mend);
    this.#edits.push(edit);
  }

  /** Consumes one token that starts with `code`; false = hopeless. */
  #step(code: number): boolean {
    switch (code) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        return this.#open(code);
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        return this.#close(code);
      case COMMA:
        return this.#comma();
      case COLON:
        return this.#colon();
      case QUOTE:
        return this.#string();
      default:
        return this.#word();
    }
  }

  #open(code: number): boolean {
    if (this.#expecting === 'after' && code === OPEN_BRACE && this.#previous === CLOSE_BRACE) {
      if (this.#top?.kind !== 'list') return false;
      this.#edit('joined-objects', { at: this.#at, removed: 0, inserted: ',' });
      this.#safe = { at: this.#at, depth: this.#stack.length };
    } else if (this.#expecting !== 'value' && this.#expecting !== 'first-value') return false;
    if (this.#stack.length >= MAX_DEPTH) return false;
    const kind = code === OPEN_BRACE ? 'object' : 'list';
    this.#stack.push({ kind, openedAt: this.#at, wasList: false, items: 0 });
    this.#expecting = kind === 'object' ? 'first-key' : 'first-value';
    this.#at++;
    return true;
  }

  #close(code: number): boolean {
    const top = this.#top;
    const wanted = top?.kind === 'list' || top?.wasList ? CLOSE_BRACKET : CLOSE_BRACE;
    if (!top || code !== wanted) return false;
    if (this.#expecting === 'key' || this.#expecting === 'value') {
      if (this.#previous !== COMMA) return false;
      this.#edit('stray-commas', { at: this.#commaAt, removed: 1, inserted: '' });
    } else if (this.#expecting === 'colon') return false;
    if (top.wasList) this.#edit('pairs-in-list', { at: this.#at, removed: 1, inserted: '}' });
    this.#at++;
    this.#stack.pop();
    this.#valueEnded();
    this.#safe = { at: this.#at, depth: this.#stack.length };
    return true;
  }

  #comma(): boolean {
    if (this.#expecting === 'after') {
      this.#commaAt = this.#at;
      this.#safe = { at: this.#at, depth: this.#stack.length };
      this.#expecting = this.#top?.kind === 'object' ? 'key' : 'value';
    } else if (this.#expecting === 'first-key' || this.#expecting === 'first-value') {
      if (this.#previous === COMMA) return false;
      this.#edit('stray-commas', { at: this.#at, removed: 1, inserted: '' });
    } else if (this.#stack.length === 0 && this.#expecting === 'value') {
      this.#edit('stray-commas', { at: this.#at, removed: 1, inserted: '{' });
      this.#stack.push({ kind: 'object', openedAt: this.#at, wasList: false, items: 0 });
      this.#expecting = 'first-key';
    } else return false;
    this.#at++;
    return true;
  }

  #colon(): boolean {
    const top = this.#top;
    if (this.#expecting === 'after' && top?.kind === 'list' && top.items === 1 && this.#previous === QUOTE) {
      this.#edit('pairs-in-list', { at: top.openedAt, removed: 1, inserted: '{' });
      top.kind = 'object';
      top.wasList = true;
    } else if (this.#expecting !== 'colon') return false;
    this.#expecting = 'value';
    this.#at++;
    return true;
  }

  #string(): boolean {
    const isKey = this.#expecting === 'key' || this.#expecting === 'first-key';
    if (!isKey && this.#expecting !== 'value' && this.#expecting !== 'first-value') return false;
    const text = this.#text;
    const openedAt = this.#at;
    for (this.#at++; this.#at < text.length; this.#at++) {
      const code = text.charCodeAt(this.#at);
      if (code === BACKSLASH) this.#at++;
      else if (isControl(code) && code !== 0x7f) {
        this.#edit('control-characters', { at: this.#at, removed: 1, inserted: '' });
      } else if (code === QUOTE) {
        this.#at++;
        if (isKey) {
          this.#expecting = 'colon';
          return true;
        }
        this.#valueEnded();
        return this.#at - openedAt !== 2 || !isWord(text.charCodeAt(this.#at)) || this.#keyAfterEmptyString();
      }
    }
    this.#at = text.length;
    return true;
  }

  /** Stands on the first letter of a key that lost its comma and its opening quote. */
  #keyAfterEmptyString(): boolean {
    if (this.#top?.kind !== 'object') return false;
    this.#edit('missing-comma', { at: this.#at, removed: 0, inserted: ',"' });
    const end = this.#text.indexOf('"', this.#at);
    this.#safe = { at: this.#at, depth: this.#stack.length };
    this.#at = end < 0 ? this.#text.length : end + 1;
    this.#expecting = 'colon';
    return true;
  }

  #word(): boolean {
    if (this.#expecting !== 'value' && this.#expecting !== 'first-value') return false;
    const from = this.#at;
    while (this.#at < this.#text.length && !endsWord(this.#text.charCodeAt(this.#at))) this.#at++;
    // A word at the very end may be half of a number: it does not count as whole.
    if (this.#at === this.#text.length) return true;
    if (NON_FINITE.test(this.#text.slice(from, Math.min(this.#at, from + 12)))) {
      this.#edit('non-finite', { at: from, removed: this.#at - from, inserted: 'null' });
    }
    this.#valueEnded();
    return true;
  }

  #valueEnded(): void {
    const top = this.#top;
    if (top) top.items++;
    this.#expecting = top ? 'after' : 'nothing';
  }

  #cutTail(): boolean {
    if (this.#safe.at === 0) return false;
    this.#mends.add('truncated-tail');
    const closers = this.#stack.slice(0, this.#safe.depth).reverse();
    this.#edits = this.#edits.filter((edit) => edit.at < this.#safe.at);
    this.#edits.push({
      at: this.#safe.at,
      removed: this.#text.length - this.#safe.at,
      inserted: closers.map(({ kind }) => (kind === 'object' ? '}' : ']')).join(''),
    });
    return true;
  }

  #applyEdits(): string {
    // Edits come in order of place, but for the few that go back to an opener or a comma.
    this.#edits.sort((a, b) => a.at - b.at);
    const parts: string[] = [];
    let from = 0;
    for (const edit of this.#edits) {
      parts.push(this.#text.slice(from, edit.at), edit.inserted);
      from = edit.at + edit.removed;
    }
    parts.push(this.#text.slice(from));
    return parts.join('');
  }
}
