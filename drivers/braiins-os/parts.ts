// What the generations have in common when they are read: slots behind board names, fans behind four places, models
// behind names.
import { first, largest } from '../../src/driver/fields.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import { setPools } from '../../src/driver/kit/pool-rows.ts';
import type { BoardReading, FanReading, PoolReading } from '../../src/model/reading.ts';
import { present } from '../_dialects/cgminer.ts';
import { unlessEmpty } from '../_dialects/empty-list.ts';

/** Boards count from 1, on the S9 from 6. A dead one in the middle does not move those after it. */
export function slotsOf(names: readonly (number | undefined)[]): (number | undefined)[] {
  const known = names.filter((name) => name !== undefined);
  const base = known.every((name) => name >= 6) ? 6 : known.includes(0) ? 0 : 1;
  return names.map((name) => (name === undefined ? undefined : name - base));
}

/** No chips beside a rate: not counted. */
export const countedChips = (chips: number | undefined, hashrateHs: number | undefined): number | undefined =>
  chips === 0 && hashrateHs !== undefined && hashrateHs > 0 ? undefined : chips;

/** There are always four places, filled from the first; of an unknown model those count that turn. */
export function fansOf(
  list:
    | readonly {
        readonly index: number | undefined;
        readonly rpm: number | undefined;
        readonly duty: number | undefined;
      }[]
    | undefined,
  model: Model | undefined,
): FanReading[] | undefined {
  const wanted = model?.expected.fans;
  const taken = new Set<number>();
  const found = list?.flatMap(({ index: told, rpm, duty }, place) => {
    const index = told ?? place;
    const exists = wanted === undefined ? rpm !== undefined && rpm > 0 : index < wanted;
    if (!exists || taken.has(index)) return [];
    taken.add(index);
    return [present({ index, rpm, dutyPercent: duty })];
  });
  return wanted === 0 ? found : unlessEmpty(found);
}

/** `Bitmain Antminer S19XP` of the old words, `Antminer S19 XP` of the new. */
export function modelOf(reported: string | undefined): Model | undefined {
  if (reported === undefined) return undefined;
  const name = reported.replace(/^bitmain\s+/i, '');
  const spaced = name.replace(/^(antminer [A-Z]\d+[a-z]*)\s*(pro|xp|hydro?)\b/i, '$1 $2');
  for (const one of [name, `Antminer ${name}`, spaced]) {
    const model = findModel('braiins-os', one) ?? findModel('antminer-stock', one);
    if (model !== undefined) return model;
  }
  return undefined;
}

/**
 * The pools of all groups in their order; `more` is what the generation tells of one. Counts of shares are no
 * difficulties.
 */
export function poolsIn<P extends { readonly url?: string | undefined; readonly user?: string | undefined }>(
  groups: readonly { readonly pools?: readonly P[] | undefined }[] | undefined,
  more: (pool: P) => { readonly [K in keyof PoolReading]?: PoolReading[K] | undefined },
): PoolReading[] | undefined {
  const pools = setPools(
    groups?.flatMap(({ pools: rows }) => rows ?? []),
    ({ url }) => url,
    (pool, url, index): PoolReading => present({ ...more(pool), index, url, user: pool.user ?? '' }),
  );
  // A group that does not tell its pools may have some.
  return pools?.length === 0 && groups?.some(({ pools: rows }) => rows === undefined) ? undefined : pools;
}

export const hottest = (boards: readonly BoardReading[] | undefined) =>
  first(
    largest(boards?.map(({ chipTempMaxC }) => chipTempMaxC) ?? []),
    largest(boards?.flatMap(({ boardTempsC }) => boardTempsC ?? []) ?? []),
  );
