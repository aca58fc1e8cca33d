// JSON inside JSON: text that holds an object or a list, also of firmwares that put quotes around these without
// escaping what is inside (`{"data":"{"a":"[1]"}"}`). In linear time; it repairs nothing else.

/** What a text holds as JSON, as it stands or without such quotes; undefined where it holds none. No text stays. */
export function jsonInside(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  for (const json of [value, withoutOuterQuotes(value)]) {
    try {
      return JSON.parse(json);
    } catch {}
  }
  return undefined;
}

/**
 * Of texts that begin as an object or a list the quotes go: the first, and the one behind the bracket that closes it.
 */
function withoutOuterQuotes(json: string): string {
  const opened: number[] = [];
  let depth = 0;
  let bare = '';
  for (const [token] of json.matchAll(TOKENS)) {
    const last = token.at(-1) ?? '';
    if (token === '"' && opened.at(-1) === depth) {
      opened.pop();
      continue;
    }
    const isOpening = last === '{' || last === '[';
    if (isOpening && token.startsWith('"')) opened.push(depth);
    if (isOpening) depth++;
    else if (token === '}' || token === ']') depth--;
    bare += isOpening ? last : token;
  }
  return bare;
}

/** A bracket with or without a quote before it, a text, a quote that is left, and all else. */
const TOKENS = /"\s*[{[]|[{}[\]]|"(?=\s*[,}\]])|"(?:[^"\\]|\\.)*"|[^"{}[\]]+|"/gs;
