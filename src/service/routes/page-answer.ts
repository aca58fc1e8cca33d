// Large pages as answers: from the cache, compressed when the client takes it. Small pages are made anew and sent as they are.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageCache, PageText } from './page-cache.ts';

/** Pages from this size on may be a second old. */
const LARGE_PAGE = 1_000;

export type WantedPage = {
  readonly size: number;
  /** What the page depends on; the same for the same page only. */
  readonly key: readonly unknown[];
  /** Its JSON text. */
  readonly make: () => Promise<PageText>;
};

/** The envelope of both versions around items that are JSON text already. */
export function writePage(items: string | Uint8Array, pagination: object): PageText {
  const before = '{"success":true,"data":[';
  const after = `],"pagination":${JSON.stringify(pagination)},"error":null}`;
  return typeof items === 'string'
    ? `${before}${items}${after}`
    : Buffer.concat([Buffer.from(before), items, Buffer.from(after)]);
}

export async function sendPage(
  pages: PageCache,
  request: FastifyRequest,
  reply: FastifyReply,
  { size, key, make }: WantedPage,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8');
  if (size < LARGE_PAGE) return reply.send(await make());
  const page = await pages.get(JSON.stringify(key), make);
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
