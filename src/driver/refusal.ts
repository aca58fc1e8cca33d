// Recognises the answers with which a device says no, so that a refused question counts as refused and not as answered.
// It reads only envelopes; a status of 400 or above over HTTP is an error of the link already.
import { PeerError } from '../base/errors.ts';
import type { Ask } from './contract.ts';
import { toNumber, toText } from './fields.ts';

type Envelope = { readonly [key: string]: unknown };

const isObject = (value: unknown): value is Envelope =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The refusal that `answer` is, or undefined when it is an answer. `what` names the question and the device, for the message. */
export function refusalOf(ask: Ask, answer: unknown, what: string): PeerError | undefined {
  switch (ask.via) {
    case 'http':
      return undefined;
    case 'cgminer':
      return cgminerRefusal(answer, what);
    case 'whatsminer3':
      return whatsminer3Refusal(answer, what);
  }
}

/** `E` and `F` refuse, in `STATUS` (its first row, or itself) or in the flat form; an answer that has rows beside it is an answer. */
function cgminerRefusal(answer: unknown, what: string): PeerError | undefined {
  if (!isObject(answer)) return undefined;
  const { STATUS } = answer;
  const status: unknown = Array.isArray(STATUS) ? STATUS[0] : isObject(STATUS) ? STATUS : answer;
  if (!isObject(status) || (status.STATUS !== 'E' && status.STATUS !== 'F')) return undefined;
  if (Object.entries(answer).some(([key, value]) => key !== 'STATUS' && Array.isArray(value))) return undefined;
  const words = toText(status.Msg, 128) ?? '';
  const code = toNumber(status.Code);
  if (code === 45 || /access denied|permission/i.test(words)) {
    return new PeerError('peer.permission', `ask ${what}`, 'later', deviceWords(words));
  }
  if (code === 14 || /invalid (cmd|command)|unknown command/i.test(words)) {
    return new PeerError('peer.unsupported', `ask ${what}`, 'never', deviceWords(words));
  }
  return new PeerError('peer.rejected', `ask ${what}`, 'later', deviceWords(words));
}

function whatsminer3Refusal(answer: unknown, what: string): PeerError | undefined {
  if (!isObject(answer)) return undefined;
  const words = toText(answer.msg, 128) ?? '';
  switch (toNumber(answer.code)) {
    case -1:
      return new PeerError('peer.unsupported', `ask ${what}`, 'never', deviceWords(words));
    case -2:
      return new PeerError('peer.rejected', `ask ${what}`, 'later', deviceWords(words));
    case -4:
      return new PeerError('peer.permission', `ask ${what}`, 'later', deviceWords(words));
    default:
      return undefined;
  }
}

const deviceWords = (words: string) => new Error(words === '' ? 'no reason given' : `the device says "${words}"`);
