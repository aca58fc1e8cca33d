// Machines whose firmware counts several chains as one board (atlas 3.3): which chains, and how their readings are
// merged.
import * as kit from '../../src/driver/kit/index.ts';
import type { Board } from './bitmain-boards.ts';

/** Machines that count three chains to a board: the chains of each board, in the order of their slots. */
export const CHAIN_GROUPS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  E3: [
    [1, 8, 9],
    [2, 10, 11],
    [3, 12, 13],
  ],
  T9: [
    [2, 9, 10],
    [3, 11, 12],
    [4, 13, 14],
  ],
};

const SUMS = ['hashrateHs', 'expectedHashrateHs', 'chips', 'badChips', 'hwErrors', 'powerW'] as const;

/** Chains that belong to one board as one, where there are such `groups`; a sum that lacks a part is not told. */
export function groupChains(
  chains: readonly Board[] | undefined,
  groups: readonly (readonly number[])[] | undefined,
): readonly Board[] | undefined {
  if (chains === undefined || groups === undefined) return chains;
  return groups.flatMap((numbers, slot) => {
    const parts = chains.filter((chain) => numbers.includes(chain.slot));
    if (parts.length === 0) return [];
    const readings = parts.map(({ reading }) => reading);
    const sumOf = (key: (typeof SUMS)[number]) => kit.sumOfAll(readings.map((reading) => reading[key]));
    return {
      slot,
      picC: parts.flatMap(({ picC }) => picC),
      reading: {
        slot,
        ...Object.fromEntries(SUMS.map((key) => [key, sumOf(key)])),
        frequencyMhz: kit.mean(readings.map(({ frequencyMhz }) => frequencyMhz)),
        boardTempsC: readings.flatMap(({ boardTempsC = [] }) => boardTempsC),
        chipTempsC: readings.flatMap(({ chipTempsC = [] }) => chipTempsC),
      },
    };
  });
}
