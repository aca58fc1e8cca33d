// GET …/board and POST …/board/search: a narrow row of each miner, and what has changed since. An extension of the
// interface; what pages and command lines stand on.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { answerBoard, type BoardRequest } from '../../../../wire/api/board/answer.ts';
import { boardAnswerSchema, boardSearchSchema } from '../../../../wire/api/board/messages.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { accessOf, farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { good } from '../../shared/envelope.ts';
import { invalidRequest } from '../../shared/errors.ts';
import { single } from '../../shared/parameters.ts';

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

export function registerBoard(app: App, { boards }: RouteParts): void {
  const answer = async (request: FastifyRequest, wanted: BoardRequest) => {
    const state = await boards.of(farmOf(request).id).state();
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
        'Made for lists that stay on a screen: at most a second old; what was set at another copy of the service shows within 5 s. Ask again with `epoch` and `since` for what has changed. An answer with another epoch has all rows.',
      querystring: z.object(sinceShape),
    },
    handler: (request) => answer(request, request.query),
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
    handler: (request) => answer(request, request.body),
  });
}
