// Files of Whatsminer API 3 (atlas section 4.3): firmware that goes out when the device says `ready`, and logs that come behind an answer with
// their size. It signs nothing.

import { isJsonObject } from '../cgminer/json-fixer.ts';
import type { Wire } from '../cgminer/protocol.ts';
import { peerError } from '../peer-errors.ts';
import type { ExchangeLimits } from '../request.ts';
import { DEFAULT_MAX_BYTES, type Endpoint } from '../tcp/exchange.ts';
import { converse } from '../tcp/two-step-exchange.ts';
import { encodeFrame, HEADER_BYTES, readFrame, type Whatsminer3Reply } from './api3-frames.ts';
import { textOfArchive } from './archive.ts';

type Request3 = Readonly<Record<string, unknown>> & { readonly cmd: string };

/** Devices pack their logs before they answer. */
export const DOWNLOAD_DEADLINE_MS = 120_000;
export const UPLOAD_DEADLINE_MS = 30 * 60_000;
/** Packed, as it comes. */
export const MAX_ARCHIVE_BYTES = 16 * 1024 ** 2;

function endOfFrame(received: Buffer): number | undefined {
  if (received.length < HEADER_BYTES) return undefined;
  const end = HEADER_BYTES + received.readUInt32LE(0);
  if (end > DEFAULT_MAX_BYTES) throw peerError('peer.too-large', `read a frame of ${end} bytes`, { wasSent: true });
  return received.length < end ? undefined : end;
}

const bodyOf = (frame: Buffer) => frame.subarray(HEADER_BYTES);

/** The device's verdict on the file. Throws PeerError as askFramed does. */
export async function uploadFramed(
  { engine, onRepair }: Pick<Wire, 'engine' | 'onRepair'>,
  to: Endpoint,
  request: Request3,
  file: Blob,
  what: string,
  limits: ExchangeLimits,
): Promise<Whatsminer3Reply> {
  const stages = {
    request: encodeFrame(request),
    endOf: endOfFrame,
    next(answer: Buffer) {
      // A refusal is thrown: the connection ends and not a byte of the file has left.
      readFrame(bodyOf(answer), what, onRepair);
      return 'file' as const;
    },
    file,
  };
  const { second } = await converse(engine, to, stages, what, limits);
  if (second === undefined) throw peerError('peer.reset', what, { wasSent: true });
  return readFrame(bodyOf(second), what, onRepair);
}

/** The text of the logs. */
export async function downloadFramed(
  { engine, onRepair }: Pick<Wire, 'engine' | 'onRepair'>,
  to: Endpoint,
  request: Request3,
  what: string,
  limits: ExchangeLimits,
): Promise<string> {
  const stages = {
    request: encodeFrame(request),
    endOf: endOfFrame,
    next: (answer: Buffer) => ({ bytes: sizeOf(readFrame(bodyOf(answer), what, onRepair).msg, what) }),
  };
  const { second } = await converse(engine, to, stages, what, { ...limits, maxBytes: MAX_ARCHIVE_BYTES });
  return textOfArchive(second ?? Buffer.alloc(0), limits.maxBytes ?? DEFAULT_MAX_BYTES);
}

/** `logsize` of API 3, `logfilelen` of API 2; numbers, or texts of them. */
export function sizeOf(message: unknown, what: string): number {
  const { logsize, logfilelen } = isJsonObject(message) ? message : {};
  const digits = /^\d{1,10}$/.exec(String(logsize ?? logfilelen))?.[0];
  if (digits === undefined) throw peerError('peer.unparsable', `${what}: how long the log is`, { wasSent: true });
  return Number(digits);
}
