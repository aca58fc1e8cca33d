// Saved sets of pools of a farm, by their name. Pools may hold passwords: encrypted where there is a key. It checks
// neither permissions nor pools.
import { RefusedError } from '../../../base/errors.ts';
import { type RequestedPools, requestedPoolsSchema } from '../../../model/pools/requested-pools.ts';
import { type Actor, actorSchema } from '../../../model/task.ts';
import type { Audited } from '../databases.ts';
import type { Encryption } from '../encryption.ts';
import type { Db, Row } from '../schema.ts';

/** Of a farm. */
export const MOST_POOL_SETS = 100;

/** `pools` undefined = they were encrypted with another key. Times in ms. */
export type PoolSet = Readonly<ReturnType<typeof toPoolSet>>;
type NewPoolSet = {
  readonly farmId: string;
  readonly name: string;
  readonly pools: RequestedPools;
  readonly actor: Actor;
  readonly nowMs: number;
};

export type PoolSetStore = ReturnType<typeof createPoolSetStore>;

export function createPoolSetStore({ read, transact, lock }: Audited, encryption: Encryption) {
  const select = (db: Db, farmId: string) => db.selectFrom('pool_sets').selectAll().where('farm_id', '=', farmId);
  return {
    /** By name. */
    async list(farmId: string): Promise<readonly PoolSet[]> {
      const rows = await select(read, farmId).execute();
      // Databases do not agree on the order of texts.
      return rows.map((row) => toPoolSet(row, encryption)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    async find(farmId: string, name: string): Promise<PoolSet | undefined> {
      const row = await select(read, farmId).where('name', '=', name).executeTakeFirst();
      return row && toPoolSet(row, encryption);
    },
    /** Makes it, or puts it in the place of that of the same name. Throws RefusedError `pool-sets.full`. */
    save: ({ farmId, name, pools, actor, nowMs }: NewPoolSet): Promise<PoolSet> =>
      transact(async (trx) => {
        await lock(trx, `pool-sets ${farmId}`);
        const names = (await select(trx, farmId).execute()).map((set) => set.name);
        if (names.length >= MOST_POOL_SETS && !names.includes(name))
          throw new RefusedError(
            'pool-sets.full',
            `Save the set ${name}: the farm has ${names.length} sets of pools, accepted are ${MOST_POOL_SETS}; remove one first`,
          );
        const by = JSON.stringify(actor);
        const changed = { pools: encryption.encrypt(JSON.stringify(pools)), updated_by: by, updated_at: nowMs };
        const row = await trx
          .insertInto('pool_sets')
          .values({ farm_id: farmId, name, created_by: by, created_at: nowMs, ...changed })
          .onConflict((conflict) => conflict.columns(['farm_id', 'name']).doUpdateSet(changed))
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPoolSet(row, encryption);
      }),
    /** Says whether there was one. */
    remove: (farmId: string, name: string): Promise<boolean> =>
      transact(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('pool_sets')
          .where('farm_id', '=', farmId)
          .where('name', '=', name)
          .executeTakeFirst();
        return numDeletedRows > 0n;
      }),
  };
}

function toPoolSet(row: Row<'pool_sets'>, encryption: Encryption) {
  const opened = encryption.decrypt(row.pools);
  return {
    farmId: row.farm_id,
    name: row.name,
    pools: opened === undefined ? undefined : requestedPoolsSchema.parse(JSON.parse(opened)),
    createdBy: actorSchema.parse(JSON.parse(row.created_by)),
    createdAtMs: row.created_at,
    updatedBy: actorSchema.parse(JSON.parse(row.updated_by)),
    updatedAtMs: row.updated_at,
  };
}
