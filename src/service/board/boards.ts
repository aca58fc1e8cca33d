// The boards of farms, each kept for a minute after the last request. It bounds how many there are.

import type { Clock } from '../../base/clock.ts';
import { type BoardParts, createBoard, type FarmBoard } from './board.ts';

/** After the last request. */
const KEPT_MS = 60_000;
/** On each copy; of one more, the one that was not asked for longest goes. */
const MOST = 50;

export type Boards = ReturnType<typeof createBoards>;

export function createBoards(parts: BoardParts & { readonly clock: Clock }) {
  const { clock } = parts;
  const boards = new Map<string, { readonly board: FarmBoard; forget: () => void }>();
  return {
    of(farmId: string): FarmBoard {
      const before = boards.get(farmId);
      before?.forget();
      const board = before?.board ?? createBoard(farmId, parts);
      // At the end: the order is that of the last request.
      boards.delete(farmId);
      boards.set(farmId, { board, forget: clock.after(KEPT_MS, () => boards.delete(farmId), { unref: true }) });
      for (const [oldest, { forget }] of boards) {
        if (boards.size <= MOST) break;
        forget();
        boards.delete(oldest);
      }
      return board;
    },
    /** By this copy of the service. */
    stored(farmId: string, rowIds: readonly number[]): void {
      boards.get(farmId)?.board.stored(rowIds);
    },
    /** A client has changed miners: their boards are read anew for the next request. */
    refreshNext(): void {
      for (const { board } of boards.values()) board.refreshNext();
    },
  };
}
