// What was measured of a miner, as far as it is of now. Pure.
import type { BoardMiner } from './board-miner.ts';

/** Its values are of now. What is not read, or comes from an agent that is not heard, is not shown as if it were. */
export const isRead = ({ isOnline, isUnknown }: Pick<BoardMiner, 'isOnline' | 'isUnknown'>): boolean =>
  isOnline && !isUnknown;

type Measured = Pick<BoardMiner, 'hashrateHs' | 'powerW' | 'tempC' | 'fanRpm' | 'uptimeS'>;
const NOTHING: Measured = { hashrateHs: null, powerW: null, tempC: null, fanRpm: null, uptimeS: null };
export const measuredOf = (miner: BoardMiner): Measured => (isRead(miner) ? miner : NOTHING);

/** Of what it should hash, 0 to 1; null where either is not known. */
export function shareOf(miner: BoardMiner): number | null {
  const { hashrateHs } = measuredOf(miner);
  const { expectedHs } = miner;
  return hashrateHs === null || expectedHs === null || expectedHs <= 0 ? null : hashrateHs / expectedHs;
}
