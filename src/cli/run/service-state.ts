// What `pithead status` shows of the service that runs in the agent's own process: whether it can store, its backups, and a database that was set aside.
import { lstatSync } from 'node:fs';
import type { AgentConfig } from '../../agent/config/config.ts';
import type { OwnService } from '../../agent/control/status.ts';
import { ASIDE } from '../../base/storage/sqlite.ts';
import type { Service } from '../../service/service.ts';
import { remedyOf } from '../../service/storage.ts';
import { listBackups } from '../../service/store/sqlite/backup-files.ts';
import { backupsOf, databaseOf } from './local-service.ts';

export function shownService(
  config: AgentConfig,
  database = databaseOf(config.stateDir),
  { storage }: Pick<Service, 'storage'>,
): OwnService {
  const fault = storage.fault();
  const backups = storage.backups();
  const troubles = [
    ...(fault === undefined ? [] : [`the service cannot store anything: ${fault}`]),
    ...(backups?.failure === undefined ? [] : [`no backup of the service's database: ${backups.failure}`]),
    ...setAsideTroubles(database, backupsOf(config, database).dir),
  ];
  return {
    troubles,
    fault: fault ?? null,
    backup:
      backups === undefined
        ? null
        : { dir: backups.dir, newestAtMs: backups.newestAtMs, failure: backups.failure ?? null },
  };
}

/** In sentences; each until a person has removed the file. */
export function setAsideTroubles(database: string, backupDir: string): string[] {
  const aside = `${database}${ASIDE}`;
  const found = lstatSync(aside, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const at = new Date(found.mtimeMs).toISOString();
  const remedy = remedyOf(listBackups(backupDir, database)[0]?.path);
  return [
    `the database of the service was damaged and lies in ${aside}, last written ${at}; a new one has begun. ${remedy}. Then remove ${aside}`,
  ];
}
