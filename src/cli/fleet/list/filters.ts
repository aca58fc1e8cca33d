// `--ill`, `--missing`, `--new` and `--since`: what of the miners that a selector means is listed. Several of the three
// widen, as words of one kind do.
import { type BoardMiner, type BoardState, isInState, NEW_MS } from '../../../model/board/board-miner.ts';
import { wrongOption } from '../../options.ts';

export type FilterFlags = { ill?: boolean; missing?: boolean; new?: boolean; since?: string };

export type Filter = {
  /** To be selected by, where the service or the agent can; empty = all. */
  readonly states: readonly BoardState[];
  readonly isListed: (miner: BoardMiner, nowMs: number) => boolean;
};

/** `sinceMs` = what --since says, as a duration. Throws ConfigError. */
export function readFilter(flags: FilterFlags, sinceMs: number | undefined): Filter {
  const wanted = (['ill', 'missing', 'new'] as const).filter((state) => flags[state] === true);
  if (sinceMs !== undefined && !flags.missing && !flags.new)
    throw wrongOption('--since', 'goes with --missing (gone within) or --new (appeared within)');
  const tests = wanted.map((state) => (miner: BoardMiner, nowMs: number) => isWanted(miner, state, sinceMs, nowMs));
  return {
    // `state:new` is of the last day.
    states: flags.new && sinceMs !== undefined && sinceMs > NEW_MS ? [] : wanted,
    isListed: (miner, nowMs) => tests.length === 0 || tests.some((test) => test(miner, nowMs)),
  };
}

function isWanted(
  miner: BoardMiner,
  state: 'ill' | 'missing' | 'new',
  sinceMs: number | undefined,
  nowMs: number,
): boolean {
  if (sinceMs === undefined || state === 'ill') return isInState(miner, state, nowMs);
  const { seenAtMs, createdAtMs } = miner;
  if (state === 'new') return createdAtMs !== null && nowMs - createdAtMs <= sinceMs;
  return isInState(miner, 'missing', nowMs) && nowMs - (seenAtMs ?? createdAtMs ?? nowMs) <= sinceMs;
}
