// Fetches one file by https from a host that the configuration names: capped in size and time, redirects only among
// such hosts, certificates checked. It decides nothing about what the file is for.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Agent } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { RefusedError } from '../../base/errors.ts';
import { withDeadline } from '../../base/time/deadline.ts';

type Fetched = { readonly bytes: number; readonly sha256: string };

/**
 * Writes the file to `path`. Throws RefusedError or CancelledError; what was written stays for the caller to remove.
 */
export type Fetch = (path: string, url: URL, allowedHosts: readonly string[], signal: AbortSignal) => Promise<Fetched>;

const FETCH_LIMITS = { deadlineMs: 30 * 60_000, maxBytes: 1024 ** 3 };
const MAX_REDIRECTS = 3;

/** Host and port when the address may be fetched from, else undefined. */
export function hostOf(url: URL, allowedHosts: readonly string[]): string | undefined {
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  const wanted = url.host.toLowerCase();
  return allowedHosts.some((host) => host.toLowerCase().replace(/:443$/, '') === wanted) ? wanted : undefined;
}

export function createFetch(
  clock: Pick<Clock, 'after'>,
  { deadlineMs, maxBytes } = FETCH_LIMITS,
  /** Certificate authorities besides the usual ones. */
  ca?: string,
  /** What is fetched and the setting that names the hosts. */
  { kind, setting } = { kind: 'firmware', setting: 'firmware.allowedHosts' },
): Fetch {
  const fetchOnce: Fetch = async (path, first, allowedHosts, signal) => {
    const agent = new Agent({
      // Certificates are checked whatever the environment says.
      connect: {
        timeout: 10_000,
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
        ...(ca === undefined ? {} : { ca }),
      },
      headersTimeout: 60_000,
    });
    try {
      let url = first;
      for (let redirects = 0; ; redirects++) {
        const what = `fetch ${kind} from ${url.host}`;
        if (hostOf(url, allowedHosts) === undefined) {
          throw new RefusedError(
            'fetch.host',
            `${what}: not in ${setting}, or not by https; allow the host there, on site`,
          );
        }
        const { statusCode, headers, body } = await agent.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'GET',
          signal,
        });
        // A body that is given up emits an error.
        body.on('error', () => {});
        const location = typeof headers.location === 'string' ? headers.location : undefined;
        if (statusCode >= 300 && statusCode < 400 && location !== undefined) {
          body.destroy();
          const next = URL.parse(location, url.href);
          if (next === null || redirects >= MAX_REDIRECTS) {
            throw new RefusedError('fetch.redirect', `${what}: it leads elsewhere too often`);
          }
          url = next;
          continue;
        }
        if (statusCode !== 200) {
          body.destroy();
          throw new RefusedError('fetch.status', `${what}: the host answers ${statusCode}`);
        }
        const tooLarge = () => new RefusedError('fetch.too-large', `${what}: more than ${maxBytes} bytes`);
        return await write(path, body, maxBytes, tooLarge, signal);
      }
    } finally {
      await agent.destroy();
    }
  };
  return async (path, url, allowedHosts, signal) => {
    const onDeadline = () =>
      new RefusedError('fetch.slow', `fetch ${kind} from ${url.host} within ${deadlineMs / 1_000} s`);
    try {
      return await withDeadline(clock, { deadlineMs, signal, graceMs: 2_000, onDeadline }, (within) =>
        fetchOnce(path, url, allowedHosts, within),
      );
    } catch (error) {
      if (signal.aborted || error instanceof RefusedError) throw error;
      throw new RefusedError('fetch.failed', `fetch ${kind} from ${url.host}`, error);
    }
  };
}

async function write(
  path: string,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
  signal: AbortSignal,
): Promise<Fetched> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measured = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(body, measured, createWriteStream(path, { mode: 0o600 }), { signal });
  return { bytes, sha256: hash.digest('hex') };
}
