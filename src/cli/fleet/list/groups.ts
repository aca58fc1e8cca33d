// Miners by rack, model, … : a line per group. Hashrates of different algorithms stand beside each other and are never
// added up; of miners that are not read now nothing is counted but their number.

import { unitOf } from '../../../model/board/algorithm-units.ts';
import { type BoardMiner, flagsOf, isInState } from '../../../model/board/board-miner.ts';
import { measuredOf } from '../../../model/board/measured.ts';
import { compareNames } from '../../../model/board/miner-order.ts';
import { flagWord } from '../../../model/board/miner-words.ts';
import { formatHashrate, formatModel, UNKNOWN } from '../../output/format.ts';
import type { Column } from '../../output/table.ts';

export const GROUPINGS = ['rack', 'model', 'container', 'flag', 'pool', 'algorithm'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** `isWhole` = all that should count are known. */
type Sum = { readonly value: number; readonly isWhole: boolean };

export type AlgorithmSums = {
  readonly algorithm: string | null;
  /** Null where no miner of it is read, or they may not be added up. */
  readonly hashrate: Sum | null;
  /** Of those that report both power and hashrate; null where none does. */
  readonly wattsPerHs: number | null;
};

export type Group = {
  /** Null = the miners that have none. */
  readonly name: string | null;
  readonly miners: number;
  readonly online: number;
  readonly ill: number;
  readonly power: Sum | null;
  readonly algorithms: readonly AlgorithmSums[];
};

/** By name, those without one last. With `flag` a miner is in the group of each of its flags. */
export function groupMiners(miners: readonly BoardMiner[], grouping: Grouping, nowMs: number): readonly Group[] {
  const members = new Map<string | null, BoardMiner[]>();
  for (const miner of miners)
    for (const name of namesOf(miner, grouping)) {
      const others = members.get(name);
      if (others === undefined) members.set(name, [miner]);
      else others.push(miner);
    }
  return [...members]
    .map(([name, of]) => groupOf(name, of, nowMs))
    .toSorted(({ name: a }, { name: b }) =>
      a === null || b === null ? Number(a === null) - Number(b === null) : compareNames(a, b),
    );
}

function namesOf(miner: BoardMiner, grouping: Grouping): readonly (string | null)[] {
  switch (grouping) {
    case 'rack':
      return [miner.rack];
    case 'model':
      return [miner.model === null && miner.make === null ? null : formatModel(miner.make, miner.model)];
    case 'container':
      return [miner.container];
    case 'flag': {
      const flags = flagsOf(miner).map(flagWord);
      return flags.length === 0 ? [null] : flags;
    }
    case 'pool':
      return [miner.pool];
    case 'algorithm':
      return [miner.algorithm];
  }
}

function groupOf(name: string | null, miners: readonly BoardMiner[], nowMs: number): Group {
  const online = miners.filter(({ isOnline, isUnknown }) => isOnline && !isUnknown);
  const algorithms = [...Map.groupBy(online, ({ algorithm }) => algorithm)]
    .map(([algorithm, of]) => sumsOf(algorithm, of))
    .toSorted((a, b) => compareNames(a.algorithm ?? '~', b.algorithm ?? '~'));
  return {
    ...{ name, miners: miners.length, online: online.length },
    ill: miners.filter((miner) => isInState(miner, 'ill', nowMs)).length,
    power: sum(online.map((miner) => measuredOf(miner).powerW)),
    algorithms,
  };
}

function sumsOf(algorithm: string | null, miners: readonly BoardMiner[]): AlgorithmSums {
  const measured = miners.map(measuredOf);
  const both = measured.filter(({ powerW, hashrateHs }) => powerW !== null && hashrateHs !== null && hashrateHs > 0);
  // Miners of which we do not know what they compute: only those of one model compute the same.
  const isMixed = algorithm === null && new Set(miners.map(({ make, model }) => `${make} ${model}`)).size > 1;
  if (isMixed) return { algorithm, hashrate: null, wattsPerHs: null };
  const power = sum(both.map(({ powerW }) => powerW));
  const hashrate = sum(both.map(({ hashrateHs }) => hashrateHs));
  return {
    algorithm,
    hashrate: sum(measured.map(({ hashrateHs }) => hashrateHs)),
    wattsPerHs: power === null || hashrate === null ? null : power.value / hashrate.value,
  };
}

function sum(values: readonly (number | null)[]): Sum | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return { value: known.reduce((total, value) => total + value, 0), isWhole: known.length === values.length };
}

const atLeast = ({ isWhole }: Sum) => (isWhole ? '' : '≥ ');

/** The algorithm is named where there is another one. `space` stands within a rate, so that no line is broken there. */
export function groupColumns(grouping: Grouping, groups: readonly Group[], space: string): readonly Column<Group>[] {
  const names = new Set(groups.flatMap(({ algorithms }) => algorithms.map(({ algorithm }) => algorithm)));
  // On a screen a line may end between two rates, and the next one would begin with the comma.
  const between = space === ' ' ? ', ' : ' ';
  const named = ({ algorithm }: AlgorithmSums, text: string) =>
    names.size > 1 && grouping !== 'algorithm' ? `${text} ${algorithm ?? 'of unknown'}` : text;
  const each = (of: Group, text: (sums: AlgorithmSums) => string | undefined) =>
    of.algorithms.flatMap((sums) => text(sums)?.replaceAll(' ', space) ?? []).join(between) || UNKNOWN;
  /** Its unit says of which algorithm it is, where no other one of the group has the same. */
  const efficiencyOf = (sums: AlgorithmSums, { algorithms }: Group) => {
    if (sums.wattsPerHs === null) return undefined;
    const { efficiency } = unitOf(sums.algorithm);
    const alike = algorithms.filter(
      (other) => other.wattsPerHs !== null && unitOf(other.algorithm).efficiency === efficiency,
    );
    return alike.length > 1 ? named(sums, efficiencyText(sums)) : efficiencyText(sums);
  };
  return [
    { title: grouping.toUpperCase(), text: ({ name }) => name ?? UNKNOWN },
    { title: 'MINERS', align: 'right', isWhole: true, text: ({ miners }) => miners },
    { title: 'ONLINE', align: 'right', isWhole: true, text: ({ online }) => online },
    { title: 'ILL', align: 'right', isWhole: true, text: ({ ill }) => ill },
    {
      title: 'HASHRATE',
      align: 'right',
      text: (group) =>
        each(group, (sums) =>
          sums.hashrate === null
            ? undefined
            : named(sums, `${atLeast(sums.hashrate)}${formatHashrate(sums.hashrate.value)}`),
        ),
    },
    {
      title: 'POWER',
      align: 'right',
      isWhole: true,
      text: ({ power }) => (power === null ? UNKNOWN : `${atLeast(power)}${(power.value / 1_000).toFixed(1)} kW`),
    },
    { title: 'EFFICIENCY', align: 'right', text: (group) => each(group, (sums) => efficiencyOf(sums, group)) },
  ];
}

function efficiencyText({ algorithm, wattsPerHs }: AlgorithmSums): string {
  const { sizeHs, efficiency } = unitOf(algorithm);
  return wattsPerHs === null ? UNKNOWN : `${(wattsPerHs * sizeHs).toFixed(1)} ${efficiency}`;
}

export const groupJson = (grouping: Grouping, { name, miners, online, ill, power, algorithms }: Group) => ({
  [grouping]: name,
  ...{ miners, online, ill },
  power_w: power?.value ?? null,
  power_is_whole: power?.isWhole ?? null,
  algorithms: algorithms.map(({ algorithm, hashrate, wattsPerHs }) => ({
    algorithm,
    hashrate_hs: hashrate?.value ?? null,
    hashrate_is_whole: hashrate?.isWhole ?? null,
    efficiency_j_per_th: wattsPerHs === null ? null : wattsPerHs * 1e12,
  })),
});
