// The pools of a task, the same for every family: the whole list, best first. Each family knows how to send them.
import { z } from 'zod';
import { isVisible } from '../../../model/plain-text.ts';
import type { Reading } from '../../../model/reading.ts';
import { POOL_FIELDS, poolList } from '../../../model/tasks/task-params.ts';

/** Nothing that cannot be seen: it would end up in a device's own text formats. */
const pool = z
  .looseObject({ ...POOL_FIELDS, password: POOL_FIELDS.password.default('x') })
  .refine(({ url, user, password }) => [url, user, password].every(isVisible));
export type WantedPool = z.output<typeof pool>;

export const poolParams = z.looseObject({ pools: poolList(pool) });

/** For commands whose parameters are parts between commas. */
export const haveNoComma = (wanted: readonly WantedPool[]): boolean =>
  wanted.every(({ url, user, password }) => !`${url}${user}${password}`.includes(','));

/** Fields of devices that number their places; those without a pool are there all the same, empty. */
export function placesAsFields(
  wanted: readonly WantedPool[],
  places: number,
  names: (no: number) => readonly [url: string, user: string, password: string],
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let no = 1; no <= places; no++) {
    const pool = wanted[no - 1];
    const [url, user, password] = names(no);
    fields[url] = pool?.url ?? '';
    fields[user] = pool?.user ?? '';
    fields[password] = pool?.password ?? '';
  }
  return fields;
}

type Named = { readonly url: string; readonly user: string };

/** The same pools in the same order; no, where it is not known what is set. Hosts are written in any case. */
export const samePools = (set: readonly Named[] | undefined, wanted: readonly Named[]): boolean =>
  set?.length === wanted.length &&
  set.every(
    ({ url, user }, place) => url.toLowerCase() === wanted[place]?.url.toLowerCase() && user === wanted[place]?.user,
  );

/**
 * For devices with a list of fixed length without empty entries: the last wanted pool fills the rest, because any other
 * fallback would be mined one day without being wanted.
 */
export const filledUp = (wanted: readonly WantedPool[], length: number): readonly WantedPool[] => {
  const last = wanted.at(-1);
  return last === undefined ? [] : Array.from({ length }, (_, place) => wanted[place] ?? last);
};

/** As `showsPools`, for such devices; a shorter list that ends earlier will do. */
export function showsFilledUp({ pools, ...reading }: Reading, params: unknown): boolean | undefined {
  const wanted = poolParams.safeParse(params).data?.pools;
  if (pools === undefined || wanted === undefined) return undefined;
  const { url, user } = wanted.at(-1) ?? {};
  const isLast = (pool: Named) => pool.url.toLowerCase() === url?.toLowerCase() && pool.user === user;
  const listed = pools.toSorted((a, b) => a.index - b.index);
  const kept = listed.filter((pool, place) => place < wanted.length || !isLast(pool));
  return showsPools({ ...reading, pools: kept }, params);
}

/** `shows` of a pools ability: what the miner tells afterwards against the whole list that was wanted. */
export function showsPools({ pools }: Reading, params: unknown): boolean | undefined {
  const wanted = poolParams.safeParse(params).data?.pools;
  if (pools === undefined || wanted === undefined) return undefined;
  return samePools(
    pools.toSorted((a, b) => a.index - b.index),
    wanted,
  );
}
