// The older form of the CGMiner API: a word as the command, `STATUS=S,When=1|SUMMARY,Elapsed=5|` as the answer. Makes
// the object that the JSON form gives, with texts for all values, in linear time.
import type { CgminerRequest } from '../request.ts';

type Row = Readonly<Record<string, string>>;

const MAX_SECTIONS = 256;
const MAX_PAIRS = 1_024;
const ENVELOPE = /^STATUS=[SIWEF]\s*(,|\||$)/;

/** Sections whose name in JSON differs. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['ASC', 'DEVS'],
  ['PGA', 'DEVS'],
  ['GPU', 'DEVS'],
  ['CPU', 'DEVS'],
  ['POOL', 'POOLS'],
]);

/** Commands that only read: these may be asked a second time in the other form. */
const READS: ReadonlySet<string> = new Set([
  'coin',
  'config',
  'devdetails',
  'devs',
  'edevs',
  'estats',
  'litestats',
  'pools',
  'stats',
  'summary',
  'version',
]);

export const isRead = ({ command, newApi }: CgminerRequest): boolean => newApi !== true && READS.has(command);

/** Without a newline: some that know this form only take it for part of the word. */
export const bareLine = ({ command, parameter }: CgminerRequest): Buffer =>
  Buffer.from(parameter === undefined ? command : `${command}|${parameter}`);

/** Undefined where it is none. */
export function parseBareText(text: string): Readonly<Record<string, readonly Row[]>> | undefined {
  if (!ENVELOPE.test(text)) return undefined;
  const found = new Map<string, Row[]>();
  for (const section of split(text, '|', MAX_SECTIONS)) {
    if (section.trim() === '') continue;
    const pairs = pairsOf(section);
    const name = pairs[0]?.[0] ?? '';
    const key = LISTS.get(name) ?? name;
    // What stands alone at the start of a section is its name; with a number it is a key, too.
    const row = Object.fromEntries(pairs[0]?.[1] === undefined ? pairs.slice(1) : pairs);
    if (!/^\w{1,32}$/.test(key)) continue;
    const rows = found.get(key) ?? [];
    found.set(key, rows);
    rows.push(withTexts(row));
  }
  return Object.fromEntries([...found].filter(([key]) => !Object.hasOwn(Object.prototype, key)));
}

function withTexts(row: Readonly<Record<string, string | undefined>>): Row {
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, value]): [string, string][] =>
      value === undefined || key === '__proto__' ? [] : [[key, unescaped(value)]],
    ),
  );
}

/** Where no key can be, the comma belonged to the value before: some forget to escape it. */
function pairsOf(section: string): [string, string | undefined][] {
  const pairs: [string, string | undefined][] = [];
  for (const part of split(section, ',', MAX_PAIRS)) {
    const at = part.indexOf('=');
    const key = (at < 0 ? part : part.slice(0, at)).trim();
    const last = pairs.at(-1);
    const isContinued = last?.[1] !== undefined && (at < 1 || part.startsWith(' ') || key.includes(']'));
    if (last !== undefined && isContinued) last[1] = `${last[1]},${part}`;
    else pairs.push([key, at < 0 ? undefined : part.slice(at + 1)]);
  }
  return pairs;
}

/** Parts between separators that no backslash escapes; escapes stay as they are. */
function split(text: string, separator: string, maxParts: number): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length && parts.length < maxParts; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (parts.length < maxParts && start < text.length) parts.push(text.slice(start));
  return parts;
}

const unescaped = (value: string) => (value.includes('\\') ? value.replaceAll(/\\(.)/gs, '$1') : value).trim();
