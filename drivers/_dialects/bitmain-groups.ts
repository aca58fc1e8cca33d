// Machines whose firmware counts several chains as one board (atlas 3.3): which chains, and how their readings are
// merged.
import { largest, mean, sumOfAll } from '../../src/driver/fields.ts';
import type { Board } from './bitmain-boards.ts';
import { present } from './cgminer.ts';

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
    const temps = readings.flatMap(({ boardTempsC }) => boardTempsC ?? []);
    return [
      {
        slot,
        pcbC: parts.flatMap(({ pcbC }) => pcbC),
        chipC: parts.flatMap(({ chipC }) => chipC),
        picC: parts.flatMap(({ picC }) => picC),
        reading: present({
          hashrateHs: sumOfAll(readings.map(({ hashrateHs }) => hashrateHs)),
          expectedHashrateHs: sumOfAll(readings.map(({ expectedHashrateHs }) => expectedHashrateHs)),
          chips: sumOfAll(readings.map(({ chips }) => chips)),
          badChips: sumOfAll(readings.map(({ badChips }) => badChips)),
          hwErrors: sumOfAll(readings.map(({ hwErrors }) => hwErrors)),
          powerW: sumOfAll(readings.map(({ powerW }) => powerW)),
          frequencyMhz: mean(readings.map(({ frequencyMhz }) => frequencyMhz)),
          boardTempsC: temps.length === 0 ? undefined : temps,
          chipTempMaxC: largest(readings.map(({ chipTempMaxC }) => chipTempMaxC)),
          chipTempAvgC: mean(readings.map(({ chipTempAvgC }) => chipTempAvgC)),
        }),
      },
    ];
  });
}
