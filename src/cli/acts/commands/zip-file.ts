// A zip file that is written while its parts come, so that many logs need little memory. It is there whole or not at
// all.
import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Zip, ZipDeflate } from 'fflate';
import { wrongOption } from '../../options.ts';

/** Replaces the file when it is closed. */
export class ZipFile {
  readonly #path: string;
  readonly #part: string;
  readonly #stream: ReturnType<typeof createWriteStream>;
  readonly #zip: Zip;
  readonly #names = new Set<string>();

  private constructor(path: string, stream: ReturnType<typeof createWriteStream>) {
    this.#path = path;
    this.#part = partOf(path);
    this.#stream = stream;
    this.#zip = new Zip((error, bytes) => {
      if (error !== null) stream.destroy(error);
      else stream.write(bytes);
    });
  }

  /** Throws ConfigError where it cannot be written. */
  static async open(path: string): Promise<ZipFile> {
    const stream = createWriteStream(partOf(path));
    try {
      await once(stream, 'open');
    } catch {
      throw wrongOption('--zip', `cannot write ${path}`);
    }
    return new ZipFile(path, stream);
  }

  add(name: string, text: string): void {
    const entry = new ZipDeflate(this.#unused(name));
    this.#zip.add(entry);
    entry.push(Buffer.from(text), true);
  }

  async close(): Promise<void> {
    this.#zip.end();
    this.#stream.end();
    await once(this.#stream, 'close');
    renameSync(this.#part, this.#path);
  }

  /** Nothing is left of it. */
  async discard(): Promise<void> {
    this.#stream.destroy();
    rmSync(this.#part, { force: true });
  }

  #unused(name: string): string {
    let unused = name;
    for (let count = 2; this.#names.has(unused); count++) unused = name.replace(/(\.\w+)?$/, `-${count}$1`);
    this.#names.add(unused);
    return unused;
  }
}

const partOf = (path: string) => `${path}.part`;
