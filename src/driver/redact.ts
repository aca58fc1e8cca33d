// Finds private data in answers of any shape, broken JSON included: passwords, workers, wallets, pools, addresses,
// serial numbers. Pure text: it never needs to understand an answer. The caller replaces what it finds.

/** What kind of thing was found; `part` of a longer text or the whole value. */
export type PrivateKind = 'secret' | 'worker' | 'serial' | 'mac' | 'ip' | 'url' | 'host' | 'mail' | 'wallet';

/** Gives what stands in place of a private text. */
type Substitute = (kind: PrivateKind, original: string) => string;

/** Keys with private values; the first that fits counts. Short ones count as whole words: `SN`, not `SNR`. */
const KEYS: readonly (readonly [PrivateKind, RegExp])[] = [
  ['secret', /pass|pwd|token|secret|auth|cookie|session(.?(id|key))?$|\b(key|id_?hash)\b/i],
  ['worker', /user|worker|wallet|account|login/i],
  ['serial', /serial|serinum|sn\d*$|\b(sn|dna|uid|uuid|ssid)\b/i],
  ['mac', /\b(mac(addr)?|mac.?address)\b|^mac[A-Z]|^hwaddr(ess)?$/i],
  ['url', /url|pool.?addr|stratum.?url|proxy/i],
  ['ip', /gateway|netmask|dns|\bip(addr(ess)?|v4)?\b/i],
  ['host', /host/i],
];

/** What a key says of its value; undefined = nothing private. */
function privateKind(key: string): PrivateKind | undefined {
  const spaced = key.replaceAll('_', ' ');
  return KEYS.find(([, pattern]) => pattern.test(key) || pattern.test(spaced))?.[0];
}

/** Keys of one text repeat: each is looked at once, as far as there are not more than a device has. */
const MOST_KEYS = 1_000;

function createKinds(): (key: string) => PrivateKind | undefined {
  const known = new Map<string, PrivateKind | undefined>();
  return (key) => {
    const kind = known.get(key);
    if (kind !== undefined || known.has(key)) return kind;
    const found = privateKind(key);
    if (known.size < MOST_KEYS) known.set(key, found);
    return found;
  };
}

/** Values that reveal a person in any place. Mail addresses are found by their `@`. */
const TEXTS: readonly (readonly [PrivateKind, RegExp])[] = [
  ['url', /\b\w{1,32}(?:\+\w{1,32}){0,3}:\\?\/\\?\/[^\s"'<>,]+/g], // any URL, with the login it may hold
  ['wallet', /\b(?:bc1|tb1|ltc1|kaspa:)[0-9a-z]{20,}\b/gi],
  ['wallet', /\b[13LMDX][1-9A-HJ-NP-Za-km-z]{25,60}\b/g],
  ['wallet', /\b0x[0-9a-f]{40}\b/gi],
  ['mac', /\b[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}\b/gi],
  ['ip', /\b\d{1,3}(?:\.\d{1,3}){3}\b/g],
];
const WHOLE: readonly (readonly [PrivateKind, RegExp])[] = [
  ...TEXTS.map(([kind, { source, flags }]) => [kind, new RegExp(`^(?:${source})$`, flags.replace('g', ''))] as const),
  ['mail', /^[^\s"'<>:,=@]{1,64}@[^\s"'<>:,=]{1,255}$/],
];

/** Pairs inside broken JSON, JSON in a string, Avalon's `Worker[bob]`. Groups: lead, key, value. */
const PAIRS: readonly RegExp[] = [
  /(?<!\\)(["'])([\w .-]{1,64})\1(\s{0,8}:\s{0,8}")((?:[^"\\]|\\.){0,4096})/gs,
  /(\\{0,3}["'])([\w .-]{1,64})\1(\s{0,8}[:=]\s{0,8}\\{0,3}["'])((?:[^"'\\]|\\[^"']){0,4096})/g,
  /()\b(\w{1,64})(\[)([^\][]{1,4096})/g,
];
/** Kinds whose numbers are private too; under the other keys they are ports and counts. */
const OFTEN_NUMBERS: ReadonlySet<PrivateKind> = new Set(['secret', 'serial', 'worker']);
const NUMBERS = /(")([\w .-]{1,64})"(\s*:\s*)(\d{4,40})(?=\s*[,}\]])/g;

/** `user=bob`, and mail addresses: a mark with something on each side. */
const ASSIGNED: Sides = { mark: '=', before: /[\w .-]/, beginsAtWord: true, after: /[^,|&\s"'<>]{1,4096}/y };
const MAILED: Sides = { mark: '@', before: /[^\s"'<>:,=@]/, beginsAtWord: false, after: /[^\s"'<>:,=]{1,255}/y };

/** `before` fits each character in front of the mark, `after` all that follows it. */
type Sides = {
  readonly mark: string;
  readonly before: RegExp;
  readonly beginsAtWord: boolean;
  readonly after: RegExp;
};
const MOST_BEFORE = 64;
const WORD = /\w/;

/**
 * Looks from each mark to both sides. A pattern that begins with what stands before the mark would be tried at each
 * character of a text without one, over as many characters as may stand there.
 */
function replaceAround(
  text: string,
  { mark, before, beginsAtWord, after }: Sides,
  replace: (left: string, right: string) => string,
): string {
  const parts: string[] = [];
  let done = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, Math.max(done, at + 1))) {
    const least = Math.max(done, at - MOST_BEFORE);
    let from = at;
    while (from > least && before.test(text.charAt(from - 1))) from--;
    while (beginsAtWord && from < at && isWord(text, from - 1) === isWord(text, from)) from++;
    after.lastIndex = at + 1;
    const right = from < at ? after.exec(text)?.[0] : undefined;
    if (right === undefined) continue;
    parts.push(text.slice(done, from), replace(text.slice(from, at), right));
    done = at + 1 + right.length;
  }
  return parts.join('') + text.slice(done);
}

/** As `replaceAll`; what is undefined stays, and costs a third of it. */
function replaceFound(text: string, pattern: RegExp, replace: (found: RegExpExecArray) => string | undefined): string {
  const parts: string[] = [];
  let done = 0;
  for (const found of text.matchAll(pattern)) {
    const replaced = replace(found);
    if (replaced === undefined) continue;
    parts.push(text.slice(done, found.index), replaced);
    done = found.index + found[0].length;
  }
  return parts.join('') + text.slice(done);
}

const isWord = (text: string, at: number): boolean => WORD.test(text.charAt(at));

/** The text with everything private replaced. Time grows with its length only. */
export function hideText(text: string, substitute: Substitute): string {
  const value = (kind: PrivateKind, written: string) =>
    written.trim() === '' ? written : substitute(wholeKind(written) ?? kind, written);
  const kindOf = createKinds();
  let rest = text;
  for (const pattern of PAIRS)
    rest = replaceFound(rest, pattern, ([, quote = '', key = '', link = '', written = '']) => {
      const kind = kindOf(key);
      return kind === undefined || written.trim() === ''
        ? undefined
        : `${quote}${key}${quote}${link}${value(kind, written)}`;
    });
  rest = replaceAround(rest, ASSIGNED, (key, written) => {
    const kind = kindOf(key);
    return `${key}=${kind === undefined ? written : value(kind, written)}`;
  });
  rest = replaceFound(rest, NUMBERS, ([, quote = '', key = '', link = '', written = '']) => {
    const kind = kindOf(key);
    if (kind === undefined || !OFTEN_NUMBERS.has(kind)) return undefined;
    return `${quote}${key}"${link}${substitute(kind, written)}`;
  });
  for (const [kind, pattern] of TEXTS) {
    rest = rest.replaceAll(pattern, (found) => substitute(kind, found));
    // Addresses hold what looks like one, and are longer.
    if (kind === 'url') rest = replaceAround(rest, MAILED, (name, host) => substitute('mail', `${name}@${host}`));
  }
  return rest;
}

/** What a whole value is by its own shape, whatever its key says: a host under `url` may be an address. */
function wholeKind(written: string): PrivateKind | undefined {
  return WHOLE.find(([, pattern]) => pattern.test(written))?.[0];
}

const MAX_DEPTH = 12;
const MAX_ITEMS = 64;

/** The same for a value that can be walked. Everything below a private key is private; lists and depth are bounded. */
export function hideValue(value: unknown, substitute: Substitute, under?: PrivateKind, depth = 0): unknown {
  if (depth > MAX_DEPTH) return '...';
  if (typeof value === 'string') {
    if (under === undefined || value.trim() === '') return hideText(value, substitute);
    return substitute(wholeKind(value) ?? under, value);
  }
  if (typeof value === 'number' && under !== undefined && OFTEN_NUMBERS.has(under)) {
    return substitute(under, String(value));
  }
  if (Array.isArray(value)) {
    return value.slice(0, MAX_ITEMS).map((entry) => hideValue(entry, substitute, under, depth + 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      hideText(key, substitute),
      hideValue(entry, substitute, privateKind(key) ?? under, depth + 1),
    ]),
  );
}
