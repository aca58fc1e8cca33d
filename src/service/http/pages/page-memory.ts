// Memory for the bodies of large pages, in blocks that are used again and again. It is shared with the thread that
// fills it: V8 does not count shared memory, so a page does not make it collect garbage in the whole heap of the
// service, which would hold up all other requests for some 10 ms.
import { BugError } from '../../../base/errors.ts';

const BLOCK_BYTES = 1024 * 1024;

export type Blocks = readonly SharedArrayBuffer[];
export type PageMemory = ReturnType<typeof createPageMemory>;

/** The bytes of a page. Who has it is its user until `release`; another user begins with `use` before that. */
export type Body = {
  readonly length: number;
  /** Of at most so many bytes each; not to be read after `release`. */
  slices(bytes: number): Iterable<Buffer>;
  use(): void;
  release(): void;
};

/** `maxBytes` is what is kept for later; more than that is lent, but not kept. */
export function createPageMemory(maxBytes: number) {
  const free: SharedArrayBuffer[] = [];
  let lent = 0;
  const giveBack = (blocks: Blocks) => {
    lent -= blocks.length;
    for (const block of blocks) if ((free.length + lent + 1) * BLOCK_BYTES <= maxBytes) free.push(block);
  };
  return {
    lend(bytes: number): Blocks {
      const count = Math.ceil(bytes / BLOCK_BYTES);
      lent += count;
      return Array.from({ length: count }, () => free.pop() ?? new SharedArrayBuffer(BLOCK_BYTES));
    },
    giveBack,
    /** Of filled blocks: they are given back by its last user, and those that are empty at once. */
    bodyOf(lentBlocks: Blocks, length: number): Body {
      const count = Math.ceil(length / BLOCK_BYTES);
      const blocks = lentBlocks.slice(0, count);
      giveBack(lentBlocks.slice(count));
      let users = 1;
      // What is given back may hold the page of another tenant by now.
      const throwIfGivenBack = () => {
        if (users === 0) throw new BugError('read a page whose memory was given back');
      };
      return {
        length,
        *slices(bytes) {
          for (const [index, block] of blocks.entries()) {
            const filled = Math.min(BLOCK_BYTES, length - index * BLOCK_BYTES);
            for (let start = 0; start < filled; start += bytes) {
              throwIfGivenBack();
              yield Buffer.from(block, start, Math.min(bytes, filled - start));
            }
          }
        },
        use() {
          throwIfGivenBack();
          users++;
        },
        release() {
          throwIfGivenBack();
          users--;
          if (users === 0) giveBack(blocks);
        },
      };
    },
    /** Keeps none for later. */
    shrink() {
      free.length = 0;
    },
    lentBytes: () => lent * BLOCK_BYTES,
  };
}

/** In the other thread: puts parts one after the other into blocks; `lend` gives so many bytes more. */
export function createPageWriter(lend: (bytes: number) => Promise<Blocks>) {
  const blocks: SharedArrayBuffer[] = [];
  let length = 0;
  return {
    length: () => length,
    async write(part: string | Uint8Array): Promise<void> {
      const missing = length + Buffer.byteLength(part) - blocks.length * BLOCK_BYTES;
      if (missing > 0) blocks.push(...(await lend(missing)));
      // No wait from here on: another page uses the same memory.
      const bytes = typeof part === 'string' ? encoded(part) : part;
      for (let start = 0; start < bytes.length; ) {
        const block = blocks[Math.floor(length / BLOCK_BYTES)];
        if (block === undefined) throw new BugError(`write ${bytes.length} bytes of a page: fewer were lent`);
        const offset = length % BLOCK_BYTES;
        const piece = bytes.subarray(start, start + BLOCK_BYTES - offset);
        new Uint8Array(block, offset).set(piece);
        start += piece.length;
        length += piece.length;
      }
    },
  };
}

/** Used again for each part, as the blocks are and for the same reason. */
let scratch = Buffer.alloc(0);

/** Until the next call. */
function encoded(text: string): Uint8Array {
  const length = Buffer.byteLength(text);
  if (scratch.length < length) scratch = Buffer.alloc(2 * length);
  scratch.write(text);
  return scratch.subarray(0, length);
}
