// Makes PeerErrors of failures of connections and devices: the code of each, and when it makes sense to try again.
import { type PeerCode, PeerError, type Retry } from '../base/errors.ts';
import { writtenForms } from '../base/secrets.ts';
import { visibleText } from '../model/plain-text.ts';

const RETRY: Readonly<Record<PeerCode, Retry>> = {
  'peer.refused': 'later',
  'peer.unreachable': 'later',
  'peer.timeout': 'soon',
  'peer.reset': 'soon',
  'peer.too-large': 'later',
  'peer.unparsable': 'later',
  'peer.costly': 'never',
  'peer.tls-key': 'later',
  'peer.auth': 'never',
  'peer.permission': 'never',
  'peer.unsupported': 'never',
  'peer.rejected': 'later',
  'peer.busy': 'later',
};

type Details = { readonly cause?: unknown; readonly retry?: Retry; readonly wasSent?: boolean | undefined };

/** `what` is what was tried on what: `ask 10.0.0.5:4028 for summary`. */
export function peerError(code: PeerCode, what: string, details: Details = {}): PeerError {
  return new PeerError(code, what, details.retry ?? RETRY[code], details.cause, { wasSent: details.wasSent });
}

const MAX_WORDS = 200;

/** What a device says, fit for a log and a page: one line, no control characters, bounded. */
export function cleanWords(words: string): string {
  // The slice comes first: cleaning must not cost more than what is kept.
  const line = visibleText(words.slice(0, MAX_WORDS * 2))
    .replaceAll(/ +/g, ' ')
    .trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
}

const HIDDEN = '[secret]';
const CUT = '…';
/** A shorter beginning of a secret shows nothing of it. */
const LEAST_BEGINNING = 3;

/** A device may quote what it was sent; where its words were cut, the beginning of the secret may be left. */
export function withoutSecret(text: string, secret: string): string {
  const forms = writtenForms(secret);
  const rest = forms.reduce((left, form) => left.replaceAll(form, HIDDEN), text);
  return rest.includes(CUT) ? forms.reduce(withoutBeginning, rest) : rest;
}

function withoutBeginning(text: string, form: string): string {
  for (let length = form.length - 1; length >= LEAST_BEGINNING; length--) {
    const beginning = `${form.slice(0, length)}${CUT}`;
    if (text.includes(beginning)) return text.replaceAll(beginning, `${HIDDEN}${CUT}`);
  }
  return text;
}

/** An error that quotes the device. */
export function deviceSays(code: PeerCode, what: string, words: string): PeerError {
  const clean = cleanWords(words);
  return peerError(code, clean === '' ? `${what}: the device gives no reason` : `${what}: the device says "${clean}"`);
}

/** Runs a step before the command itself: when it fails, the command was not sent. */
export async function beforeSent<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    throw new PeerError(error.code, error.message, error.retry, error.cause, { wasSent: false });
  }
}
