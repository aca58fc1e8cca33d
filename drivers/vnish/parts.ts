// What the two sources of a VNish miner, its web and TCP, have in common.
import * as kit from '../../src/driver/kit/index.ts';

/** A word for what the machine or a board does. */
export const stateOf = (of: kit.Answer, key: string) => of.text(key, 32)?.toLowerCase() ?? '';

type Boards = readonly kit.BoardDraft[] | undefined;

/** Older versions have no rate for the whole that we could read; that of the boards they all have. */
export const sumHs = (boards: Boards = []) => kit.sumOfAll(boards.map((board) => board.hashrateHs));

/** What the boards say of themselves, where all that belong there do. */
export const boardsIdealHs = (boards: Boards = [], model: kit.Model | undefined) =>
  boards.length < (model?.expected.boards ?? 1)
    ? undefined
    : kit.sumOfAll(boards.map((board) => board.expectedHashrateHs));
