// Which miners most likely stand in the next slot: those of the rack without a position first, then those without a
// rack whose addresses follow the last one that was placed. Pure.
import { parseIpv4 } from '../../../base/net/ipv4.ts';
import type { PlacedMiner } from '../location-service.ts';
import type { Candidate, WalkState } from './walk-state.ts';

/** A person does not try more lights for one slot. */
const MOST = 20;

export function likelyMiners(state: Pick<WalkState, 'rack' | 'placed'>, miners: readonly PlacedMiner[]): Candidate[] {
  const lastIp = parseIpv4(state.placed.at(-1)?.ip ?? '') ?? 0;
  const distance = ({ ip }: PlacedMiner) => {
    const ahead = (parseIpv4(ip) ?? 0) - lastIp;
    return ahead > 0 ? ahead : 2 ** 32 - ahead;
  };
  const rank = ({ rack }: PlacedMiner) => (rack === state.rack ? 0 : 1);
  return miners
    .filter(({ rack, position }) => rack === null || (rack === state.rack && position === null))
    .toSorted((a, b) => rank(a) - rank(b) || distance(a) - distance(b))
    .slice(0, MOST)
    .map(({ id, ip }) => ({ id, ip }));
}
