// Packs the bytes of a large page with gzip while they are made. A smaller page stays as it is.
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, type Gzip } from 'node:zlib';
import { SENT_IN_SLICES_FROM_BYTES } from './page.ts';

type Write = (part: Uint8Array) => Promise<void>;

/** The first level: three times as fast as the usual one, a third larger. */
const PACKING = { level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024 };

type Packing = { readonly gzip: Gzip; readonly written: Promise<void> };

/** Hands the packed bytes to `to`, one part after the other. */
export function createPacker(to: Write) {
  /** Until it is known that the page is large. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  let packing: Packing | undefined;

  return {
    /** Resolves when another thread has packed the part; it is not used after that. */
    async write(part: string | Uint8Array): Promise<void> {
      if (packing !== undefined) return pack(packing, part);
      const bytes = Buffer.from(part);
      held.push(bytes);
      heldBytes += bytes.length;
      if (heldBytes < SENT_IN_SLICES_FROM_BYTES) return;
      packing = begin(to);
      for (const each of held) await pack(packing, each);
      held = [];
    },
    /** Hands over the rest. False where the page was too small to be packed. */
    async end(): Promise<boolean> {
      if (packing === undefined) {
        await to(Buffer.concat(held));
        return false;
      }
      packing.gzip.end();
      await packing.written;
      return true;
    },
    /** Frees what an unfinished page holds. */
    close(): void {
      packing?.gzip.destroy();
    },
  };
}

function begin(to: Write): Packing {
  const gzip = createGzip(PACKING);
  const written = pipeline(gzip, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) await to(chunk);
  });
  // `pack` and `end` throw its error.
  written.catch(() => {});
  return { gzip, written };
}

/** Throws what handing over the packed bytes throws. */
async function pack({ gzip, written }: Packing, part: string | Uint8Array): Promise<void> {
  const isTaken = new Promise<void>((resolve, reject) =>
    gzip.write(part, (error) => (error ? reject(error) : resolve())),
  );
  await Promise.race([isTaken, written]);
}
