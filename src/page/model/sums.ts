// What a farm makes and draws now, from its board: hashrates by algorithm, because those of different ones are never
// added up. Pure.
import type { BoardMiner } from '../../model/board/board-miner.ts';

export type AlgorithmSum = {
  /** Null = the model of these is not known. */
  readonly algorithm: string | null;
  readonly hashrateHs: number;
  /** Of the miners whose expectation is known: what they make of it; null = of none. */
  readonly share: number | null;
};

export type FarmSums = {
  readonly algorithms: readonly AlgorithmSum[];
  /** Of the miners that report it; null = none does. */
  readonly powerW: number | null;
  readonly online: number;
  /** Miners that stand on site, so that they should answer. */
  readonly expected: number;
  readonly unknown: number;
};

type Sum = { hashrateHs: number; countedHs: number; expectedHs: number };

export function farmSums(miners: Iterable<BoardMiner>): FarmSums {
  const sums = new Map<string | null, Sum>();
  let [powerW, online, expected, unknown] = [0, 0, 0, 0];
  let hasPower = false;
  for (const miner of miners) {
    const isOnSite = miner.opsStatus === null || miner.opsStatus === 'maintenance';
    if (!isOnSite) continue;
    expected += 1;
    if (miner.isUnknown) {
      unknown += 1;
      continue;
    }
    const hashrateHs = miner.isOnline ? miner.hashrateHs : 0;
    if (miner.isOnline) online += 1;
    if (miner.isOnline && miner.powerW !== null) {
      powerW += miner.powerW;
      hasPower = true;
    }
    if (hashrateHs === null) continue;
    const sum = sums.get(miner.algorithm) ?? { hashrateHs: 0, countedHs: 0, expectedHs: 0 };
    sum.hashrateHs += hashrateHs;
    if (miner.expectedHs !== null && miner.mode !== 'sleep' && miner.opsStatus === null) {
      sum.countedHs += hashrateHs;
      sum.expectedHs += miner.expectedHs;
    }
    sums.set(miner.algorithm, sum);
  }
  const algorithms = [...sums].map(([algorithm, sum]) => ({
    ...{ algorithm, hashrateHs: sum.hashrateHs },
    share: sum.expectedHs > 0 ? sum.countedHs / sum.expectedHs : null,
  }));
  return {
    algorithms: algorithms.filter(({ hashrateHs, share }) => hashrateHs > 0 || share !== null).toSorted(byName),
    ...{ powerW: hasPower ? powerW : null, online, expected, unknown },
  };
}

const byName = (a: AlgorithmSum, b: AlgorithmSum) => ((a.algorithm ?? '~') < (b.algorithm ?? '~') ? -1 : 1);
