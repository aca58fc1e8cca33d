// POST /agent/v1/enrol: where an agent hands in its one-time code.
import { type EnrolAnswer, type EnrolRequest, enrolAnswerSchema, enrolRequestSchema } from '../../wire/frames.ts';
import { ENROL_PATH } from '../../wire/protocol.ts';
import { answers, NO_KEY } from './openapi.ts';
import type { App } from './server.ts';

export function registerEnrol(app: App, enrol: (request: EnrolRequest) => Promise<EnrolAnswer>): void {
  app.post(
    ENROL_PATH,
    {
      schema: {
        tags: ['service'],
        operationId: 'enrolAgent',
        summary: 'Exchange a one-time code for the identity of an agent',
        security: NO_KEY,
        body: enrolRequestSchema,
        response: answers(enrolAnswerSchema),
      },
    },
    (request) => enrol(request.body),
  );
}
