// A text sample of an unknown device that its owner may send us, so that we can write a driver for it. It holds the shape of the answers and
// nothing that tells who or where the owner is: no password, wallet, worker, address, serial number or host.
import type { Evidence } from '../../src/driver/contract.ts';

const MAX_PART = 16 * 1024;
const MAX_TEXT = 96 * 1024;
const GONE = '[removed]';

/** Keys whose values are never shown. Short ones count only as whole words: `SN`, not `SNR`. */
const PRIVATE_KEY =
  /pass|pwd|user|worker|wallet|account|token|secret|auth|cookie|session|serial|serinum|host|url|pool.?addr|stratum.?url|proxy|gateway|netmask|dns|\b(mac(addr)?|mac.?address|ip(addr(ess)?)?|sn|dna|key|id_?hash|uid|uuid|ssid)\b/i;

/** Values that give somebody away wherever they stand. */
const PRIVATE_TEXT: readonly RegExp[] = [
  /\b\w+(\+\w+)*:\/\/[^\s"'<>,]+/g, // any URL, with the login it may hold
  /[^\s"'<>:,=]+@[^\s"'<>:,=]+/g, // mail addresses
  /\b(bc1|tb1|ltc1|kaspa:)[0-9a-z]{20,}\b/gi, // wallets
  /\b[13LMDX][1-9A-HJ-NP-Za-km-z]{25,60}\b/g,
  /\b0x[0-9a-f]{40}\b/gi,
  /\b[0-9a-f]{2}([:-][0-9a-f]{2}){5}\b/gi, // MAC addresses
  /\b\d{1,3}(\.\d{1,3}){3}\b/g, // IPv4
];

/** Evidence and answers as one readable text, redacted and bounded. `raw` holds one value per ask, as `read` gets them. */
export function pleaseAddMe(evidence: Evidence, raw: Readonly<Record<string, unknown>>): string {
  const { web } = evidence;
  const parts: [string, unknown][] = [
    ['family', evidence.family ?? 'not known'],
    ['version', asJson(evidence.version)],
    ['devdetails', asJson(evidence.devdetails)],
    ['port 4433', evidence.whatsminer3],
    ['port 80', web && { status: web.status, location: web.location, challenge: challenge(web.authenticate) }],
    ['port 80, page', web?.body.slice(0, 2_048)],
    ...Object.entries(raw).map(([ask, answer]): [string, unknown] => [`answer to ${ask}`, asJson(answer)]),
  ];
  return parts
    .filter(([, value]) => value !== undefined)
    .map(([title, value]) => `== ${title}\n${show(value)}\n`)
    .join('\n')
    .slice(0, MAX_TEXT);
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? hideText(value) : JSON.stringify(redact(value, 0), null, 1);
  return text.slice(0, MAX_PART);
}

function redact(value: unknown, depth: number): unknown {
  if (depth > 12) return '...';
  if (typeof value === 'string') return hideText(value);
  if (Array.isArray(value)) return value.slice(0, 64).map((entry) => redact(entry, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      hideText(key),
      isPrivate(key) && entry !== null && entry !== '' ? GONE : redact(entry, depth + 1),
    ]),
  );
}

const isPrivate = (key: string) => PRIVATE_KEY.test(key.replaceAll('_', ' ')) || PRIVATE_KEY.test(key);

/** Pairs inside text that cannot be walked: broken JSON, JSON inside a string, `user=bob`, Avalon's `Worker[bob]`. */
const PAIRS: readonly RegExp[] = [
  /(\\?["'])([\w .-]{1,64})\1\s*[:=]\s*\\?["'](?:[^"'\\]|\\[^"']){0,4096}/g,
  /()\b([\w .-]{1,64})=[^,|&\s"'<>]{1,4096}/g,
  /()\b(\w{1,64})\[[^\]]{1,4096}/g,
];

function hideText(text: string): string {
  const withoutPairs = PAIRS.reduce(
    (rest, pattern) =>
      rest.replaceAll(pattern, (pair: string, _quote: string, key: string) =>
        isPrivate(key) ? `${pair.slice(0, pair.indexOf(key) + key.length)}: ${GONE}` : pair,
      ),
    text,
  );
  return PRIVATE_TEXT.reduce((rest, pattern) => rest.replaceAll(pattern, GONE), withoutPairs);
}

/** The kind and the realm name the firmware; the rest of a challenge is of one moment. */
const challenge = (header: string | undefined) =>
  header
    ?.match(/^\w+|realm="[^"]{0,64}"|algorithm=\w+/g)
    ?.join(' ')
    .replaceAll('"', '');

function asJson(answer: unknown): unknown {
  if (typeof answer !== 'string') return answer;
  try {
    const value: unknown = JSON.parse(answer.split('\0')[0] ?? '');
    return value;
  } catch {
    return answer.slice(0, MAX_PART);
  }
}
