// What the two sources of a VNish miner, its web and TCP, are read into, and what their words and sums mean.
import * as kit from '../../src/driver/kit/index.ts';

export type Part = {
  readonly draft: kit.Draft;
  /** The device's own word for what it does. */
  readonly state: string | undefined;
  /** Fans that it says it was built with. */
  readonly fanCount: number | undefined;
  /** What it should make by its own word. */
  readonly idealHs: number | undefined;
};

type Boards = readonly kit.BoardDraft[] | undefined;

/** Older versions have no rate for the whole that we could read; that of the boards they all have. */
export const sumHs = (boards: Boards) => kit.sumOfAll(boards?.map((board) => board.hashrateHs) ?? []);

/** What the boards say of themselves, where all that belong there do. */
export const boardsIdealHs = (boards: Boards, model: kit.Model | undefined) =>
  (boards?.length ?? 0) < (model?.expected.boards ?? 1)
    ? undefined
    : kit.sumOfAll(boards?.map((board) => board.expectedHashrateHs) ?? []);

/** A word for what the machine or a board does. */
export const stateOf = (of: kit.Answer, key: string) => of.text(key, 32)?.toLowerCase();

const MINING = ['mining', 'auto-tuning'];
const ASLEEP = ['stopped', 'paused'];
const IDLE = [...ASLEEP, 'initializing', 'starting', 'restarting', 'shutting-down', 'failure'];

export const isMiningState = (state = '') => MINING.includes(state);
export const isAsleep = (state = '') => ASLEEP.includes(state);
export const isIdle = (state = '') => IDLE.includes(state);
export const isAliveState = (state: string | undefined) =>
  state === 'failure' || state === 'disabled' ? false : undefined;
