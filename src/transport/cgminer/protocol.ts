// One CGMiner command over one TCP connection (atlas sections 1.1 and 1.2): ask, read up to the stop rule, repair, and
// separate refusals from answers. It does not retry and does not queue: the caller holds the device mutex.
import { PeerError } from '../../base/errors.ts';
import { type Log, silentLog } from '../../base/log.ts';
import { beforeSent, cleanWords, deviceSays, peerError } from '../peer-errors.ts';
import type { CgminerRequest, ExchangeLimits, Login } from '../request.ts';
import type { Engine } from '../tcp/engine.ts';
import { DEFAULT_DEADLINE_MS, DEFAULT_MAX_BYTES, type Endpoint, exchange } from '../tcp/exchange.ts';
import { bareLine, isRead, parseBareText } from './bare-text.ts';
import type { Dialects } from './dialects.ts';
import { decodeReply, isJsonObject, repairJsonText } from './json-fixer.ts';
import { refusalIn, refusalInPlainText } from './refusals.ts';
import { CgminerReceiver } from './reply-end.ts';

export const CGMINER_PORT = 4028;
const LOGGED_REPLY_CHARS = 4_096;

/** Which connections to use, and where to log what needed repair. */
export type Wire = { readonly engine: Engine; readonly log: Log };
/** What the commands of CGMiner need beside: which form each device answers. */
export type CgminerWire = Wire & { readonly dialects: Dialects };

/** Request line of a command, ending in the newline that LuxOS expects and other devices ignore. */
function cgminerLine({ command, parameter, newApi }: CgminerRequest): Buffer {
  return Buffer.from(
    `${JSON.stringify({
      command,
      ...(parameter === undefined ? {} : { parameter }),
      ...(newApi ? { new_api: true } : {}),
    })}\n`,
  );
}

/** The repaired answer. Throws PeerError for silence, nonsense, a cut answer (`peer.reset`) and refusals. */
export async function askCgminer(
  wire: CgminerWire,
  to: Endpoint,
  request: CgminerRequest,
  limits: ExchangeLimits,
  login?: Login,
): Promise<unknown> {
  const what = `ask ${to.ip}:${to.port} for ${cleanWords(request.command)}`;
  if (request.carry !== undefined) return askWithLogin(wire, to, request, limits, what, login);
  const answer = objectIn(wire, to, await askEitherForm(wire, to, request, what, limits), what);
  const refusal = refusalIn(answer);
  if (refusal) throw deviceSays(refusal.code, what, refusal.words);
  return answer;
}

/**
 * The answer in the form that the device knows. What only reads is asked in the other form where the first gets nothing
 * and the device is not known: one request more, once.
 */
async function askEitherForm(
  wire: CgminerWire,
  to: Endpoint,
  request: CgminerRequest,
  what: string,
  limits: ExchangeLimits,
): Promise<Reply> {
  const { dialects, engine } = wire;
  const startMs = engine.clock.monotonicMs();
  const inTime = (): ExchangeLimits => {
    const spentMs = engine.clock.monotonicMs() - startMs;
    return { ...limits, deadlineMs: Math.max(1, (limits.deadlineMs ?? DEFAULT_DEADLINE_MS) - spentMs) };
  };
  const known = dialects.of(to);
  if (request.isBare && known === 'json') throw peerError('peer.timeout', what, { wasSent: false });
  try {
    if (dialects.isBare(to) || request.isBare) {
      const bare = await askLine(wire, to, bareLine(request), what, limits);
      const isBare = bareIn(bare.text) !== undefined;
      if (isBare && known !== 'bare') dialects.note(to, 'mute-to-json');
      if (!isRead(request) || isBare || request.isBare) return bare;
      dialects.forget(to);
    }
    const json = await askLine(wire, to, cgminerLine(request), what, inTime());
    const isNothing = json.text === '' || isRefusedAsText(json.text);
    if (!isNothing) dialects.note(to, 'json');
    if (!isNothing || known !== undefined || !isRead(request)) return json;
    const bare = await askLine(wire, to, bareLine(request), what, inTime());
    const isBare = bareIn(bare.text) !== undefined && !isRefusedAsText(bare.text);
    dialects.note(to, isBare ? 'bare' : 'neither');
    return isBare ? bare : json;
  } catch (error) {
    if (!(error instanceof PeerError) || error.code !== 'peer.timeout') dialects.forget(to);
    throw error;
  }
}

/** What the oldest answer to JSON: an unknown word. */
const isRefusedAsText = (text: string) => refusalIn(bareIn(text)) !== undefined;

const bareIn = (text: string) => (text.startsWith('STATUS=') ? parseBareText(text) : undefined);

/** Nothing of the answer is logged, and no words of the device go into errors: they may repeat the request. */
async function askWithLogin(
  wire: CgminerWire,
  to: Endpoint,
  { carry, ...request }: CgminerRequest,
  limits: ExchangeLimits,
  what: string,
  login: Login | undefined,
): Promise<unknown> {
  if (!login) throw peerError('peer.auth', `${what}: no login configured`, { wasSent: false });
  await beforeSent(async () => login.beforeSending?.(limits.signal));
  const parameter = (await carry?.({ user: login.user, password: login.password.reveal() })) ?? '';
  const line = (wire.dialects.isBare(to) ? bareLine : cgminerLine)({ ...request, parameter });
  try {
    const answer = await askJsonLine({ ...wire, log: silentLog }, to, line, what, limits);
    const refusal = refusalIn(answer);
    if (!refusal) {
      login.onTaken?.();
      return answer;
    }
    throw peerError(WRONG_LOGIN.test(refusal.words) ? 'peer.auth' : refusal.code, what);
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    const { code, retry, wasSent } = error;
    throw new PeerError(code, `${what} with a login`, retry, undefined, { wasSent });
  }
}

const WRONG_LOGIN = /passw|auth|login|wrong user/i;

/** The text of the answer up to the first NUL; bare text as JSON. Throws only for connections that gave no text. */
export async function askCgminerRaw(
  wire: CgminerWire,
  to: Endpoint,
  request: CgminerRequest,
  limits: ExchangeLimits,
): Promise<string> {
  const what = `ask ${to.ip}:${to.port} for ${cleanWords(request.command)}`;
  const { text } = await askEitherForm(wire, to, request, what, limits);
  if (text === '') throw peerError('peer.reset', `${what}: no answer before the end`, { wasSent: true });
  const bare = bareIn(text);
  return bare === undefined ? text : JSON.stringify(bare);
}

/** The value of a text answer; undefined where it must be asked for again. Throws PeerError for a refusal. */
export function readCgminerText(text: string, what: string): Readonly<Record<string, unknown>> | undefined {
  const reply = repairJsonText(text, []);
  const value = reply && !reply.isPartial && isJsonObject(reply.value) ? reply.value : undefined;
  const refusal = refusalIn(value);
  if (refusal) throw deviceSays(refusal.code, what, refusal.words);
  return value;
}

/** One line out, one object back, refusals not yet judged (Whatsminer writes judge theirs differently). */
export async function askJsonLine(
  wire: Wire,
  to: Endpoint,
  line: Buffer,
  what: string,
  limits: ExchangeLimits,
): Promise<Readonly<Record<string, unknown>>> {
  return objectIn(wire, to, await askLine(wire, to, line, what, limits), what);
}

type Reply = ReturnType<typeof decodeReply> & { readonly hasNul: boolean };

async function askLine(
  { engine }: Wire,
  to: Endpoint,
  line: Buffer,
  what: string,
  limits: ExchangeLimits,
): Promise<Reply> {
  const receiver = new CgminerReceiver(what, limits.maxBytes ?? DEFAULT_MAX_BYTES);
  await exchange(engine, to, line, receiver, what, limits);
  return { ...decodeReply(receiver.bytes()), hasNul: receiver.hasNul };
}

/** The object that an answer holds, in either form. Throws PeerError where there is none, or not all of it. */
function objectIn(
  wire: Wire,
  to: Endpoint,
  { text, repairs, hasNul }: Reply,
  what: string,
): Readonly<Record<string, unknown>> {
  if (text === '') throw peerError('peer.reset', `${what}: no answer before the end`, { wasSent: true });
  const bare = bareIn(text);
  if (bare !== undefined) return bare;
  const reply = repairJsonText(text, repairs);
  if (!reply || !isJsonObject(reply.value)) {
    const refusal = refusalInPlainText(text);
    if (refusal) throw deviceSays(refusal.code, what, refusal.words);
    throw peerError('peer.unparsable', what, { cause: new Error(`not JSON: ${cleanWords(text)}`), wasSent: true });
  }
  if (reply.repairs.length > 0) {
    wire.log.debug(
      { ip: to.ip, repairs: reply.repairs, text: text.slice(0, LOGGED_REPLY_CHARS) },
      'repaired an answer',
    );
  }
  if (reply.isPartial) {
    // A cut answer could pass for one with boards missing: worse than none.
    throw hasNul
      ? peerError('peer.unparsable', `${what}: cut answer`, { retry: 'soon', wasSent: true })
      : peerError('peer.reset', `${what}: cut answer`, { wasSent: true });
  }
  return reply.value;
}
