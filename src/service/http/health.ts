// Health of the process, for those who watch it: whether it runs, and whether it can serve. No key, no tenant data.
import { z } from 'zod';
import { PeerError } from '../../base/errors.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import { errorSchema } from '../../wire/api/envelope.ts';
import { NO_KEY } from './openapi.ts';
import type { App, RouteParts } from './server.ts';
import { errorBody } from './shared/errors.ts';

const aliveSchema = z.strictObject({ status: z.literal('ok') });

/** A database that takes longer is away. */
const CHECK_MS = 1_500;

export function registerHealth(app: App, { store, clock, isStopping, storageFault }: RouteParts): void {
  const described = { tags: ['service'], security: NO_KEY };
  app.route({
    method: 'GET',
    url: '/healthz',
    schema: {
      ...described,
      operationId: 'getHealth',
      summary: 'The process runs',
      response: { 200: aliveSchema, 400: errorSchema, 500: errorSchema },
    },
    handler: async () => ({ status: 'ok' as const }),
  });
  app.route({
    method: 'GET',
    url: '/readyz',
    schema: {
      ...described,
      operationId: 'getReadiness',
      summary: 'The service can take requests: its database answers and stores, and it is not stopping',
      response: { 200: aliveSchema, 400: errorSchema, 500: errorSchema, 503: errorSchema },
    },
    handler: async (_request, reply) => {
      if (isStopping()) return reply.code(503).send(errorBody(503, 'The service is stopping'));
      const fault = storageFault();
      if (fault !== undefined) return reply.code(503).send(errorBody(503, `Nothing can be stored: ${fault}`));
      const onDeadline = () => new PeerError('peer.timeout', 'ask the database whether it is there', 'soon');
      const isAnswering = await withDeadline(clock, { deadlineMs: CHECK_MS, onDeadline }, () => store.check()).then(
        () => true,
        () => false,
      );
      if (isAnswering) return reply.send({ status: 'ok' });
      return reply.code(503).send(errorBody(503, 'The database does not answer'));
    },
  });
}
