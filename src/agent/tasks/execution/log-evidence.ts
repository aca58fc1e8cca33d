// The log of a miner without the secrets that can be known: whole, or its end as evidence of a task, fit for a report
// and a page.
import { createHash } from 'node:crypto';
import { PeerError } from '../../../base/errors.ts';
import { SCAN_PORTS } from '../../../driver/identify.ts';
import { visibleLines } from '../../../model/plain-text.ts';
import { withoutSecret } from '../../../transport/peer-errors.ts';
import type { DeviceClient } from '../../device/device-client.ts';
import { isMiner, noMiner } from '../../device/recognised.ts';

const MAX_TEXT_BYTES = 64 * 1024;
/** Shorter ones stand in ordinary words, too. */
export const MIN_SECRET_CHARS = 6;
/** What follows such a word is a secret in every log: `pass=x`, `"password": "x"`, `-p x`, `pwd: x`. */
const WORDED =
  /(\b(?:pass(?:word|wd)?\d?|pwd\d?|secret|token|api[_-]?key)\b["']?\s*[:=]\s*)("[^"\n]*"|'[^'\n]*'|[^\s,;&"']+)/giu;
/** A header of a request, as a web server logs it. */
const HEADER = /(\b(?:(?:proxy-)?authorization|(?:set-)?cookie)\b["']?\s*:\s*["']?)([^\n"']+)/giu;
const OPTION = /((?:^|\s)(?:-p|--pass|--userpass|-O)[ =])(\S+)/gmu;
const IN_ADDRESS = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,128}:)[^\s/@]{1,128}@/giu;

/** `secrets` are hidden wherever they stand; short ones are words of everyday logs and are left to the patterns. */
export function logEvidence(log: string, secrets: readonly string[] = []) {
  const whole = Buffer.from(log);
  // Cleaned with something before it, so that a secret which the cut would split is seen whole.
  const text = cleanLog(endOf(whole, 2 * MAX_TEXT_BYTES), secrets);
  return {
    /** Of the whole log as it came. */
    bytes: whole.length,
    sha256: createHash('sha256').update(whole).digest('hex'),
    /** The last of it, in UTF-8. */
    text: endOf(Buffer.from(text), MAX_TEXT_BYTES),
  };
}

/** The log without control characters (but for lines and tabs) and without the secrets that can be known. */
function cleanLog(log: string, secrets: readonly string[] = []): string {
  // Replaced by nothing: a secret with something unseen in it would not be known as one.
  let text = visibleLines(log.replaceAll('\r\n', '\n'), '');
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_CHARS) text = withoutSecret(text, secret);
  }
  return text
    .replaceAll(HEADER, `$1${HIDDEN}`)
    .replaceAll(WORDED, `$1${HIDDEN}`)
    .replaceAll(OPTION, `$1${HIDDEN}`)
    .replaceAll(IN_ADDRESS, `$1${HIDDEN}@`);
}

/** A character that the cut splits is left out. */
function endOf(bytes: Buffer, max: number): string {
  const cut = bytes.subarray(Math.max(0, bytes.length - max)).toString('utf8');
  return bytes.length > max ? cut.replace(/^\ufffd+/u, '') : cut;
}

const HIDDEN = '[secret]';

/** Recognises the miner and asks it for its log. Throws PeerError. */
export async function logWith(
  client: Pick<DeviceClient, 'recognise' | 'act' | 'secrets'>,
  ip: string,
  signal: AbortSignal,
): Promise<string> {
  const found = await client.recognise(ip, new Set(SCAN_PORTS), signal);
  if (!isMiner(found)) throw new PeerError('peer.unsupported', `read the log of ${ip}: ${noMiner(ip, found)}`, 'later');
  const { target } = found;
  const reply = await client.act(target, 'log', {}, signal);
  const log = reply.kind === 'accepted' ? reply.log : undefined;
  if (log === undefined) throw new PeerError('peer.reset', `read the log of ${ip}: it gave none`, 'soon');
  return cleanLog(log, client.secrets());
}
