// Firmware images on this host: found by their SHA-256 in one folder, or fetched into it from a host that the
// configuration allows. An image that does not match its hash is never handed out. It sends nothing to miners.
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CancelledError, RefusedError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { FirmwareImage } from '../../driver/contract.ts';
import { PARAMS_FIELDS } from '../../model/tasks/task-params.ts';
import { type Fetch, hostOf } from './fetch.ts';
import { ImageFolder } from './image-folder.ts';

const { file, sha256 } = PARAMS_FIELDS['miner.firmware.update'];
const paramsSchema = z
  .object({ file, sha256: sha256.transform((text) => text?.toLowerCase()), url: z.string().optional() })
  .refine((params) => params.file !== undefined || params.sha256 !== undefined);

type StoreParts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly fetchTo: Fetch;
  /** Absolute. */
  readonly folder: string;
  /** `host` or `host:port`, reached by https. */
  readonly allowedHosts: readonly string[];
};

export class FirmwareStore {
  readonly #parts: StoreParts;
  readonly #images: ImageFolder;
  /** One at a time: hashing and fetching load the disk and the network of a small host. */
  readonly #oneAtATime = pLimit(1);

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#images = new ImageFolder(parts.folder);
  }

  /** What the folder holds. */
  size(): ReturnType<ImageFolder['size']> {
    return this.#images.size();
  }

  /** Whether a command may make a device fetch this address itself. */
  mayFetch(url: string): boolean {
    return URL.canParse(url) && hostOf(new URL(url), this.#parts.allowedHosts) !== undefined;
  }

  /** The image that the params of a task name. Throws RefusedError with what to do about it, or CancelledError. */
  find(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<FirmwareImage> {
    const { log, folder } = this.#parts;
    return this.#oneAtATime(async () => {
      if (signal.aborted) throw new CancelledError('find a firmware image', signal.reason);
      try {
        return await this.#find(params, signal);
      } catch (error) {
        if (signal.aborted) throw new CancelledError('find a firmware image', error);
        if (error instanceof RefusedError) throw error;
        log.warn({ folder, error: renderError(error) }, 'the firmware folder cannot be used');
        throw new RefusedError('firmware.folder', `use the firmware folder ${folder} of the agent's host`, error);
      }
    });
  }

  async #find(params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<FirmwareImage> {
    const parsed = paramsSchema.safeParse(params);
    if (!parsed.success)
      throw new RefusedError(
        'firmware.params',
        'find a firmware image without a name: give the file of the folder, or sha256 as 64 hex digits',
      );
    const { file, sha256 = '', url } = parsed.data;
    if (file !== undefined) return this.#named(file, sha256, signal);
    const known = await this.#images.find(sha256, signal);
    if (known !== undefined) return known;
    const from = url === undefined ? null : URL.parse(url);
    if (from === null || hostOf(from, this.#parts.allowedHosts) === undefined) throw this.#missing(sha256, from);
    await this.#download(from, sha256, signal);
    const fetched = await this.#images.find(sha256, signal);
    if (fetched === undefined) throw this.#missing(sha256, from);
    return fetched;
  }

  /** `sha256` may be empty. */
  async #named(file: string, sha256: string, signal: AbortSignal): Promise<FirmwareImage> {
    const image = await this.#images.named(file, signal);
    if (image === undefined)
      throw new RefusedError(
        'firmware.missing',
        `no image ${file} on the agent's host: put the file into ${this.#parts.folder}`,
      );
    if (sha256 !== '' && image.sha256 !== sha256)
      throw new RefusedError('firmware.wrong', `use ${file} as firmware: it has another SHA-256, ${image.sha256}`);
    return image;
  }

  async #download(url: URL, sha256: string, signal: AbortSignal): Promise<void> {
    const { clock, log, fetchTo, folder, allowedHosts } = this.#parts;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const part = join(folder, `.${sha256}.part`);
    const startMs = clock.monotonicMs();
    try {
      const got = await fetchTo(part, url, allowedHosts, signal);
      if (got.sha256 !== sha256) {
        const what = `fetch firmware from ${url.host}`;
        throw new RefusedError('firmware.wrong', `${what}: the file has another SHA-256, ${got.sha256}`);
      }
      await rename(part, join(folder, nameFor(url, sha256)));
      const { files, bytes } = await this.#images.size();
      const fields = { host: url.host, sha256, bytes: got.bytes, tookMs: Math.round(clock.monotonicMs() - startMs) };
      log.info({ ...fields, folderFiles: files, folderBytes: bytes }, 'fetched a firmware image');
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  #missing(sha256: string, from: URL | null): RefusedError {
    const isHttps = from?.protocol === 'https:' && from.host !== '';
    const host = isHttps ? `, or allow ${from.host} in firmware.allowedHosts` : '';
    return new RefusedError(
      'firmware.missing',
      `no image with SHA-256 ${sha256} on the agent's host: put the file into ${this.#parts.folder}${host}`,
    );
  }
}

/** The hash and the last part of the address, with characters that any file system takes. */
function nameFor(url: URL, sha256: string): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  const plain = last
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(-100);
  return plain === '' ? sha256 : `${sha256}-${plain}`;
}
