// Which miners most likely stand in the next slot: those of the rack without a position first, then those without a
// rack whose addresses follow the last one that was placed. Pure.
import type { Location } from '../location.ts';
import type { Candidate, WalkState } from './state.ts';

type PlacedMiner = Candidate & Location;

/** A person does not try more lights for one slot. */
const MOST = 20;

/** Of an address as the service writes it. */
const numberOf = (ip: string): number => ip.split('.').reduce((number, octet) => number * 256 + Number(octet), 0);

export function likelyMiners(state: Pick<WalkState, 'rack' | 'placed'>, miners: readonly PlacedMiner[]): Candidate[] {
  const lastIp = numberOf(state.placed.at(-1)?.ip ?? '');
  const distance = ({ ip }: PlacedMiner) => {
    const ahead = numberOf(ip) - lastIp;
    return ahead > 0 ? ahead : 2 ** 32 - ahead;
  };
  const rank = ({ rack }: PlacedMiner) => (rack === state.rack ? 0 : 1);
  return miners
    .filter(({ rack, position }) => rack === null || (rack === state.rack && position === null))
    .toSorted((a, b) => rank(a) - rank(b) || distance(a) - distance(b))
    .slice(0, MOST)
    .map(({ id, ip }) => ({ id, ip }));
}
