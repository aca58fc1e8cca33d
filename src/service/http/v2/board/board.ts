// GET …/board and POST …/board/search: a narrow row of each miner, and what has changed since. An extension of the
// interface; what pages and command lines stand on.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { answerBoard, type BoardRequest, type BoardState, knownSince } from '../../../../wire/api/board/answer.ts';
import { boardAnswerSchema, boardSearchSchema } from '../../../../wire/api/board/messages.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { accessOf, farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { good } from '../../shared/envelope.ts';
import { invalidRequest } from '../../shared/errors.ts';
import { single } from '../../shared/parameters.ts';
import { isKnownTag, takesGzip } from '../../transfer/transfer.ts';
import { createSnapshots, type Snapshot } from './snapshots.ts';

const described = {
  ...EXTENSION,
  tags: ['miners'],
  params: farmParams,
  response: answers(boardAnswerSchema),
};

const MAX_EPOCH = 64;
const SEQ = /^\d{1,15}$/;

const sinceShape = {
  epoch: single(
    'the epoch of the answer that the client has',
    (text) => (text.length <= MAX_EPOCH ? text : undefined),
    {
      maxLength: MAX_EPOCH,
    },
  ),
  since: single(
    'the seq of that answer: only what has changed is answered',
    (text) => (SEQ.test(text) ? Number(text) : undefined),
    { pattern: SEQ.source },
  ),
};

/** What pages and streams begin with. */
export const boardQuery = z.object(sinceShape);

export function registerBoard(app: App, { boards }: RouteParts): void {
  const snapshotOf = createSnapshots();
  const stateOf = (request: FastifyRequest) => boards.of(farmOf(request).id).state();
  const answer = (request: FastifyRequest, state: BoardState, wanted: BoardRequest) => {
    // The agents of a farm are no matter of a guest.
    const with_keys = wanted.with_keys === true && accessOf(request).granted === null;
    const outcome = answerBoard(state, { ...wanted, with_keys });
    if (outcome.kind === 'ok') return good(outcome.board);
    throw invalidRequest(
      ...(outcome.kind === 'wrong' ? outcome.problems.map((problem) => `body.select: ${problem}`) : [outcome.word]),
    );
  };
  app.route({
    method: 'GET',
    url: `${V2_FARM}/board`,
    schema: {
      ...described,
      operationId: 'getBoardV2',
      summary: 'A narrow row of each miner of a farm, in columns; or the rows that have changed',
      description:
        'Made for lists that stay on a screen: at most a second old; what was set at another copy of the service shows within 2 s. Ask again with `epoch` and `since` for what has changed, or let `GET …/board/stream` send it. An answer with another epoch has all rows.',
      querystring: boardQuery,
    },
    handler: async (request, reply) => {
      const state = await stateOf(request);
      if (knownSince(state, request.query) === undefined) sendWhole(request, reply, await snapshotOf(state));
      else reply.send(answer(request, state, request.query));
    },
  });
  app.route({
    method: 'POST',
    url: `${V2_FARM}/board/search`,
    schema: {
      ...described,
      operationId: 'searchBoardV2',
      summary: 'The same of the miners that a selector means',
      description:
        'Rows that have changed and are no longer selected come in `removed`. `unmatched` lists words that say who and that no miner fits.',
      body: boardSearchSchema,
    },
    handler: async (request) => answer(request, await stateOf(request), request.body),
  });
}

/** The bytes that are there, or that the client has them. */
function sendWhole(request: FastifyRequest, reply: FastifyReply, { plain, gzipped, tag }: Snapshot): void {
  reply.header('etag', tag).header('cache-control', 'private, no-cache').header('vary', 'accept-encoding');
  if (isKnownTag(request.headers['if-none-match'], tag)) {
    reply.code(304).send();
    return;
  }
  const isGzipTaken = takesGzip(request.headers['accept-encoding']);
  if (isGzipTaken) reply.header('content-encoding', 'gzip');
  reply.type('application/json; charset=utf-8').send(isGzipTaken ? gzipped : plain);
}
