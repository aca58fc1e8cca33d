// Encrypted writes of Whatsminer API 2 (atlas section 4.2) with a token per device, which is kept for 25 of its 30
// minutes. People switch the write API on with the vendor tool; nothing here works around that.
import { hash } from 'node:crypto';
import type { LruMap } from 'toad-cache';
import { silentLog } from '../../base/log.ts';
import type { Secret } from '../../base/secrets.ts';
import { decrypt, encrypt } from '../aes.ts';
import { isJsonObject, repairJson } from '../cgminer/json-fixer.ts';
import { askJsonLine, type Wire } from '../cgminer/protocol.ts';
import { type Refusal, refusalIn, statusCodeOf } from '../cgminer/refusals.ts';
import { beforeSent, deviceSays, peerError } from '../peer-errors.ts';
import type { ExchangeLimits, Login, Whatsminer2Write } from '../request.ts';
import type { Engine } from '../tcp/engine.ts';
import { DEFAULT_MAX_BYTES, type Endpoint } from '../tcp/exchange.ts';
import { endOfObject, exchangeTwoSteps, type TwoStepAnswer } from '../tcp/two-step-exchange.ts';
import { textOfArchive } from './archive.ts';
import { beginWrite, carriedBy, MAX_ARCHIVE_BYTES, sizeOf } from './file-transfer.ts';
import { md5CryptHash } from './md5-crypt.ts';

export type WhatsminerToken = {
  readonly password: Secret;
  readonly aesKey: Buffer;
  readonly sign: string;
  readonly fetchedAtMs: number;
};

type WhatsminerWriter = { readonly engine: Engine; readonly tokens: LruMap<WhatsminerToken> };

const TOKEN_LIFE_MS = 25 * 60_000;
const CODE_DONE = 131;
const CODE_TOKEN_WRONG = 135;
/** How a device answers what it cannot decrypt: the key comes from the password. */
const WRONG_KEY = /enc json|decrypt|password|token/i;
const WRONG_CIPHER = /enc json|decrypt|token/i;

const WRITE_API_ADVICE =
  'the write API is off: change the default password and choose "Enable API" with the WhatsMinerTool of the vendor';

/**
 * The decrypted answer envelope of a command that the device took (its verdict on an upload), or the text of a
 * download. Throws PeerError: `peer.permission` with advice when the write API is off, `peer.auth` when the password
 * does not fit, `peer.busy` when the device has given out all its tokens; a lost answer carries `wasSent`.
 */
export async function writeWhatsminer2(
  writer: WhatsminerWriter,
  to: Endpoint,
  configured: Login | undefined,
  request: Whatsminer2Write,
  limits: ExchangeLimits,
): Promise<unknown> {
  const { what, login, upload, download, budget } = beginWrite(writer.engine, to, configured, request, limits);
  // Its answers hold salts, so nothing of them is logged.
  const wire: Wire = { engine: writer.engine, log: silentLog };
  const cacheKey = `${to.ip}:${to.port}`;
  const params = { ...request.params, ...(await carriedBy(request, login, limits.signal)) };
  for (let isSecondTry = false; ; isSecondTry = true) {
    const cached = usableToken(writer, cacheKey, login);
    const token = cached ?? (await beforeSent(() => fetchToken(wire, to, login, what, budget.next(what))));
    // It is made of the password, which may be another one afterwards.
    if (request.carry) writer.tokens.delete(cacheKey);
    else if (!cached) writer.tokens.set(cacheKey, token);
    const plain = JSON.stringify({ cmd: request.cmd, token: token.sign, ...params });
    const line = Buffer.from(`${JSON.stringify({ enc: 1, data: encrypt(plain, token.aesKey) })}\n`);
    const staged =
      upload || download ? await sendOrFetch(wire, to, line, token, request, what, budget.next(what)) : undefined;
    const answer = staged
      ? openAnswer(staged.first, token, what)
      : decryptAnswer(await askJsonLine(wire, to, line, what, budget.next(what)), token, what);
    const code = statusCodeOf(answer);
    if (code === CODE_TOKEN_WRONG) {
      // The device refused before it looked at the command, so repeating it is safe.
      writer.tokens.delete(cacheKey);
      if (!isSecondTry) continue;
    }
    throwIfRefused(answer, code, what, request);
    login.onTaken?.();
    if (staged === undefined) return answer;
    if (download) return textOfArchive(staged.second ?? Buffer.alloc(0), limits.maxBytes ?? DEFAULT_MAX_BYTES);
    const verdict = openAnswer(staged.second ?? Buffer.alloc(0), token, what);
    throwIfRefused(verdict, statusCodeOf(verdict), what, request);
    return verdict;
  }
}

/** A first answer that is no yes is left to the caller: nothing more was sent then. */
function sendOrFetch(
  { engine }: Wire,
  to: Endpoint,
  line: Buffer,
  token: WhatsminerToken,
  { upload, download }: Whatsminer2Write,
  what: string,
  limits: ExchangeLimits,
): Promise<TwoStepAnswer> {
  const next = (first: Buffer) => {
    const answer = openAnswer(first, token, what);
    if (refusalIn(answer) || statusCodeOf(answer) !== CODE_DONE) return 'nothing';
    return upload ? 'file' : { bytes: sizeOf(isJsonObject(answer) ? answer.Msg : undefined, what) };
  };
  const steps = { request: line, endOf: endOfObject, next, ...(upload && { file: upload }) };
  return exchangeTwoSteps(engine, to, steps, what, download ? { ...limits, maxBytes: MAX_ARCHIVE_BYTES } : limits);
}

function openAnswer(bytes: Buffer, token: WhatsminerToken, what: string): unknown {
  const value = repairJson(bytes)?.value;
  if (!isJsonObject(value)) throw peerError('peer.unparsable', what, { wasSent: true });
  return decryptAnswer(value, token, what);
}

function usableToken(
  { tokens, engine }: WhatsminerWriter,
  cacheKey: string,
  login: Login,
): WhatsminerToken | undefined {
  const token = tokens.get(cacheKey);
  if (!token || engine.clock.monotonicMs() - token.fetchedAtMs >= TOKEN_LIFE_MS) return undefined;
  return token.password.reveal() === login.password.reveal() ? token : undefined;
}

async function fetchToken(
  wire: Wire,
  to: Endpoint,
  login: Login,
  what: string,
  limits: ExchangeLimits,
): Promise<WhatsminerToken> {
  const answer = await askJsonLine(wire, to, Buffer.from('{"cmd":"get_token"}\n'), `${what}: get a token`, limits);
  const message = isJsonObject(answer.Msg) ? answer.Msg : {};
  const { time, salt, newsalt } = message;
  const isWhole = [salt, newsalt].every((part) => typeof part === 'string' && part !== '');
  if (!isWhole || (typeof time !== 'string' && typeof time !== 'number')) {
    throwIfRefused(answer, statusCodeOf(answer), what, {});
    throw peerError('peer.unparsable', `${what}: get a token`);
  }
  const key = md5CryptHash(login.password.reveal(), String(salt));
  return {
    password: login.password,
    aesKey: hash('sha256', key, 'buffer'),
    sign: md5CryptHash(`${key}${time}`, String(newsalt)),
    fetchedAtMs: wire.engine.clock.monotonicMs(),
  };
}

/** An answer that is not encrypted is an error envelope, and passes as it is. */
function decryptAnswer(answer: Readonly<Record<string, unknown>>, token: WhatsminerToken, what: string): unknown {
  if (typeof answer.enc !== 'string') return answer;
  const bytes = decrypt(answer.enc, token.aesKey);
  const opened = bytes && repairJson(bytes);
  if (!opened || opened.isPartial || !isJsonObject(opened.value)) {
    throw peerError('peer.unparsable', `${what}: decrypt the answer`, { wasSent: true });
  }
  return opened.value;
}

/** A device that is told a new password may speak of it, and does not mean the login. */
function throwIfRefused(
  answer: unknown,
  code: number | undefined,
  what: string,
  { carry }: Pick<Whatsminer2Write, 'carry'>,
): void {
  const refusal = refusalIn(answer);
  if (!refusal && (code === undefined || code === CODE_DONE || code < 132 || code > 137)) return;
  const { words, code: kind }: Pick<Refusal, 'words' | 'code'> = refusal ?? {
    words: `code ${code}`,
    code: 'peer.rejected',
  };
  if (kind === 'peer.permission') throw peerError('peer.permission', `${what}: ${WRITE_API_ADVICE}`);
  if (code === 136) throw deviceSays('peer.busy', what, words);
  if (code === CODE_TOKEN_WRONG || (kind === 'peer.rejected' && (carry ? WRONG_CIPHER : WRONG_KEY).test(words))) {
    throw deviceSays('peer.auth', what, words);
  }
  throw deviceSays(kind, what, words);
}
