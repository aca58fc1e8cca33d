// Answers a request with a page of a list: a small one is made here and at once, a large one by the thread for those.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { yieldToEventLoop } from '../../../base/clock.ts';
import { notFound } from '../../auth/authorise.ts';
import { onceClosed } from '../limits/closed.ts';
import { LARGE_ROWS } from '../limits/cost.ts';
import { takesGzip } from '../transfer/transfer.ts';
import { SENT_IN_SLICES_FROM_BYTES, type WantedPage, writePage } from './page.ts';
import type { MadePage } from './page-thread.ts';
import type { Pages } from './pages.ts';

/** Pages of so many miners may be a second old. */
const KEPT_ROWS = 1_000;
/** What is sent at a time. */
const SLICE_BYTES = 128 * 1024;

/** Throws RefusedError when there is no such list. */
export async function sendPage(
  { lists, thread, cache }: Pages,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: WantedPage,
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8');
  const rows = rowsOf(wanted);
  if (rows < LARGE_ROWS) {
    const parts: Buffer[] = [];
    const isFound = await writePage(lists, wanted, (part) => void parts.push(Buffer.from(part)));
    if (!isFound) throw notFound();
    return reply.send(Buffer.concat(parts));
  }
  const isPackable = takesGzip(request.headers['accept-encoding']);
  const make = () => thread.make(wanted, isPackable);
  const { nowMs: _, ...same } = wanted;
  const isKept = wanted.list === 'miners' && rows >= KEPT_ROWS;
  const made = await (isKept ? cache.get(JSON.stringify([same, isPackable]), make) : make());
  if (made === undefined) throw notFound();
  return sendMade(reply, made);
}

/** What the thread has made, in slices where it is large. */
export function sendMade(reply: FastifyReply, { body, isPacked }: NonNullable<MadePage>): FastifyReply {
  if (!isPacked && body.length < SENT_IN_SLICES_FROM_BYTES) {
    const bytes = Buffer.concat([...body.slices(SLICE_BYTES)]);
    body.release();
    return reply.send(bytes);
  }
  // By then everything is with the operating system, or the connection is gone and nothing is read for it any more.
  onceClosed(reply, body.release);
  reply.header('vary', 'accept-encoding').header('content-length', body.length);
  if (isPacked) reply.header('content-encoding', 'gzip');
  return reply.send(Readable.from(inTurns(body.slices(SLICE_BYTES)), { objectMode: false }));
}

const rowsOf = ({ page }: WantedPage): number => ('limit' in page ? page.limit : page.page_size);

/** Others have theirs between them. */
async function* inTurns(slices: Iterable<Buffer>) {
  for (const slice of slices) {
    yield slice;
    await yieldToEventLoop();
  }
}
