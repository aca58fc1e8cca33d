// The boards of farms, each kept for a minute after the last request, and as long as it is streamed. It bounds how many
// there are.

import type { Clock } from '../../base/clock.ts';
import type { ChangedMiner } from '../store/store.ts';
import { type BoardParts, createBoard, type FarmBoard } from './board.ts';

/** After the last request. */
const KEPT_MS = 60_000;
/** On each copy; of one more, the one that was not asked for longest goes. */
const MOST = 50;
/** Of those: streamed, so that there is room for others. */
const MOST_STREAMED = 40;

export type Boards = ReturnType<typeof createBoards>;

export function createBoards(parts: BoardParts & { readonly clock: Clock }) {
  const { clock } = parts;
  const boards = new Map<string, { readonly board: FarmBoard; forget: () => void }>();
  const streamed = new Set<string>();
  const forget = (farmId: string) => {
    if (!streamed.has(farmId)) boards.delete(farmId);
  };
  const of = (farmId: string): FarmBoard => {
    const before = boards.get(farmId);
    before?.forget();
    const board = before?.board ?? createBoard(farmId, parts);
    // At the end: the order is that of the last request.
    boards.delete(farmId);
    boards.set(farmId, { board, forget: clock.after(KEPT_MS, () => forget(farmId), { unref: true }) });
    for (const [oldest, { forget: cancel }] of boards) {
      if (boards.size <= MOST) break;
      if (streamed.has(oldest)) continue;
      cancel();
      boards.delete(oldest);
    }
    return board;
  };
  return {
    of,
    /** It is kept until `release` is called; undefined = too many are streamed. One stream of a farm at a time. */
    keep(farmId: string): { readonly board: FarmBoard; release(): void } | undefined {
      if (streamed.size >= MOST_STREAMED) return undefined;
      streamed.add(farmId);
      const release = () => {
        streamed.delete(farmId);
        of(farmId);
      };
      return { board: of(farmId), release };
    },
    /** By this copy of the service. */
    stored(farmId: string, changed: readonly ChangedMiner[]): void {
      boards.get(farmId)?.board.stored(changed);
    },
    /** A client has changed miners: their boards are read anew for the next request. */
    refreshNext(): void {
      for (const { board } of boards.values()) board.refreshNext();
    },
    /** A client of another copy of the service has changed miners of the farm. */
    changedElsewhere(farmId: string): void {
      boards.get(farmId)?.board.changedElsewhere();
    },
  };
}
