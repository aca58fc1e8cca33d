// What a write to a Whatsminer begins with, and the files of API 3 (atlas section 4.3): firmware that goes out when the
// device says `ready`, and logs that come behind an answer with their size. It signs nothing.
import { isJsonObject } from '../cgminer/json-fixer.ts';
import { beforeSent, peerError } from '../peer-errors.ts';
import type { Awaitable, ExchangeLimits, Login, PlainLogin, Whatsminer2Write, Whatsminer3Write } from '../request.ts';
import type { Engine } from '../tcp/engine.ts';
import { DEFAULT_MAX_BYTES, type Endpoint, timeBudget, UPLOAD_DEADLINE_MS } from '../tcp/exchange.ts';
import { exchangeTwoSteps } from '../tcp/two-step-exchange.ts';
import { encodeFrame, HEADER_BYTES, type Request3, readFrame, type Whatsminer3Reply } from './api3-frames.ts';
import { textOfArchive } from './archive.ts';

const WRITE_DEADLINE_MS = 8_000;
/** Devices pack their logs before they answer. */
export const DOWNLOAD_DEADLINE_MS = 120_000;
/** Packed, as it comes. */
export const MAX_ARCHIVE_BYTES = 16 * 1024 ** 2;

/** What the steps of a write share. Throws PeerError `peer.auth` when there is no login to write with. */
export function beginWrite(
  { clock }: Engine,
  to: Endpoint,
  login: Login | undefined,
  { cmd, upload, download }: Whatsminer2Write | Whatsminer3Write,
  limits: ExchangeLimits,
) {
  const what = `write ${cmd} to ${to.ip}:${to.port}`;
  if (!login) throw peerError('peer.auth', `${what}: no login configured`, { wasSent: false });
  const usualMs = upload ? UPLOAD_DEADLINE_MS : download ? DOWNLOAD_DEADLINE_MS : WRITE_DEADLINE_MS;
  return { what, login, upload, download, budget: timeBudget(clock, limits, usualMs) };
}

/** What a write says of its login, once it may go out. */
export async function carriedBy<T>(
  { carry, triesLogin }: { readonly triesLogin?: true; carry?(login: PlainLogin): Awaitable<T> },
  { user, password, beforeSending }: Login,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (carry !== undefined || triesLogin) await beforeSent(async () => beforeSending?.(signal));
  return carry?.({ user, password: password.reveal() });
}

function endOfFrame(received: Buffer): number | undefined {
  if (received.length < HEADER_BYTES) return undefined;
  const end = HEADER_BYTES + received.readUInt32LE(0);
  if (end > DEFAULT_MAX_BYTES) throw peerError('peer.too-large', `read a frame of ${end} bytes`, { wasSent: true });
  return received.length < end ? undefined : end;
}

const bodyOf = (frame: Buffer) => frame.subarray(HEADER_BYTES);

/** The device's verdict on the file. Throws PeerError as askFramed does. */
export async function uploadFramed(
  engine: Engine,
  to: Endpoint,
  request: Request3,
  file: Blob,
  what: string,
  limits: ExchangeLimits,
): Promise<Whatsminer3Reply> {
  const steps = {
    request: encodeFrame(request),
    endOf: endOfFrame,
    next(answer: Buffer) {
      // A refusal is thrown: the connection ends and not a byte of the file has left.
      readFrame(bodyOf(answer), what);
      return 'file' as const;
    },
    file,
  };
  const { second } = await exchangeTwoSteps(engine, to, steps, what, limits);
  if (second === undefined) throw peerError('peer.reset', what, { wasSent: true });
  return readFrame(bodyOf(second), what);
}

/** The text of the logs. */
export async function downloadFramed(
  engine: Engine,
  to: Endpoint,
  request: Request3,
  what: string,
  limits: ExchangeLimits,
): Promise<string> {
  const steps = {
    request: encodeFrame(request),
    endOf: endOfFrame,
    next: (answer: Buffer) => ({ bytes: sizeOf(readFrame(bodyOf(answer), what).msg, what) }),
  };
  const { second } = await exchangeTwoSteps(engine, to, steps, what, { ...limits, maxBytes: MAX_ARCHIVE_BYTES });
  return textOfArchive(second ?? Buffer.alloc(0), limits.maxBytes ?? DEFAULT_MAX_BYTES);
}

/** `logsize` of API 3, `logfilelen` of API 2; numbers, or texts of them. */
export function sizeOf(message: unknown, what: string): number {
  const { logsize, logfilelen } = isJsonObject(message) ? message : {};
  const digits = /^\d{1,10}$/.exec(String(logsize ?? logfilelen))?.[0];
  if (digits === undefined) throw peerError('peer.unparsable', `${what}: how long the log is`, { wasSent: true });
  return Number(digits);
}
