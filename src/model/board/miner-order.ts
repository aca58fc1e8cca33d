// The order of miners in lists and sheets. Names are compared as people count: C2 before C10. What is not known comes
// last, in either direction.
import { parseIpv4 } from '../../base/net/ipv4.ts';
import type { BoardMiner } from './board-miner.ts';

export type Compare = (a: BoardMiner, b: BoardMiner) => number;
export type SortValue = string | number | null;

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export function bySortValue(sortValueOf: (miner: BoardMiner) => SortValue, isDescending = false): Compare {
  return (first, second) => {
    const [a, b] = [sortValueOf(first), sortValueOf(second)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : names.compare(String(a), String(b));
    return isDescending ? -order : order;
  };
}

/** The first that tells them apart decides. */
export const inTurn =
  (...compares: readonly Compare[]): Compare =>
  (a, b) => {
    for (const compare of compares) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };

export const byAddress: Compare = inTurn(
  bySortValue(({ ip }) => parseIpv4(ip) ?? null),
  bySortValue(({ id }) => id),
);

/** The way that a person walks: container by container, rack by rack, from the first position on. */
export const byLocation: Compare = inTurn(
  bySortValue(({ container }) => container),
  bySortValue(({ rack }) => rack),
  bySortValue(({ position }) => position),
  byAddress,
);

export const compareNames = (a: string, b: string): number => names.compare(a, b);
