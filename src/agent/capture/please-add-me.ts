// A text sample of an unknown device that its owner may send us, so that we can write a driver for it. It holds the
// shape of the answers and nothing that shows who or where the owner is: no password, wallet, worker, address, serial
// number or host.
import type { Evidence } from '../../driver/contract.ts';
import { hideText, hideValue } from '../../driver/redact.ts';

const MAX_PART = 16 * 1024;
const MAX_TEXT = 96 * 1024;
const GONE = '[removed]';

const remove = () => GONE;

/**
 * Evidence and answers as one readable text, redacted and bounded. `raw` holds one value per ask, as `read` gets them.
 */
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
  const text = typeof value === 'string' ? hideText(value, remove) : JSON.stringify(hideValue(value, remove), null, 1);
  return text.slice(0, MAX_PART);
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
