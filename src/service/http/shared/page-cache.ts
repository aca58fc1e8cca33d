// Bodies of large pages, kept as bytes for a second, and compressed for those who take that: many clients that ask for
// the same page cost one reading of the database. What a client changed shows at once: the code that changes miners for
// a client clears the cache. Bounded in bytes; small bodies are made anew each time.
import { Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, yieldToEventLoop } from '../../../base/clock.ts';
import type { MinerStore } from '../../store/store.ts';
import { takesGzip } from '../transfer/transfer.ts';

/** In parts, each as text or as its bytes: put together, a page would hold up the process for as long as it takes. */
type PageParts = readonly (string | Uint8Array)[];

export type PageBody = {
  readonly parts: readonly Buffer[];
  /** Bytes. */
  readonly length: number;
  /** Made once, when first asked for; absent where the body is too small to be worth it. */
  readonly gzipped?: () => Promise<readonly Buffer[]>;
};

export type PageCache = ReturnType<typeof createPageCache>;

/** How old a body may be when it is served, counted from before it was read. */
const FRESH_MS = 1_000;

type Entry = { readonly madeMs: number; readonly body: Promise<PageBody>; bytes: number };

/** The first level: three times as fast as the usual one, a third larger. */
const LEVEL = constants.Z_BEST_SPEED;

/** In a thread of its own. */
async function compress(parts: readonly Buffer[]): Promise<readonly Buffer[]> {
  const packed: Buffer[] = [];
  for await (const part of Readable.from(parts).pipe(createGzip({ level: LEVEL }))) packed.push(Buffer.from(part));
  return packed;
}

/** Bytes are not copied. */
const toBuffer = (part: string | Uint8Array): Buffer =>
  typeof part === 'string' ? Buffer.from(part) : Buffer.from(part.buffer, part.byteOffset, part.byteLength);

export const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

export function createPageCache(
  clock: Clock,
  { minBytes, maxBytes }: { readonly minBytes: number; readonly maxBytes: number },
) {
  const entries = new Map<string, Entry>();
  const isFresh = (entry: Entry) => clock.monotonicMs() - entry.madeMs < FRESH_MS;

  const drop = (key: string, entry: Entry) => {
    if (entries.get(key) === entry) entries.delete(key);
  };
  /** Oldest first, until the rest fits. */
  const shrink = () => {
    let total = [...entries.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [key, entry] of entries) {
      if (total <= maxBytes) return;
      entries.delete(key);
      total -= entry.bytes;
    }
  };
  const build = async (make: () => Promise<PageParts>): Promise<PageBody> => {
    const parts = (await make()).map(toBuffer);
    const length = lengthOf(parts);
    if (length < minBytes) return { parts, length };
    let gzipped: Promise<readonly Buffer[]> | undefined;
    return {
      ...{ parts, length },
      gzipped() {
        gzipped ??= compress(parts);
        return gzipped;
      },
    };
  };

  return {
    /**
     * The body under this key, made when there is none that is fresh. Requests that come while it is made wait for the
     * same one.
     */
    async get(key: string, make: () => Promise<PageParts>): Promise<PageBody> {
      const before = entries.get(key);
      if (before !== undefined && isFresh(before)) return before.body;
      const entry: Entry = { madeMs: clock.monotonicMs(), body: build(make), bytes: 0 };
      // At the end, because the order is that of age.
      entries.delete(key);
      entries.set(key, entry);
      try {
        const body = await entry.body;
        if (body.gzipped === undefined) {
          drop(key, entry);
          return body;
        }
        // The compressed one is small beside it.
        entry.bytes = body.length;
        shrink();
        clock.after(FRESH_MS, () => drop(key, entry), { unref: true });
        return body;
      } catch (error) {
        drop(key, entry);
        throw error;
      }
    },
    clear: () => entries.clear(),
  };
}

/** Pages from this size on may be a second old. */
const LARGE_PAGE = 1_000;

/** The envelope of both versions around items that are JSON text already. */
const writePage = (items: PageParts, pagination: object): PageParts => [
  '{"success":true,"data":[',
  ...items.flatMap((part, index) => (index === 0 ? [part] : [',', part])),
  `],"pagination":${JSON.stringify(pagination)},"error":null}`,
];

/** `item`: how the version writes a miner of this farm for this caller. */
type WantedMiners = Omit<Parameters<MinerStore['list']>[0], 'nowMs'> & {
  readonly version: 'v1' | 'v2';
  readonly paginate: (total: number) => object;
};

/** A page of miners. Large ones come from the cache, compressed when the client takes it; small ones are made anew. */
export async function sendMiners(
  parts: { readonly store: { readonly miners: MinerStore }; readonly pages: PageCache; readonly clock: Clock },
  request: FastifyRequest,
  reply: FastifyReply,
  { version, paginate, ...wanted }: WantedMiners,
): Promise<FastifyReply> {
  const make = async () => {
    const { items, total } = await parts.store.miners.list({ ...wanted, nowMs: parts.clock.nowMs() });
    return writePage(items, paginate(total));
  };
  reply.type('application/json; charset=utf-8');
  if (wanted.window.limit < LARGE_PAGE) return reply.send(Buffer.concat((await make()).map(toBuffer)));
  const page = await parts.pages.get(JSON.stringify([version, wanted]), make);
  reply.header('vary', 'accept-encoding');
  if (page.gzipped === undefined || !takesGzip(request.headers['accept-encoding'])) return sendParts(reply, page.parts);
  return sendParts(reply.header('content-encoding', 'gzip'), await page.gzipped());
}

/** Others have their turn between the parts. */
function sendParts(reply: FastifyReply, parts: readonly Buffer[]): FastifyReply {
  async function* inTurns() {
    for (const part of parts) {
      yield part;
      await yieldToEventLoop();
    }
  }
  return reply.header('content-length', lengthOf(parts)).send(Readable.from(inTurns(), { objectMode: false }));
}
