// The folder of firmware images: found by their SHA-256 or by name. A file is read again only when its size or its time
// has changed. It deletes no image.
import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FirmwareImage } from '../../driver/contract.ts';

const MAX_FILES = 1_000;

type ImageFile = { readonly name: string; readonly size: number; readonly mtimeMs: number };

export class ImageFolder {
  readonly #path: string;
  readonly #hashes = new Map<string, ImageFile & { readonly sha256: string }>();

  constructor(path: string) {
    this.#path = path;
  }

  async size(): Promise<{ readonly files: number; readonly bytes: number }> {
    const files = await this.#files();
    return { files: files.length, bytes: files.reduce((sum, file) => sum + file.size, 0) };
  }

  async find(sha256: string, signal: AbortSignal): Promise<FirmwareImage | undefined> {
    const files = await this.#files();
    const present = new Set(files.map(({ name }) => name));
    for (const name of this.#hashes.keys()) if (!present.has(name)) this.#hashes.delete(name);
    // A file that carries the hash in its name is looked at first.
    const likely = files.toSorted((a, b) => Number(b.name.startsWith(sha256)) - Number(a.name.startsWith(sha256)));
    for (const file of likely) {
      if ((await this.#hashOf(file, signal)) !== sha256) continue;
      return { name: file.name, sha256, bytes: await openAsBlob(join(this.#path, file.name)) };
    }
    return undefined;
  }

  /** The file of this name. */
  async named(name: string, signal: AbortSignal): Promise<FirmwareImage | undefined> {
    const file = (await this.#files()).find((each) => each.name === name);
    const sha256 = file && (await this.#hashOf(file, signal));
    return sha256 === undefined ? undefined : { name, sha256, bytes: await openAsBlob(join(this.#path, name)) };
  }

  async #files(): Promise<ImageFile[]> {
    const entries = await readdir(this.#path, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
    const files = await Promise.all(
      names.slice(0, MAX_FILES).map(async (name) => {
        const facts = await stat(join(this.#path, name)).catch(() => undefined);
        return facts === undefined || facts.size === 0 ? [] : [{ name, size: facts.size, mtimeMs: facts.mtimeMs }];
      }),
    );
    return files.flat();
  }

  /** Undefined when it cannot be read. */
  async #hashOf(file: ImageFile, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#hashes.get(file.name);
    if (known?.size === file.size && known.mtimeMs === file.mtimeMs) return known.sha256;
    const hash = createHash('sha256');
    try {
      for await (const chunk of createReadStream(join(this.#path, file.name), { signal })) hash.update(chunk);
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
    const sha256 = hash.digest('hex');
    this.#hashes.set(file.name, { ...file, sha256 });
    return sha256;
  }
}
