// Signed writes of Whatsminer API 3 (atlas section 4.3): salt and device clock first, then the signed command on a
// second connection. The device judges the token by its own clock, so ours plays no part.
import { hash } from 'node:crypto';
import { PeerError } from '../../base/errors.ts';
import { encrypt } from '../aes.ts';
import { isJsonObject } from '../cgminer/json-fixer.ts';
import { beforeSent, peerError } from '../peer-errors.ts';
import type { ExchangeLimits, Login, Whatsminer3Write } from '../request.ts';
import type { Engine } from '../tcp/engine.ts';
import type { Endpoint } from '../tcp/exchange.ts';
import { askFramed } from './api3-frames.ts';
import { beginWrite, carriedBy, downloadFramed, uploadFramed } from './file-transfer.ts';

const TOKEN_CHARS = 8;
/** Accounts that API 3 knows. A login for API 2 (`admin`) means the same person: its password is tried for `super`. */
const ACCOUNTS: readonly string[] = ['super', 'user1', 'user2', 'user3'];
const WRONG_TOKEN = /token|password|account|auth/i;
/** Of a device that is told a new password, which it may speak of. */
const WRONG_SIGN = /token|auth/i;

const toObject = (param: unknown) => (isJsonObject(param) ? param : {});

/**
 * The reply of a command that the device took, or the text of a download. Throws PeerError as askFramed does,
 * `peer.auth` for a wrong password; a lost answer carries `wasSent`.
 */
export async function writeWhatsminer3(
  engine: Engine,
  to: Endpoint,
  configured: Login | undefined,
  request: Whatsminer3Write,
  limits: ExchangeLimits,
): Promise<unknown> {
  const { what, login, upload, download, budget } = beginWrite(engine, to, configured, request, limits);
  const account = ACCOUNTS.includes(login.user) ? login.user : 'super';
  const carried = await carriedBy(request, { ...login, user: account }, limits.signal);
  const param = carried === undefined ? request.param : { ...toObject(request.param), ...carried };
  const { salt, ts } = await beforeSent(() => fetchSalt(engine, to, what, budget.next(what)));
  const digest = hash('sha256', `${request.cmd}${login.password.reveal()}${salt}${ts}`, 'buffer');
  const signed = {
    cmd: request.cmd,
    ts,
    token: digest.toString('base64').slice(0, TOKEN_CHARS),
    account,
    ...(param === undefined ? {} : { param: request.isEncrypted ? encrypt(JSON.stringify(param), digest) : param }),
  };
  try {
    const reply = await (upload
      ? uploadFramed(engine, to, signed, upload, what, budget.next(what))
      : download
        ? downloadFramed(engine, to, signed, what, budget.next(what))
        : askFramed(engine, to, signed, budget.next(what)));
    login.onTaken?.();
    return reply;
  } catch (error) {
    const isRefusal =
      error instanceof PeerError && (error.code === 'peer.rejected' || error.code === 'peer.permission');
    if (isRefusal && isAboutLogin(request, error))
      throw new PeerError('peer.auth', error.message, 'never', error.cause);
    throw error;
  }
}

/** Some say the same to a wrong login and to a command that is not allowed: a login that is tried is none then. */
function isAboutLogin({ carry, triesLogin }: Whatsminer3Write, { code, message }: PeerError): boolean {
  const words = message.slice(message.indexOf('the device says'));
  return (carry ? WRONG_SIGN : WRONG_TOKEN).test(words) || (triesLogin === true && code === 'peer.permission');
}

async function fetchSalt(engine: Engine, to: Endpoint, what: string, limits: ExchangeLimits) {
  const reply = await askFramed(engine, to, { cmd: 'get.device.info', param: 'salt' }, limits);
  const salt = isJsonObject(reply.msg) ? reply.msg.salt : undefined;
  const { when } = reply;
  if (typeof salt !== 'string' || salt === '' || typeof when !== 'number' || !Number.isInteger(when)) {
    throw peerError('peer.unparsable', `${what}: get the salt`);
  }
  return { salt, ts: when };
}
