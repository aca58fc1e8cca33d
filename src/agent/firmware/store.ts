// Firmware images on this host: found by their SHA-256 in one folder, or fetched into it from a host that the configuration allows. Nothing that
// does not match its hash is ever handed out. It sends nothing to miners and deletes no image.
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CancelledError, RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { FirmwareImage } from '../../driver/contract.ts';
import { type Fetch, hostOf } from './fetch.ts';

export type FirmwareStore = ReturnType<typeof createFirmwareStore>;

const MAX_FILES = 1_000;
const paramsSchema = z.object({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i)
    .transform((text) => text.toLowerCase()),
  url: z.string().optional(),
});

type Hashed = { readonly size: number; readonly mtimeMs: number; readonly sha256: string };

export function createFirmwareStore(
  /** `folder` is absolute; `allowedHosts` are `host` or `host:port`, reached by https. */
  { folder, allowedHosts }: { readonly folder: string; readonly allowedHosts: readonly string[] },
  { clock, log, fetchTo }: { readonly clock: Clock; readonly log: Log; readonly fetchTo: Fetch },
) {
  const hashes = new Map<string, Hashed>();
  /** One at a time: hashing and fetching load the disk and the line of a small host. */
  const oneAtATime = pLimit(1);

  const list = async (): Promise<{ name: string; size: number; mtimeMs: number }[]> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
    const files = await Promise.all(
      names.slice(0, MAX_FILES).map(async (name) => {
        const facts = await stat(join(folder, name)).catch(() => undefined);
        return facts === undefined || facts.size === 0 ? [] : [{ name, size: facts.size, mtimeMs: facts.mtimeMs }];
      }),
    );
    return files.flat();
  };

  const lookUp = async (sha256: string, signal: AbortSignal): Promise<FirmwareImage | undefined> => {
    const files = await list();
    const present = new Set(files.map(({ name }) => name));
    for (const name of hashes.keys()) if (!present.has(name)) hashes.delete(name);
    // A file that carries the hash in its name is looked at first.
    const likely = files.toSorted((a, b) => Number(b.name.startsWith(sha256)) - Number(a.name.startsWith(sha256)));
    for (const { name, size, mtimeMs } of likely) {
      let hashed = hashes.get(name);
      if (hashed === undefined || hashed.size !== size || hashed.mtimeMs !== mtimeMs) {
        const found = await hashOf(join(folder, name), signal);
        if (found === undefined) continue;
        hashed = { size, mtimeMs, sha256: found };
        hashes.set(name, hashed);
      }
      if (hashed.sha256 === sha256) return { name, sha256, bytes: await openAsBlob(join(folder, name)) };
    }
    return undefined;
  };

  const download = async (url: URL, sha256: string, signal: AbortSignal): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const part = join(folder, `.${sha256}.part`);
    const startMs = clock.monotonicMs();
    try {
      const got = await fetchTo(part, url, allowedHosts, signal);
      if (got.sha256 !== sha256) {
        throw new RefusedError(
          'firmware.wrong',
          `fetch firmware from ${url.host}: the file has another SHA-256, ${got.sha256}`,
        );
      }
      await rename(part, join(folder, nameFor(url, sha256)));
      const { files, bytes } = await size();
      const fields = { host: url.host, sha256, bytes: got.bytes, tookMs: Math.round(clock.monotonicMs() - startMs) };
      log.info({ ...fields, folderFiles: files, folderBytes: bytes }, 'fetched a firmware image');
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  };

  /** What the folder holds. */
  const size = async (): Promise<{ readonly files: number; readonly bytes: number }> => {
    const files = await list();
    return { files: files.length, bytes: files.reduce((sum, file) => sum + file.size, 0) };
  };

  const find = async (params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<FirmwareImage> => {
    const parsed = paramsSchema.safeParse(params);
    if (!parsed.success)
      throw new RefusedError(
        'firmware.params',
        'find a firmware image without its SHA-256: name it in sha256, as 64 hex digits',
      );
    const { sha256, url } = parsed.data;
    const known = await lookUp(sha256, signal);
    if (known !== undefined) return known;
    const from = url === undefined ? undefined : URL.parse(url);
    if (!from || hostOf(from, allowedHosts) === undefined) throw missing(sha256, from ?? undefined);
    await download(from, sha256, signal);
    const fetched = await lookUp(sha256, signal);
    if (fetched === undefined) throw missing(sha256, from);
    return fetched;
  };

  const missing = (sha256: string, from: URL | undefined) => {
    const host =
      from?.protocol === 'https:' && from.host !== '' ? `, or allow ${from.host} in firmware.allowedHosts` : '';
    return new RefusedError(
      'firmware.missing',
      `no image with SHA-256 ${sha256} on the agent's host: put the file into ${folder}${host}`,
    );
  };

  return {
    size,
    /** Whether a device may be told to fetch this address by itself. */
    mayFetch: (url: string): boolean => URL.canParse(url) && hostOf(new URL(url), allowedHosts) !== undefined,
    /** The image that the params of a task name. Throws RefusedError that says what to do, or CancelledError. */
    find: (params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<FirmwareImage> =>
      oneAtATime(async () => {
        if (signal.aborted) throw new CancelledError('find a firmware image', signal.reason);
        try {
          return await find(params, signal);
        } catch (error) {
          if (signal.aborted) throw new CancelledError('find a firmware image', error);
          if (error instanceof RefusedError) throw error;
          log.warn({ folder, error: renderError(error) }, 'the firmware folder cannot be used');
          throw new RefusedError('firmware.folder', `use the firmware folder ${folder} of the agent's host`, error);
        }
      }),
  };
}

/** Undefined when it cannot be read. */
async function hashOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { signal })) hash.update(chunk);
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
  return hash.digest('hex');
}

/** The hash and what the address called it, fit for any file system. */
function nameFor(url: URL, sha256: string): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  const plain = last
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(-100);
  return plain === '' ? sha256 : `${sha256}-${plain}`;
}
