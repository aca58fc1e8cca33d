// One HTTP request to a miner through undici: no redirects, one connection per device, a total deadline, capped headers
// and body. Over TLS any certificate is accepted unless a key is expected.
import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { BugError, CancelledError, RefusedError } from '../../base/errors.ts';
import { PrioritySemaphore } from '../limits/priority-semaphore.ts';
import { peerError } from '../peer-errors.ts';
import type { HttpRequest } from '../request.ts';
import { EXHAUSTED } from '../tcp/connection.ts';
import type { Endpoint } from '../tcp/exchange.ts';
import type { Recorder } from '../tcp/recorder.ts';
import { ReplyBytes } from '../tcp/reply-bytes.ts';
import { createTlsKeys, shortKey } from './tls-keys.ts';
import { unpackBody } from './unpack.ts';

/** `tlsKey` = of the device, where it is known by one: over TLS nothing goes to another one. */
export type HttpEndpoint = Endpoint & { readonly isTls: boolean; readonly tlsKey: string | undefined };

type HttpCall = {
  readonly to: HttpEndpoint;
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | StreamedBody;
  /** What errors call it, where the path may hold a secret. */
  readonly label?: string;
  readonly deadlineMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
  /** A body beyond `maxBytes`: cut it, or fail with `peer.too-large`. */
  readonly beyondMax: 'cut' | 'fail';
};

/** A body that is read as it is sent. */
export type StreamedBody = { readonly length: number; open(): Readable };

type HeaderValue = string | string[] | undefined;
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly body: Buffer;
  /** That the device showed, if it was over TLS: SHA-256 of the public key (SPKI), hex. */
  readonly tlsKey: string | undefined;
};

type Heard = Pick<HttpAnswer, 'status' | 'headers' | 'tlsKey'> & { readonly raw: Buffer };

export type HttpClientLimits = { readonly inFlight: number; readonly waiting: number };

const CONNECT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 16 * 1024;

const HOW: Readonly<Record<string, 'peer.refused' | 'peer.unreachable' | 'peer.timeout' | 'peer.too-large'>> = {
  ECONNREFUSED: 'peer.refused',
  EHOSTUNREACH: 'peer.unreachable',
  ENETUNREACH: 'peer.unreachable',
  EHOSTDOWN: 'peer.unreachable',
  ENETDOWN: 'peer.unreachable',
  EACCES: 'peer.unreachable',
  ETIMEDOUT: 'peer.timeout',
  UND_ERR_CONNECT_TIMEOUT: 'peer.timeout',
  UND_ERR_HEADERS_OVERFLOW: 'peer.too-large',
};
const RESET = /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/;

export class HttpClient {
  readonly #clock: Clock;
  readonly #agent: Agent;
  readonly #tlsKeys = createTlsKeys(CONNECT_TIMEOUT_MS);
  readonly #semaphore: PrioritySemaphore;
  readonly #recorder: Recorder | undefined;
  /** How to cancel each request that is under way. */
  readonly #running = new Set<() => void>();
  #isClosed = false;

  constructor(clock: Clock, limits: HttpClientLimits, recorder?: Recorder) {
    this.#clock = clock;
    this.#recorder = recorder;
    this.#semaphore = new PrioritySemaphore(1, {
      capacity: limits.inFlight,
      maxWaitingPerClass: limits.waiting,
      fullCode: 'http.queue-full',
    });
    this.#agent = new Agent({
      connections: 1,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The total deadline does what these two cannot: they start again with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: this.#tlsKeys.connector,
    });
  }

  stats(): { readonly inFlight: number; readonly waiting: number } {
    return { inFlight: this.#semaphore.running, waiting: this.#semaphore.waiting };
  }

  /** Throws PeerError, RefusedError `http.queue-full` or CancelledError. The deadline does not count the wait. */
  send(call: HttpCall): Promise<HttpAnswer> {
    const what =
      call.label ?? `${call.method} http${call.to.isTls ? 's' : ''}://${call.to.ip}:${call.to.port}${call.path}`;
    return this.#semaphore.run(0, what, call.signal, async () => {
      const startMs = this.#clock.monotonicMs();
      const { status, headers, tlsKey, raw } = await this.#dispatch(call, what);
      const encoding = headers['content-encoding'];
      const unpacked =
        encoding === undefined
          ? { bytes: raw.subarray(0, call.maxBytes), isCut: raw.length > call.maxBytes }
          : await unpackBody(raw, Array.isArray(encoding) ? encoding.join() : encoding, call.maxBytes);
      this.#recorder?.({
        port: call.to.port,
        method: call.method,
        ...(call.label === undefined && { path: call.path }),
        status,
        headers,
        bytes: unpacked?.bytes ?? raw,
        elapsedMs: this.#clock.monotonicMs() - startMs,
      });
      if (!unpacked) {
        throw peerError('peer.unparsable', `${what}: decode the body`, { wasSent: true });
      }
      if (unpacked.isCut && call.beyondMax === 'fail') {
        throw peerError('peer.too-large', `${what}: more than ${call.maxBytes} bytes`, { wasSent: true });
      }
      return { status, headers, body: unpacked.bytes, tlsKey };
    });
  }

  /** Ends everything that is under way; later calls are cancelled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#running) cancel();
    await this.#agent.destroy();
  }

  #dispatch(call: HttpCall, what: string): Promise<Heard> {
    return new Promise((resolve, reject) => {
      const bytes = new ReplyBytes(what, call.maxBytes);
      let status = 0;
      let headers: HttpAnswer['headers'] = {};
      let tlsKey: string | undefined;
      let wasSent = false;
      let isSettled = false;
      let abort: ((reason: Error) => void) | undefined;

      const settle = (): boolean => {
        if (isSettled) return false;
        isSettled = true;
        cancelDeadline();
        call.signal?.removeEventListener('abort', onStop);
        this.#running.delete(onStop);
        return true;
      };
      const succeed = () => {
        if (settle()) resolve({ status, headers, tlsKey, raw: bytes.bytes() });
      };
      const fail = (error: Error) => {
        if (!settle()) return;
        reject(error);
        abort?.(error);
      };
      const onStop = () => fail(new CancelledError(what, call.signal?.reason));
      // One I/O poll between the timer and the verdict: a busy loop must not throw away an answer that is already
      // there.
      const cancelDeadline = this.#clock.after(call.deadlineMs, () =>
        setImmediate(() => fail(peerError('peer.timeout', what, { wasSent }))),
      );
      if (call.signal?.aborted || this.#isClosed) {
        onStop();
        return;
      }
      call.signal?.addEventListener('abort', onStop, { once: true });
      this.#running.add(onStop);

      const { body } = call;
      this.#agent.dispatch(
        {
          origin: `http${call.to.isTls ? 's' : ''}://${call.to.ip}:${call.to.port}`,
          path: call.path,
          method: call.method,
          // Devices want the length beforehand: small web servers know nothing of chunks.
          headers:
            typeof body === 'object' ? { ...call.headers, 'content-length': String(body.length) } : { ...call.headers },
          body: typeof body === 'object' ? body.open() : (body ?? null),
        },
        {
          // The connection is open, new or kept alive, and nothing is written yet: an abort here sends nothing.
          onRequestStart: (controller) => {
            abort = (reason) => controller.abort(reason);
            // The deadline may have passed while the connection was being made.
            if (isSettled) return controller.abort(new CancelledError(what));
            if (!call.to.isTls) return;
            tlsKey = this.#tlsKeys.of(call.to);
            if (call.to.tlsKey !== undefined && call.to.tlsKey !== tlsKey) fail(otherKey(what, call.to.tlsKey, tlsKey));
          },
          onRequestSent() {
            wasSent = true;
          },
          onResponseStart(_controller, statusCode, responseHeaders) {
            status = statusCode;
            headers = responseHeaders;
          },
          onResponseData(controller, chunk) {
            if (isSettled) return;
            try {
              bytes.add(chunk.subarray(0, call.beyondMax === 'cut' ? call.maxBytes - bytes.length : undefined));
            } catch (error) {
              fail(error instanceof Error ? error : peerError('peer.too-large', what, { wasSent }));
            }
            if (call.beyondMax === 'cut' && bytes.length >= call.maxBytes) {
              succeed();
              controller.abort(new CancelledError(what));
            }
          },
          onResponseEnd: succeed,
          onResponseError: (_controller, error) => fail(toDeclaredError(error, what, wasSent)),
        },
      );
    });
  }
}

function otherKey(what: string, expected: string, shown = 'none'): Error {
  const keys = `it shows the TLS key ${shortKey(shown)} where ${shortKey(expected)} is expected`;
  const remedy = 'if it has a new certificate, the next scan meets it: pithead trust list';
  return peerError('peer.tls-key', `${what}: nothing is sent, because ${keys}; ${remedy}`, { wasSent: false });
}

function toDeclaredError(error: Error & { readonly code?: unknown }, what: string, wasSent: boolean): Error {
  if (error instanceof RefusedError) return error;
  const code = typeof error.code === 'string' ? error.code : '';
  if (EXHAUSTED.has(code)) return new RefusedError('engine.exhausted', what, error);
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return new CancelledError(what, error);
  if (code === 'UND_ERR_INVALID_ARG') return new BugError(`${what}: a request that cannot be sent`, error);
  const how = HOW[code] ?? (RESET.test(code) ? 'peer.reset' : 'peer.unparsable');
  return peerError(how, what, { cause: error, wasSent });
}
