// JSON inside JSON: text that holds an object or a list, also of firmwares that put quotes around these without
// escaping what is inside (`{"data":"{"a":"[1]"}"}`). In linear time; it repairs nothing else.

/** What a text holds as JSON, as it stands or without such quotes; undefined where it holds none. No text stays. */
export function jsonInside(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const asItStands = parsed(value);
  if (asItStands !== undefined) return asItStands.value;
  const bare = withoutOuterQuotes(value);
  return bare === undefined ? undefined : parsed(bare)?.value;
}

function parsed(json: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

/** Deeper nesting than any device uses. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENERS: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSERS: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const BACKSLASH = 0x5c;

/**
 * Of texts that begin as an object or a list the quotes go: the first, and the one behind the bracket that closes it.
 * Undefined where there are none, a text has no end, or the nesting is too deep.
 */
function withoutOuterQuotes(json: string): string | undefined {
  const places: number[] = [];
  /** How deep each of those that are open began. */
  const opened: number[] = [];
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (CLOSERS.has(code)) depth--;
    else if (OPENERS.has(code)) depth++;
    else if (code === QUOTE) {
      const next = json.charCodeAt(behindBlanks(json, at + 1));
      if (OPENERS.has(next)) {
        places.push(at);
        opened.push(depth);
      } else if (next === COMMA || CLOSERS.has(next) || Number.isNaN(next)) {
        if (opened.at(-1) !== depth) continue;
        places.push(at);
        opened.pop();
      } else {
        const end = endOfText(json, at);
        if (end === undefined) return undefined;
        at = end;
      }
    }
    if (depth > MAX_DEPTH) return undefined;
  }
  return places.length === 0 ? undefined : without(json, places);
}

function behindBlanks(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** The place of the quote that ends the text which begins at `from`; undefined where there is none. */
function endOfText(json: string, from: number): number | undefined {
  for (let at = from + 1; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return undefined;
}

/** The text without the characters at these places, which are in order. */
function without(text: string, places: readonly number[]): string {
  let from = 0;
  const parts = places.map((place) => {
    const part = text.slice(from, place);
    from = place + 1;
    return part;
  });
  return `${parts.join('')}${text.slice(from)}`;
}
