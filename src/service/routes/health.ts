// For those who watch the process: does it run, can it serve. No key, no tenant data.
import { z } from 'zod';
import { errorBody, errorSchema } from './errors.ts';
import { NO_KEY } from './openapi.ts';
import type { App } from './server.ts';

const aliveSchema = z.strictObject({ status: z.literal('ok') });

export function registerHealth(app: App, check: () => Promise<void>): void {
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
        summary: 'The service can answer requests: its database does',
        response: { 200: aliveSchema, 500: errorSchema, 503: errorSchema },
      },
    },
    async (_request, reply) => {
      try {
        await check();
        return reply.send({ status: 'ok' });
      } catch {
        return reply.code(503).send(errorBody(503, 'The database does not answer'));
      }
    },
  );
}
