// The answer that has all rows of a board: made once for all readers of the same second, of whatever workspace, because
// it has no keys of agents.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type BoardState, boardSince } from '../../../../wire/api/board/answer.ts';
import { good } from '../../shared/envelope.ts';

export type Snapshot = { readonly plain: Buffer; readonly gzipped: Buffer; readonly tag: string };

/** A tenth smaller than the fastest level for a third more time, in a thread of its own. */
const LEVEL = 4;
const gzipAsync = promisify(gzip);

export function createSnapshots() {
  /** Of the states that are in use. */
  const made = new WeakMap<BoardState, Promise<Snapshot>>();
  return (state: BoardState): Promise<Snapshot> => {
    const snapshot = made.get(state) ?? make(state);
    made.set(state, snapshot);
    return snapshot;
  };
}

async function make(state: BoardState): Promise<Snapshot> {
  const board = boardSince(state);
  const plain = Buffer.from(JSON.stringify(good(board)));
  // Weak: the time at which it was so may be another one.
  const tag = `W/"${board.epoch}.${board.seq}"`;
  return { plain, gzipped: await gzipAsync(plain, { level: LEVEL }), tag };
}
