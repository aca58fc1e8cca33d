// What lists say of one miner in words: where it stands, and how it is and since when. Times are in the time zone of
// this host.
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { stateText as stateSince } from '../../../model/board/miner-words.ts';
import { formatSince } from '../../output/format.ts';

/** `C03-12`; undefined where it stands in no rack. */
export const locationOf = ({ rack, position }: Pick<BoardMiner, 'rack' | 'position'>): string | undefined =>
  rack === null ? undefined : position === null ? rack : `${rack}-${String(position).padStart(2, '0')}`;

/** For people: the worst flag with its text, else why it does not hash, else that it does. */
export const stateText = (miner: BoardMiner, nowMs: number): string =>
  stateSince(miner, nowMs, (atMs) => formatSince(atMs, nowMs));
