// The rows of the miners that a selector means, from the service or the running agent, again and again: after the first
// time only what has changed travels.
import { BugError } from '../../base/errors.ts';
import { type Board, decodeBoard } from '../../wire/api/board/codec.ts';
import { type BoardMessage, boardAnswerSchema } from '../../wire/api/board/messages.ts';
import type { Connection } from './connection.ts';

type Asked = {
  /** What was answered before. */
  readonly had?: Board | undefined;
  /** With the keys by which an agent knows its miners. */
  readonly withKeys?: boolean;
};

/** Throws PeerError where nothing answers, or nothing that can be read. */
export async function askBoard(
  connection: Connection,
  select: string,
  { had, withKeys = false }: Asked = {},
): Promise<Board> {
  const body = { select, with_keys: withKeys, ...(had && { epoch: had.epoch, since: had.seq }) };
  return decodeBoard(await send(connection, body), had);
}

async function send({ agent, service }: Connection, body: object): Promise<BoardMessage> {
  if (service !== undefined) {
    const { data } = await service.ask(boardAnswerSchema, { method: 'POST', path: '/board/search', body });
    return data;
  }
  if (agent === undefined) throw new BugError('ask for miners: there is neither an agent nor a service');
  return agent.board(body);
}
