// Every error answer of the HTTP side, in the one shape of the interface: statusCode, message, error, and nothing else.
// Causes go to the log with the request id, never to the client.
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DATABASE_ERRORS, HTTP_STATUSES, REFUSALS } from '../../../base/error-codes.data.ts';
import { DatabaseError, RefusedError, renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { ErrorBody } from '../../../wire/api/envelope.ts';

export function errorBody(statusCode: number, message?: string): ErrorBody {
  const error = STATUS_CODES[statusCode] ?? 'Error';
  return { statusCode, message: message ?? HTTP_STATUSES[statusCode]?.message ?? error, error };
}

/** The refusal of a request that does not fit; `problems` say which parameter, what was received, what is accepted. */
export const invalidRequest = (...problems: string[]) =>
  new RefusedError('request.invalid', `${REFUSALS['request.invalid'].text}: ${problems.join('; ')}`);

export function toErrorBody(error: unknown): ErrorBody {
  if (error instanceof RefusedError) {
    const { status } = REFUSALS[error.code];
    if (status !== undefined) return errorBody(status, error.message);
  }
  if (error instanceof DatabaseError) {
    const { status, text } = DATABASE_ERRORS[error.code];
    return errorBody(status ?? 503, text);
  }
  const status = frameworkStatus(error);
  if (status === 400 && error instanceof Error) return toErrorBody(invalidRequest(error.message));
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
export function createErrorHandler(
  log: Log,
  onRefused: (request: FastifyRequest, status: number, error: unknown) => void,
) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const body = toErrorBody(error);
    if (body.statusCode < 500) onRefused(request, body.statusCode, error);
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
