// For routes that take no body: a client may still say what kind of body it does not send.
import type { FastifyRequest } from 'fastify';

/** As `onRequest` of the route. */
export async function allowNoBody({ headers }: FastifyRequest): Promise<void> {
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0')
    delete headers['content-type'];
}
