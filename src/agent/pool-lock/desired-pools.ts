// The pools that each miner shall have, by its last update, and whether they are locked. With passwords of pools,
// because no reading gives them: encrypted where there is a key, and never logged.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Migrations } from '../../base/storage/sqlite.ts';
import { decryptWith, encryptWith, type Vault } from '../../base/storage/vault.ts';
import { POOL_FIELDS, poolList } from '../../model/tasks/task-params.ts';
import { parseJson } from '../../wire/frames.ts';
import { sealTexts } from '../state/database.ts';

export const poolLockMigrations: Migrations = {
  owner: 'pool-lock',
  steps: [
    `CREATE TABLE desired_pools (
       key TEXT PRIMARY KEY,
       pools TEXT NOT NULL,
       is_locked INTEGER NOT NULL DEFAULT 0,
       failures INTEGER NOT NULL DEFAULT 0,
       next_ms INTEGER NOT NULL DEFAULT 0
     ) STRICT, WITHOUT ROWID`,
  ],
};

/** As in the params of the update: whole, best first. */
export const poolListSchema = poolList(z.looseObject(POOL_FIELDS));
export type PoolList = z.output<typeof poolListSchema>;

/** `failures` = failed attempts in a row to set them again; none before `nextMs` (`Clock.elapsedMs`). */
export type DesiredPools = {
  readonly pools: PoolList;
  readonly isLocked: boolean;
  readonly failures: number;
  readonly nextMs: number;
};

const rowSchema = z.object({
  key: z.string(),
  pools: z.string(),
  is_locked: z.int(),
  failures: z.int(),
  next_ms: z.int(),
});

export type DesiredPoolsStore = ReturnType<typeof openDesiredPools>;

/** Without a vault they lie in the open. */
export function openDesiredPools(db: DatabaseSync, vault?: Vault) {
  if (vault !== undefined) sealTexts(db, vault, SELECT_POOLS, 'UPDATE desired_pools SET pools = ? WHERE key = ?');
  const one = db.prepare('SELECT * FROM desired_pools WHERE key = ?');
  const locked = db.prepare('SELECT key FROM desired_pools WHERE is_locked = 1');
  const upsert = db.prepare(
    `INSERT INTO desired_pools VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
       pools = excluded.pools, is_locked = excluded.is_locked, failures = excluded.failures, next_ms = excluded.next_ms`,
  );
  return {
    get(key: string): DesiredPools | undefined {
      const row = rowSchema.safeParse(one.get(key)).data;
      const opened = row && decryptWith(vault, row.pools);
      const pools = poolListSchema.safeParse(opened === undefined ? undefined : parseJson(opened)).data;
      if (row === undefined || pools === undefined) return undefined;
      return { pools, isLocked: row.is_locked === 1, failures: row.failures, nextMs: row.next_ms };
    },
    set(key: string, { pools, isLocked, failures, nextMs }: DesiredPools): void {
      upsert.run(key, encryptWith(vault, JSON.stringify(pools)), Number(isLocked), failures, nextMs);
    },
    /** Keys whose pools are locked. */
    locked: (): string[] => locked.all().flatMap(({ key }) => (typeof key === 'string' ? key : [])),
  };
}

const SELECT_POOLS = 'SELECT key, pools AS text FROM desired_pools';
