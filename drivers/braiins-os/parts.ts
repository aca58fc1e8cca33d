// What the APIs of Braiins OS have in common when they are read: slots behind board names, pools in groups,
// models behind names.
import * as kit from '../../src/driver/kit/index.ts';

/** Boards count from 1, on the S9 from 6. A dead one in the middle does not move those after it. */
export function slotsOf(names: readonly (number | undefined)[]): (number | undefined)[] {
  const known = names.filter((name) => name !== undefined);
  const base = known.every((name) => name >= 6) ? 6 : known.includes(0) ? 0 : 1;
  return names.map((name) => (name === undefined ? undefined : name - base));
}

/** Boards that have their name under `key`; one without a name has no slot. */
export function boardsIn(
  rows: readonly kit.Answer[] | undefined,
  key: string,
  read: (row: kit.Answer) => Omit<kit.BoardDraft, 'slot'>,
): (kit.BoardDraft | undefined)[] | undefined {
  const slots = slotsOf(rows?.map((row) => row.int(key, { min: 0, max: 63 })) ?? []);
  return rows?.map((row, place) => {
    const slot = slots[place];
    return slot === undefined ? undefined : { slot, ...read(row) };
  });
}

/** The pools of all groups in their order, each with what the API tells of it. Counts of shares are no difficulties. */
export function poolsIn(
  answer: kit.Answer,
  more: (pool: kit.Answer) => Omit<kit.PoolDraft, 'index' | 'url' | 'user'>,
  key?: string,
): kit.PoolDraft[] | undefined {
  const lists = answer.rows(key, 16)?.map((group) => group.rows('pools'));
  const pools = kit.setPools(
    lists?.flatMap((rows = []) => rows),
    (pool) => pool.poolAddress('url'),
    (pool, url, index) => ({ index, url, user: pool.text('user', 512) ?? '', ...more(pool) }),
  );
  // A group that does not tell its pools may have some.
  return pools?.length === 0 && lists?.includes(undefined) ? undefined : pools;
}

/** `Bitmain Antminer S19XP` of the old words, `Antminer S19 XP` of the new. */
export function modelOf(reported = ''): kit.Model | undefined {
  const name = reported.replace(/^bitmain\s+/i, '');
  const spaced = name.replace(/^(antminer [A-Z]\d+[a-z]*)\s*(pro|xp|hydro?)\b/i, '$1 $2');
  const names = [name, `Antminer ${name}`, spaced];
  return kit.knownModel('braiins-os', ...names).row ?? kit.knownModel('antminer-stock', ...names).row;
}
