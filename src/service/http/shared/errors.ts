// Every error answer of the HTTP side, in the one shape of the interface: statusCode, message, error, and nothing else.
// Causes go to the log with the request id, never to the client.
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { RefusedError, renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';

export const errorSchema = z.strictObject({
  statusCode: z.int().meta({ description: 'The HTTP status' }),
  message: z.string(),
  error: z.string().meta({ description: 'The name of the status' }),
});
type ErrorBody = z.infer<typeof errorSchema>;

/** Refusals of ours and the status that they become. Their messages are written for the client. */
const REFUSAL_STATUS: Readonly<Record<string, number>> = {
  'request.invalid': 400,
  'auth.missing': 401,
  'auth.invalid': 401,
  'auth.code': 401,
  'auth.workspace': 403,
  'auth.permission': 403,
  'auth.farm': 403,
  'request.not-found': 404,
  'request.conflict': 409,
  'request.media-type': 415,
  'request.rate': 429,
};

/** What the framework may say of a request, in our words. */
const STATUS_MESSAGE: Readonly<Record<number, string>> = {
  400: 'Invalid request parameters',
  404: 'Resource not found',
  408: 'The request took too long to arrive',
  413: 'The request body is too large',
  414: 'The request path is too long',
  415: 'The request body must be application/json',
  503: 'The service is not ready, try again',
};

export function errorBody(statusCode: number, message?: string): ErrorBody {
  const error = STATUS_CODES[statusCode] ?? 'Error';
  return { statusCode, message: message ?? STATUS_MESSAGE[statusCode] ?? error, error };
}

/** The refusal of a request that does not fit; `problems` say which parameter, what was received, what is accepted. */
export const invalidRequest = (...problems: string[]) =>
  new RefusedError('request.invalid', `Invalid request parameters: ${problems.join('; ')}`);

export function toErrorBody(error: unknown): ErrorBody {
  if (error instanceof RefusedError) {
    const status = REFUSAL_STATUS[error.code];
    if (status !== undefined) return errorBody(status, error.message);
  }
  const status = frameworkStatus(error);
  if (status === 400 && error instanceof Error) return errorBody(400, `Invalid request parameters: ${error.message}`);
  return status === undefined ? errorBody(500) : errorBody(status);
}

function frameworkStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode <= 599 ? statusCode : undefined;
}

const MIB = 1024 * 1024;
const tooLarge = (bytes: number | undefined) =>
  `The request body is larger than the limit of ${Math.round(((bytes ?? MIB) / MIB) * 10) / 10} MiB`;

/** The error handler of the server. */
export function createErrorHandler(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const body = toErrorBody(error);
    if (body.statusCode === 413) body.message = tooLarge(request.routeOptions.bodyLimit);
    if (body.statusCode === 415 && !(error instanceof RefusedError))
      body.message = `The request body must be ${request.routeOptions.schema?.consumes?.join(', ') ?? 'application/json'}`;
    if (body.statusCode >= 500)
      log.error(
        { requestId: request.id, route: request.routeOptions.url, error: renderError(error) },
        'request failed',
      );
    reply.code(body.statusCode).send(body);
  };
}
