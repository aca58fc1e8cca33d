// The ops status of each miner, as each service reported it last; kept over restarts. A miner with an ops status
// (maintenance, off the rack, retired, ...) is not meant to mine, so nothing that it does is a fault.
import type { DatabaseSync } from 'node:sqlite';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type Migrations, transact } from '../../base/storage/sqlite.ts';
import { OPS_STATUSES } from '../../model/miner.ts';
import type { OpsStatusFrame } from '../../wire/frames.ts';

export const opsStatusMigrations: Migrations = {
  owner: 'ops-status',
  steps: [
    `CREATE TABLE ops_status (uplink TEXT NOT NULL, key TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (uplink, key))
     STRICT, WITHOUT ROWID`,
  ],
};

/** Longer lists are cut: a service must not fill the memory of its agents. */
const MAX_MINERS = 200_000;

const known: ReadonlySet<string> = new Set(OPS_STATUSES);

/** Drops the statuses of services that are no longer among `uplinks`. */
export function createOpsStatuses(db: DatabaseSync, uplinks: readonly string[], log: Log) {
  const select = db.prepare('SELECT uplink, key, status FROM ops_status');
  const clear = db.prepare('DELETE FROM ops_status WHERE uplink = ?');
  const upsert = db.prepare(
    'INSERT INTO ops_status VALUES (?, ?, ?) ON CONFLICT (uplink, key) DO UPDATE SET status = excluded.status',
  );
  const statuses = new Map<string, Map<string, string>>(uplinks.map((name) => [name, new Map()]));

  for (const { uplink, key, status } of select.all()) {
    if (typeof uplink !== 'string' || typeof key !== 'string' || typeof status !== 'string') continue;
    const ofUplink = statuses.get(uplink);
    if (ofUplink === undefined) clear.run(uplink);
    else ofUplink.set(key, status);
  }

  return {
    /** Takes in the statuses of this uplink's service. Never throws: unwritten statuses are lost at the next start. */
    take(uplink: string, { is_first, miners }: Pick<OpsStatusFrame, 'is_first' | 'miners'>): void {
      const ofUplink = statuses.get(uplink);
      if (ofUplink === undefined) return;
      if (is_first) ofUplink.clear();
      const taken = miners.slice(0, Math.max(0, MAX_MINERS - ofUplink.size));
      if (taken.length < miners.length) log.warn({ uplink, most: MAX_MINERS }, 'the service names too many miners');
      for (const { miner_key, ops_status } of taken) ofUplink.set(miner_key, ops_status);
      try {
        transact(db, () => {
          if (is_first) clear.run(uplink);
          for (const { miner_key, ops_status } of taken) upsert.run(uplink, miner_key, ops_status);
        });
      } catch (error) {
        log.error({ uplink, cause: renderError(error) }, 'keep what operators say of miners');
      }
    },
    /** By one of the services it is no miner of the farm any more: in which word. */
    retiredAs(key: string): string | undefined {
      for (const ofUplink of statuses.values()) {
        const status = ofUplink.get(key);
        if (status === 'retired' || status === 'archived') return status;
      }
      return undefined;
    },
    /** By one of the services the miner is not meant to mine. */
    isOutOfOperation(key: string): boolean {
      for (const ofUplink of statuses.values()) if (known.has(ofUplink.get(key) ?? '')) return true;
      return false;
    },
  };
}
