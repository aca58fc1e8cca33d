// Finds private data in answers of any shape, broken JSON included: passwords, workers, wallets, pools, addresses,
// serial numbers. Pure text: it never needs to understand an answer. The caller replaces what it finds.
import { ASSIGNED, BRACKETED, MAILED, NESTED, type Pair, QUOTED, replaceValues, Scanned } from './pairs.ts';

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

/** Pairs inside broken JSON, JSON in a string, Avalon's `Worker[bob]`, `user=bob`. */
const PAIRS = [QUOTED, NESTED, BRACKETED, ASSIGNED];
/** Kinds whose numbers are private too; under the other keys they are ports and counts. */
const OFTEN_NUMBERS: ReadonlySet<PrivateKind> = new Set(['secret', 'serial', 'worker']);
const NUMBERS = /(")([\w .-]{1,64})"(\s*:\s*)(\d{4,40})(?=\s*[,}\]])/g;

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

/** The text with everything private replaced. Time grows with its length only. */
export function hideText(text: string, substitute: Substitute): string {
  const kindOf = createKinds();
  /** Undefined where it stays: what stands in its place already is met again under another form. */
  const hidden = (within: string, { from, keyTo, valueFrom, to }: Pair) => {
    const kind = valueFrom === to ? undefined : kindOf(within.slice(from, keyTo));
    if (kind === undefined) return undefined;
    const written = within.slice(valueFrom, to);
    if (written.trim() === '') return undefined;
    const shown = substitute(wholeKind(written) ?? kind, written);
    return shown === written ? undefined : shown;
  };
  const hideMail = (within: string, { valueFrom, to }: Pair) => substitute('mail', within.slice(valueFrom, to));
  let rest = PAIRS.reduce((whole, form) => replaceValues(whole, form, hidden), new Scanned(text)).text;
  rest = replaceFound(rest, NUMBERS, ([, quote = '', key = '', link = '', written = '']) => {
    const kind = kindOf(key);
    if (kind === undefined || !OFTEN_NUMBERS.has(kind)) return undefined;
    return `${quote}${key}"${link}${substitute(kind, written)}`;
  });
  for (const [kind, pattern] of TEXTS) {
    rest = rest.replaceAll(pattern, (found) => substitute(kind, found));
    // Addresses hold what looks like one, and are longer.
    if (kind === 'url') rest = replaceValues(new Scanned(rest), MAILED, hideMail).text;
  }
  return rest;
}

/** A shorter value without such a mark has none of the shapes. */
const LEAST_WALLET = 23;
const MARK = /[:.@-]/;

/** What a whole value is by its own shape, whatever its key says: a host under `url` may be an address. */
function wholeKind(written: string): PrivateKind | undefined {
  if (written.length < LEAST_WALLET && !MARK.test(written)) return undefined;
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
