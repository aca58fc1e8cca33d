// For those who watch the process: does it run, can it serve. No key, no tenant data.
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import { errorBody, errorSchema } from './errors.ts';
import { NO_KEY } from './openapi.ts';
import type { App } from './server.ts';

const aliveSchema = z.strictObject({ status: z.literal('ok') });

/** A database that takes longer is away. */
const CHECK_MS = 2_000;

export function registerHealth(
  app: App,
  parts: { readonly isStopping: () => boolean; readonly check: () => Promise<void>; readonly clock: Clock },
): void {
  const described = { tags: ['service'], security: NO_KEY };
  app.get(
    '/healthz',
    {
      schema: {
        ...described,
        operationId: 'getHealth',
        summary: 'The process runs',
        response: { 200: aliveSchema, 500: errorSchema },
      },
    },
    async () => ({ status: 'ok' as const }),
  );
  app.get(
    '/readyz',
    {
      schema: {
        ...described,
        operationId: 'getReadiness',
        summary: 'The service can take requests: its database answers, and it is not stopping',
        response: { 200: aliveSchema, 500: errorSchema, 503: errorSchema },
      },
    },
    async (_request, reply) => {
      if (parts.isStopping()) return reply.code(503).send(errorBody(503, 'The service is stopping'));
      const isAnswering = await answersInTime(parts.check, parts.clock);
      if (isAnswering) return reply.send({ status: 'ok' });
      return reply.code(503).send(errorBody(503, 'The database does not answer'));
    },
  );
}

function answersInTime(check: () => Promise<void>, clock: Clock): Promise<boolean> {
  const onDeadline = () => new PeerError('peer.timeout', 'ask the database whether it is there', 'soon');
  return withDeadline(clock, { deadlineMs: CHECK_MS, onDeadline }, check).then(
    () => true,
    () => false,
  );
}
