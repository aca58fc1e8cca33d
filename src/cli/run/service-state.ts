// The part of `pithead status` about a service in the agent's process: whether it can store, its backups, a database
// set aside.
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
  const setAside = findSetAside(database, backupsOf(config, database).dir);
  const troubles = [
    ...(fault === undefined ? [] : [`the service cannot store anything: ${fault}`]),
    ...(backups?.failure === undefined ? [] : [`no backup of the service's database: ${backups.failure}`]),
    ...(setAside === undefined ? [] : [`${setAside.text}. ${setAside.remedy}`]),
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

/**
 * For people: a damaged database was set aside, and what to do; undefined when there is none. Shown until a person
 * removes the file.
 */
export function findSetAside(database: string, backupDir: string): { text: string; remedy: string } | undefined {
  const aside = `${database}${ASIDE}`;
  const found = lstatSync(aside, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const at = new Date(found.mtimeMs).toISOString();
  return {
    text: `the database of the service was damaged and lies in ${aside}, last written ${at}; a new one has begun`,
    remedy: `${remedyOf(listBackups(backupDir, database)[0]?.path)}. Then remove ${aside}`,
  };
}
