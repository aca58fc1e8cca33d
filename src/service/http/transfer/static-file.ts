// Files of web pages that stay in memory as they are sent, packed and not, each form with a tag of its own.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKnownTag, takesGzip } from './transfer.ts';

export type StaticFile = {
  readonly type: string;
  readonly bytes: Buffer;
  readonly packed: Buffer;
  /** Strong, one for each of the two forms. */
  readonly tags: { readonly plain: string; readonly packed: string };
};

/** A year: the longest that is usual. For names that change with their content. */
export const FOR_EVER = 'public, max-age=31536000, immutable';

/** Without the file where the browser has it. `keep` = the header `cache-control`. */
export function sendStatic(request: FastifyRequest, reply: FastifyReply, file: StaticFile, keep: string) {
  const isPacked = takesGzip(request.headers['accept-encoding']);
  const etag = isPacked ? file.tags.packed : file.tags.plain;
  reply.headers({ etag, vary: 'accept-encoding', 'cache-control': keep });
  if (isKnownTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (isPacked) reply.header('content-encoding', 'gzip');
  return reply.type(file.type).send(isPacked ? file.packed : file.bytes);
}
