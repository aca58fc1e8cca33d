// Bodies of requests: JSON in UTF-8. It refuses, before any schema sees it, a body in another character set, a
// compressed one, one that is not text, one that is nested too deep, and `null`.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RefusedError } from '../../../base/errors.ts';
import { invalidRequest } from './errors.ts';

/** Replaces whatever the app took before. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeContentTypeParser(['text/plain', 'application/json']);
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const text = readUtf8(request, bytes, 'application/json');
    if (isTooDeep(text)) return done(invalidRequest('body: nested too deep'));
    if (text.trim() === 'null') return done(invalidRequest('body: received null, accepted: an object'));
    void parseJson(request, text, done);
  });
}

/** The text of a body. Throws RefusedError for another character set, a compressed body, and bytes that are no text. */
export function readUtf8(request: Pick<FastifyRequest, 'headers'>, bytes: Buffer, mediaType: string): string {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = request.headers;
  if (coding !== 'identity' || !isUtf8(type))
    throw new RefusedError('request.media-type', `The request body must be ${mediaType} in UTF-8, not compressed`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest('body: not UTF-8');
  }
}

/** Without a character set it is UTF-8. */
function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/** No body that we take is deeper; a deeper one could exhaust the stack of the code that walks it. */
const MAX_DEPTH = 64;

/**
 * Whether brackets of a JSON text are nested deeper than anything we take. Looks at the text only, so it costs one pass
 * and no stack.
 */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (isText) {
      if (char === '\\') at++;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === '{' || char === '[') {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === '}' || char === ']') depth--;
  }
  return false;
}

/** As `onRequest` of a route that takes no body: a client may still send a content type. */
export async function allowNoBody({ headers }: FastifyRequest): Promise<void> {
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0')
    delete headers['content-type'];
}
