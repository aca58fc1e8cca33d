// Makes PeerErrors of what connections and devices do: one place for how each failure is named and when it makes sense to come back.
import { type PeerCode, PeerError, type Retry } from '../base/errors.ts';
import { visibleText } from '../model/plain-text.ts';

const RETRY: Readonly<Record<PeerCode, Retry>> = {
  'peer.refused': 'later',
  'peer.unreachable': 'later',
  'peer.timeout': 'soon',
  'peer.reset': 'soon',
  'peer.too-large': 'later',
  'peer.unparsable': 'later',
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

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** A device may quote what it was sent, as it was written there: plain, in JSON (which may itself be quoted in JSON), or in an address. */
export function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text;
  const forms = [secret, inJson(secret), inJson(inJson(secret)), encodeURIComponent(secret.toWellFormed())];
  return forms.reduce((rest, form) => rest.replaceAll(form, '[secret]'), text);
}

/** An error in which the device speaks for itself. */
export function deviceSays(code: PeerCode, what: string, words: string): PeerError {
  const clean = cleanWords(words);
  return peerError(code, clean === '' ? `${what}: the device gives no reason` : `${what}: the device says "${clean}"`);
}

/** Runs a step before the command itself: whatever goes wrong there, the command was not sent. */
export async function beforeSent<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    throw new PeerError(error.code, error.message, error.retry, error.cause, { wasSent: false });
  }
}
