// Bodies of large pages, kept as bytes for a second, and compressed for those who take that: many clients that ask for
// the same page cost one reading of the database. What a client changed shows at once: the code that changes miners for
// a client clears the cache. Bounded in bytes; small bodies are made anew each time.
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { MinerStore } from '../../store/store.ts';

/** As text or as its bytes. */
type PageText = string | Buffer;

export type PageBody = {
  readonly bytes: Buffer;
  /** Made once, when first asked for; absent where the body is too small to be worth it. */
  readonly gzipped?: () => Promise<Buffer>;
};

export type PageCache = ReturnType<typeof createPageCache>;

/** How old a body may be when it is served, counted from before it was read. */
const FRESH_MS = 1_000;

type Entry = { readonly madeMs: number; readonly body: Promise<PageBody>; bytes: number };

/** In a thread of its own. The first level: three times as fast as the usual one, a third larger. */
const compress = promisify(gzip);
const LEVEL = constants.Z_BEST_SPEED;

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
  const build = async (make: () => Promise<PageText>): Promise<PageBody> => {
    const made = await make();
    const bytes = typeof made === 'string' ? Buffer.from(made) : made;
    if (bytes.length < minBytes) return { bytes };
    let gzipped: Promise<Buffer> | undefined;
    return {
      bytes,
      gzipped() {
        gzipped ??= compress(bytes, { level: LEVEL });
        return gzipped;
      },
    };
  };

  return {
    /**
     * The body under this key, made when there is none that is fresh. Requests that come while it is made wait for the
     * same one.
     */
    async get(key: string, make: () => Promise<PageText>): Promise<PageBody> {
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
        entry.bytes = body.bytes.length;
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
function writePage(items: string | Uint8Array, pagination: object): PageText {
  const before = '{"success":true,"data":[';
  const after = `],"pagination":${JSON.stringify(pagination)},"error":null}`;
  return typeof items === 'string'
    ? `${before}${items}${after}`
    : Buffer.concat([Buffer.from(before), items, Buffer.from(after)]);
}

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
  if (wanted.window.limit < LARGE_PAGE) return reply.send(await make());
  const page = await parts.pages.get(JSON.stringify([version, wanted]), make);
  reply.header('vary', 'accept-encoding');
  if (page.gzipped === undefined || !takesGzip(request.headers['accept-encoding'])) return reply.send(page.bytes);
  return reply.header('content-encoding', 'gzip').send(await page.gzipped());
}

/** RFC 9110, section 12.5.3, as far as clients use it. */
export function takesGzip(header: string | readonly string[] | undefined): boolean {
  const codings = (typeof header === 'string' ? header : (header ?? []).join(',')).toLowerCase().split(',');
  const weights = new Map(
    codings.map((coding) => {
      const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}
