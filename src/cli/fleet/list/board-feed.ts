// The rows of the miners that a selector means, from the service or the running agent, again and again: after the first
// time only what has changed travels.
import { PeerError } from '../../../base/errors.ts';
import { type BoardMessage, boardAnswerSchema } from '../../../wire/api/board.ts';
import { type Board, decodeBoard } from '../../../wire/api/board-codec.ts';
import type { Connection } from '../../connection/connection.ts';

/** `had` = what was answered before. */
export async function askBoard(
  connection: Connection,
  select: string,
  had: Board | undefined,
  signal: AbortSignal,
): Promise<Board> {
  const body = { select, ...(had && { epoch: had.epoch, since: had.seq }) };
  const board = decodeBoard(await send(connection, body, signal), had);
  if (board !== undefined) return board;
  if (had !== undefined) return askBoard(connection, select, undefined, signal);
  throw new PeerError('peer.unparsable', 'read the list of miners', 'never');
}

async function send({ agent, service }: Connection, body: object, signal: AbortSignal): Promise<BoardMessage> {
  if (service === undefined) return agent.board(body, signal);
  const { data } = await service.ask(boardAnswerSchema, { method: 'POST', path: '/board/search', body });
  return data;
}
