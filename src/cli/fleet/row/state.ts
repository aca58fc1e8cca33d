// What lists say of one miner in words: where it stands, how it is and since when. Times are in the time zone of this
// host.
import { type BoardMiner, flagsOf, isInState } from '../../../model/board/board-miner.ts';
import type { AnomalyType } from '../../../model/flags.ts';
import { formatSince, formatText } from '../../output/format.ts';

/** `C03-12`; undefined where it stands in no rack. */
export const locationOf = ({ rack, position }: Pick<BoardMiner, 'rack' | 'position'>): string | undefined =>
  rack === null ? undefined : position === null ? rack : `${rack}-${String(position).padStart(2, '0')}`;

/** What was measured counts only while it is read: of a silent miner nothing is known. */
type Measured = Pick<BoardMiner, 'hashrateHs' | 'powerW' | 'tempC' | 'fanRpm' | 'uptimeS'>;
const NOTHING: Measured = { hashrateHs: null, powerW: null, tempC: null, fanRpm: null, uptimeS: null };
export const measuredOf = (miner: BoardMiner): Measured => (miner.isOnline && !miner.isUnknown ? miner : NOTHING);

/** Of what it should hash, 0 to 1; null where either is not known. */
export function shareOf(miner: BoardMiner): number | null {
  const { hashrateHs } = measuredOf(miner);
  const { expectedHs } = miner;
  return hashrateHs === null || expectedHs === null || expectedHs <= 0 ? null : hashrateHs / expectedHs;
}

/** For people: the worst flag with its text, else why it does not hash, else that it does. */
export function stateText(miner: BoardMiner, nowMs: number): string {
  const { isUnknown, seenAtMs, opsStatus } = miner;
  if (isUnknown)
    return `unknown${seenAtMs === null ? '' : ` since ${formatSince(seenAtMs, nowMs)}`}: its agent is silent`;
  const parts = [...(opsStatus === null ? [] : [opsStatus.replaceAll('_', ' ')]), conditionText(miner, nowMs)];
  return parts.filter(Boolean).join('; ');
}

function conditionText(miner: BoardMiner, nowMs: number): string {
  const { firstFlag, isOnline, isHung, isMining, seenAtMs } = miner;
  if (firstFlag !== null) {
    const others = flagsOf(miner).filter((type) => type !== firstFlag.type);
    const more = others.length === 0 ? '' : `; also ${others.map(flagWord).join(', ')}`;
    return `${formatText(firstFlag.message)}, since ${formatSince(firstFlag.sinceMs, nowMs)}${more}`;
  }
  const flags = flagsOf(miner).map(flagWord).join(', ');
  if (flags !== '') return flags;
  const since = seenAtMs === null ? '' : ` since ${formatSince(seenAtMs, nowMs)}`;
  if (isHung) return `hung${since}`;
  if (isInState(miner, 'missing', nowMs)) return `missing${since}`;
  if (!isOnline) return `silent${since}`;
  if (isInState(miner, 'asleep', nowMs)) return 'asleep';
  return isMining ? 'mining' : 'not mining';
}

export const flagWord = (type: AnomalyType): string => type.replaceAll('_', ' ');
