// Signed writes of Whatsminer API 3 (atlas section 4.3): salt and device clock first, then the signed command on a second connection.
// The device judges the token by its own clock, so ours plays no part.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { seal, sha256 } from '../aes.ts';
import { isJsonObject } from '../cgminer/json-fixer.ts';
import type { Wire } from '../cgminer/protocol.ts';
import { timeBudget } from '../limits/time-budget.ts';
import { peerError } from '../peer-errors.ts';
import type { ExchangeLimits, Login, Whatsminer3Write } from '../request.ts';
import type { Endpoint } from '../tcp/exchange.ts';
import { beforeSent } from './api2-writes.ts';
import { askFramed } from './api3-frames.ts';
import { DOWNLOAD_DEADLINE_MS, downloadFramed, UPLOAD_DEADLINE_MS, uploadFramed } from './file-transfer.ts';

const DEFAULT_WRITE_DEADLINE_MS = 8_000;
const TOKEN_CHARS = 8;
/** Accounts that API 3 knows. A login for API 2 (`admin`) means the same person: its password is tried for `super`. */
const ACCOUNTS: readonly string[] = ['super', 'user1', 'user2', 'user3'];
const WRONG_TOKEN = /token|password|account|auth/i;

/** The reply of a command that the device took, or the text of a download. Throws PeerError as askFramed does, `peer.auth` for a wrong password; a lost answer carries `wasSent`. */
export async function writeWhatsminer3(
  { wire, clock }: { readonly wire: Wire; readonly clock: Clock },
  to: Endpoint,
  login: Login | undefined,
  request: Whatsminer3Write,
  limits: ExchangeLimits,
): Promise<unknown> {
  const what = `write ${request.cmd} to ${to.ip}:${to.port}`;
  if (!login) throw peerError('peer.auth', `${what}: no login configured`, { wasSent: false });
  const { upload, download } = request;
  const usualMs = upload ? UPLOAD_DEADLINE_MS : download ? DOWNLOAD_DEADLINE_MS : DEFAULT_WRITE_DEADLINE_MS;
  const budget = timeBudget(clock, limits, usualMs);
  const { salt, ts } = await beforeSent(() => fetchSalt(wire, to, what, budget.next(what)));
  const digest = sha256(`${request.cmd}${login.password.reveal()}${salt}${ts}`);
  const signed = {
    cmd: request.cmd,
    ts,
    token: digest.toString('base64').slice(0, TOKEN_CHARS),
    account: ACCOUNTS.includes(login.user) ? login.user : 'super',
    ...(request.param === undefined
      ? {}
      : { param: request.isSealed ? seal(JSON.stringify(request.param), digest) : request.param }),
  };
  try {
    const reply = await (upload
      ? uploadFramed(wire, to, signed, upload, what, budget.next(what))
      : download
        ? downloadFramed(wire, to, signed, what, budget.next(what))
        : askFramed(wire, to, signed, budget.next(what)));
    login.onTaken?.();
    return reply;
  } catch (error) {
    const isRefusal =
      error instanceof PeerError && (error.code === 'peer.rejected' || error.code === 'peer.permission');
    if (isRefusal && WRONG_TOKEN.test(error.message.slice(error.message.indexOf('the device says')))) {
      throw new PeerError('peer.auth', error.message, 'never', error.cause);
    }
    throw error;
  }
}

async function fetchSalt(
  wire: Wire,
  to: Endpoint,
  what: string,
  limits: ExchangeLimits,
): Promise<{ salt: string; ts: number }> {
  const reply = await askFramed(wire, to, { cmd: 'get.device.info', param: 'salt' }, limits);
  const salt = isJsonObject(reply.msg) ? reply.msg.salt : undefined;
  const { when } = reply;
  if (typeof salt !== 'string' || salt === '' || typeof when !== 'number' || !Number.isInteger(when)) {
    throw peerError('peer.unparsable', `${what}: get the salt`);
  }
  return { salt, ts: when };
}
