// Which miners may be two units of one chassis, after its control board was changed: one that has fallen silent, and
// one that answers and is new here or stands nowhere yet. Pure; the service decides.
import { type BoardMiner, isInState } from '../../../model/board/board-miner.ts';
import { ipNumber } from '../label.ts';

/** The unit that is there now, or the one that stood there. */
export type SwapSide = 'unit' | 'old';

/** Undefined = neither: nothing is known of it, it is not on site, or it stands where it stood. */
export function swapSideOf(miner: BoardMiner, nowMs: number): SwapSide | undefined {
  if (miner.isUnknown || (miner.opsStatus !== null && miner.opsStatus !== 'maintenance')) return undefined;
  if (!miner.isOnline) return miner.isHung ? undefined : 'old';
  return isInState(miner, 'new', nowMs) || miner.rack === null ? 'unit' : undefined;
}

/** The other side of the swap, the likeliest first: of the same model, then new ones, or those that had a place. */
export function swapCandidates(miner: BoardMiner, miners: Iterable<BoardMiner>, nowMs: number): readonly BoardMiner[] {
  const side = swapSideOf(miner, nowMs);
  if (side === undefined) return [];
  const wanted: SwapSide = side === 'unit' ? 'old' : 'unit';
  const isLikely = (other: BoardMiner) => (wanted === 'old' ? other.rack !== null : isInState(other, 'new', nowMs));
  const rankOf = (other: BoardMiner) => Number(other.model !== miner.model) * 2 + Number(!isLikely(other));
  return [...miners]
    .filter((other) => other.id !== miner.id && swapSideOf(other, nowMs) === wanted)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || ipNumber(a.ip) - ipNumber(b.ip));
}
