// Reads whether the device refused, from the envelope of a CGMiner answer (atlas sections 1.1 and 4.1). Joined answers
// (`{"a":[…],"b":[…]}`) have no envelope of their own and pass as they are.
import type { PeerCode } from '../../base/errors.ts';
import { isJsonObject } from './json-fixer.ts';

export type Refusal = { readonly code: PeerCode; readonly words: string; readonly deviceCode: number | undefined };

const CODES: ReadonlyMap<number, PeerCode> = new Map([
  [14, 'peer.unsupported'], // invalid command
  [45, 'peer.permission'], // access denied
  [136, 'peer.busy'], // Whatsminer: too many live tokens
]);

/** Words decide where codes differ from vendor to vendor. First match wins. */
const WORDS: readonly { readonly pattern: RegExp; readonly code: PeerCode }[] = [
  { pattern: /access denied|permission|not permitted|api (is )?disabled/i, code: 'peer.permission' },
  { pattern: /max connect|too many|busy/i, code: 'peer.busy' },
  { pattern: /invalid (command|cmd)|unknown (command|cmd)|unsupported|not supported/i, code: 'peer.unsupported' },
];

/** How a refusal in these words is to be taken. */
export function refusalCode(words: string, deviceCode?: number): PeerCode {
  const byCode = deviceCode === undefined ? undefined : CODES.get(deviceCode);
  return byCode ?? WORDS.find(({ pattern }) => pattern.test(words))?.code ?? 'peer.rejected';
}

/** The refusal in an answer, or undefined when it is none (`S`, `I`, `W`, or no envelope at all). */
export function refusalIn(answer: unknown): Refusal | undefined {
  if (!isJsonObject(answer)) return undefined;
  // `{"STATUS":[{"STATUS":"E",…}]}` as CGMiner has it, or flat `{"STATUS":"E",…}` as Whatsminer has it.
  const status = answer.STATUS;
  const envelope: unknown = Array.isArray(status) ? status[0] : typeof status === 'string' ? answer : undefined;
  if (!isJsonObject(envelope)) return undefined;
  const letter = envelope.STATUS;
  if (letter !== 'E' && letter !== 'F') return undefined;
  const words = [envelope.Msg, envelope.Description].find((text) => typeof text === 'string' && text.trim() !== '');
  const deviceCode = toInteger(envelope.Code);
  const text = typeof words === 'string' ? words.slice(0, 500) : '';
  return { code: refusalCode(text, deviceCode), words: text, deviceCode };
}

/** The status code of an answer, refusal or not. */
export function statusCodeOf(answer: unknown): number | undefined {
  if (!isJsonObject(answer)) return undefined;
  const status = answer.STATUS;
  const envelope: unknown = Array.isArray(status) ? status[0] : answer;
  return isJsonObject(envelope) ? toInteger(envelope.Code) : undefined;
}

function toInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}

const PLAIN_TROUBLE = /fail|refused|denied|error|not (running|ready|found)|max connect|too many|busy|timed? ?out/i;
const MAX_PLAIN_BYTES = 512;

/** Some firmware answers so while the mining process is down: `Socket connect failed: Connection refused`. */
export function refusalInPlainText(text: string): Refusal | undefined {
  if (text === '' || text.length > MAX_PLAIN_BYTES || /^[{[,<"]|^HTTP\//.test(text) || !PLAIN_TROUBLE.test(text))
    return undefined;
  return { code: refusalCode(text), words: text, deviceCode: undefined };
}
