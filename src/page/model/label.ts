// How a miner is called in lists: by where it stands, else by its address. Pure.
import { type BoardMiner, isInState } from '../../model/board/board-miner.ts';
import { locationLabel } from '../../model/locations/location.ts';
import { causeOf } from './causes.ts';

/** `C03-04-12` where rack C03-04 has it at position 12. */
export const placeOf = ({ rack, position }: Pick<BoardMiner, 'rack' | 'position'>): string | null =>
  locationLabel({ rack, position }) ?? null;

export const labelOf = (miner: BoardMiner): string => placeOf(miner) ?? miner.ip;

/** `S19 Pro`, and the make where the model does not begin with it. */
export const modelOf = ({ make, model }: Pick<BoardMiner, 'make' | 'model'>): string | null =>
  model === null ? make : make === null || model.startsWith(make) ? model : `${make} ${model}`;

export type ShownState =
  | 'ok'
  | 'ill'
  | 'silent'
  | 'missing'
  | 'unknown'
  | 'asleep'
  | 'off'
  | NonNullable<BoardMiner['opsStatus']>;

/** One word for the miner as a whole. */
export function stateOf(miner: BoardMiner, nowMs: number): ShownState {
  if (miner.opsStatus !== null) return miner.opsStatus;
  if (miner.isUnknown) return 'unknown';
  const cause = causeOf(miner, nowMs);
  if (cause === 'missing' || cause === 'silent') return cause;
  if (cause !== undefined) return 'ill';
  if (isInState(miner, 'asleep', nowMs)) return 'asleep';
  return miner.isMining ? 'ok' : 'off';
}

/** By which addresses are in order: 10.31.3.9 before 10.31.3.10. */
export const ipNumber = (ip: string): number => {
  let [number, octet] = [0, 0];
  for (let at = 0; at < ip.length; at++) {
    const digit = ip.charCodeAt(at) - ZERO;
    if (digit >= 0) octet = octet * 10 + digit;
    else [number, octet] = [number * 256 + octet, 0];
  }
  return number * 256 + octet;
};
const ZERO = '0'.charCodeAt(0);
