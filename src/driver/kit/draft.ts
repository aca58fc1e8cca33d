// What a driver's `read` returns, and how it becomes a Reading: fields that are not known go, and what follows from
// other fields is derived. A field that the driver writes, even as undefined, is the driver's word on it.
import type {
  BoardReading,
  ErrorReading,
  Expectation,
  FanReading,
  PoolReading,
  PsuReading,
  Reading,
} from '../../model/reading.ts';
import { largest, mean } from '../fields.ts';
import { present } from './figures.ts';

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };
type LooseList<T> = readonly (T | undefined)[] | undefined;

export type BoardDraft = Loose<Omit<BoardReading, 'slot' | 'boardTempsC'>> & {
  /** Counts from 0. A second board in a slot, and one outside 0 to 63, is left out. */
  readonly slot: number;
  /** Sensors that are not there are undefined. */
  readonly boardTempsC?: LooseList<number>;
  /** Of chips; the hottest and the mean of them are derived. */
  readonly chipTempsC?: LooseList<number>;
};
export type FanDraft = Loose<Omit<FanReading, 'index'>> & {
  /** Counts from 0. A second fan in a place, and one outside 0 to 31, is left out. */
  readonly index: number;
};
export type PoolDraft = Loose<Omit<PoolReading, 'index' | 'url' | 'user'>> &
  Pick<PoolReading, 'index' | 'url' | 'user'>;
export type ErrorDraft = Loose<Omit<ErrorReading, 'code' | 'category'>> & Pick<ErrorReading, 'code' | 'category'>;

/**
 * A Reading with undefined for what is not known. Entries of lists that are undefined are left out, as an empty slot.
 * Derived unless written: `isMining` from the rate, and false in sleep; `tempC` from the hottest chip, else the hottest
 * board; the inlet and outlet of the machine as the mean of its boards. `hashrateWindow` counts beside a rate only.
 */
export type Draft = Loose<Omit<Reading, 'boards' | 'fans' | 'psus' | 'pools' | 'errors' | 'expected'>> & {
  readonly boards?: LooseList<BoardDraft>;
  readonly fans?: LooseList<FanDraft>;
  readonly psus?: LooseList<Loose<PsuReading>>;
  readonly pools?: LooseList<PoolDraft>;
  readonly errors?: LooseList<ErrorDraft>;
  readonly expected?: Loose<Expectation> | undefined;
};

export function toReading(draft: Draft): Reading {
  const boards = draft.boards && toBoards(draft.boards);
  const { hashrateHs } = draft;
  const { hashrateWindow, ...fields } = { ...derived(draft, boards), ...draft };
  return present({
    ...fields,
    hashrateWindow: hashrateHs === undefined ? undefined : hashrateWindow,
    boards,
    fans: draft.fans && toFans(draft.fans),
    psus: listed(draft.psus)?.filter((psu) => Object.keys(psu).length > 0),
    pools: listed(draft.pools),
    errors: listed(draft.errors),
    expected: draft.expected && unlessNothing(present(draft.expected)),
  });
}

function derived({ hashrateHs, miningMode }: Draft, boards: readonly BoardReading[] = []): Loose<Reading> {
  return {
    isMining: miningMode === 'sleep' ? false : hashrateHs === undefined ? undefined : hashrateHs > 0,
    tempC: hottestC(boards),
    inletTempC: mean(boards.map((board) => board.inletTempC)),
    outletTempC: mean(boards.map((board) => board.outletTempC)),
  };
}

/** The hottest chip; where no chip is measured, the hottest board. */
export function hottestC(boards: readonly Omit<BoardDraft, 'slot'>[]): number | undefined {
  return (
    largest(boards.map((board) => board.chipTempMaxC ?? largest(board.chipTempsC ?? []))) ??
    largest(boards.map((board) => board.chipTempAvgC)) ??
    largest(boards.flatMap((board) => board.boardTempsC ?? []))
  );
}

/** Of a board whose sensors have no names: air or coolant comes in at the coolest and goes out at the hottest. */
export function edgesC(boardTempsC: LooseList<number> = []): Pick<BoardDraft, 'inletTempC' | 'outletTempC'> {
  const measuredC = boardTempsC.filter((tempC) => tempC !== undefined);
  return measuredC.length < 2 ? {} : { inletTempC: Math.min(...measuredC), outletTempC: Math.max(...measuredC) };
}

/**
 * Boards that several answers tell of, in the order of their slots: what a later entry knows counts. Entries outside
 * the slots 0 to 63 are left out; undefined where none is left.
 */
export function joinedBoards(drafts: readonly BoardDraft[]): BoardDraft[] | undefined {
  const found = new Map<number, BoardDraft>();
  for (const draft of drafts)
    if (isSlot(draft.slot)) found.set(draft.slot, { ...found.get(draft.slot), ...present(draft) });
  return found.size === 0 ? undefined : [...found.values()].toSorted((a, b) => a.slot - b.slot);
}

function toBoards(drafts: readonly (BoardDraft | undefined)[]): BoardReading[] {
  const taken = new Set<number>();
  return drafts.flatMap((draft) => {
    if (draft === undefined || !isSlot(draft.slot) || taken.has(draft.slot)) return [];
    taken.add(draft.slot);
    const { chipTempsC = [], boardTempsC = [], ...fields } = draft;
    const measuredC = boardTempsC.filter((tempC) => tempC !== undefined);
    return [
      present({
        chipTempMaxC: largest(chipTempsC),
        chipTempAvgC: mean(chipTempsC),
        ...fields,
        boardTempsC: measuredC.length === 0 ? undefined : measuredC,
      }),
    ];
  });
}

const toFans = (drafts: readonly (FanDraft | undefined)[]) =>
  listed(drafts)?.filter(({ index }, at, all) => isPlace(index) && all.findIndex((fan) => fan.index === index) === at);

const listed = <T extends object>(list: LooseList<T>) =>
  list?.filter((entry) => entry !== undefined).map((entry) => present(entry));

const unlessNothing = <T extends object>(fields: T): T | undefined =>
  Object.keys(fields).length === 0 ? undefined : fields;

const isSlot = (slot: number): boolean => Number.isInteger(slot) && slot >= 0 && slot <= 63;
const isPlace = (index: number): boolean => Number.isInteger(index) && index >= 0 && index <= 31;
