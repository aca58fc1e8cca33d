// A gate on a real database file and a simulated farm, on a virtual clock: what the tests of this room share.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tasksMigrations } from '../../../../src/agent/tasks/queue/journal.ts';
import { createTaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { type TaskSettings, taskSettingsSchema } from '../../../../src/agent/tasks/settings.ts';
import { type Log, silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import type { Vault } from '../../../../src/base/storage/vault.ts';
import type { TaskCommand } from '../../../../src/wire/frames.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { createSimFarm } from './sim-farm.ts';

export const keyOf = (number: number) => `0198a7a2-0000-7000-8000-${String(number).padStart(12, '0')}`;

export function createBench(effects: Parameters<typeof createSimFarm>[1] = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'pithead-tasks-'));
  const clock = createVirtualClock();
  const farm = createSimFarm(clock, effects);
  const errors: string[] = [];
  const warnings: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields, message) => warnings.push(`${message} ${JSON.stringify(fields)}`),
    error: (fields, message) => errors.push(`${message} ${JSON.stringify(fields)}`),
  };
  let db = openSqlite(join(dir, 'tasks.db'), [tasksMigrations]);

  const makeWith = (settings: TaskSettings, vault?: Vault, isTimeUnsure = false) =>
    createTaskQueue(db, { clock, log, settings, deps: farm.deps, vault, isTimeUnsure });
  const make = (settings: object = {}) => makeWith(taskSettingsSchema.parse(settings));

  return {
    clock,
    farm,
    errors,
    warnings,
    make,
    /** With settings that the test may change while it runs. */
    makeWith,
    db: () => db,
    order(minerKey: string, more: Partial<TaskCommand> & { expiresInS?: number } = {}): TaskCommand {
      const { expiresInS = 900, ...rest } = more;
      return {
        type: 'task',
        task_id: randomUUID(),
        batch_id: keyOf(999),
        name: 'miner.system.reboot',
        miner_key: minerKey,
        params: {},
        created_at: new Date(clock.nowMs()).toISOString(),
        expires_at: new Date(clock.nowMs() + expiresInS * 1_000).toISOString(),
        ...rest,
      };
    },
    /**
     * What a kill leaves: the file as it is, nothing said to the task queue. Its timers go on, its database does not.
     */
    crash() {
      db.close();
      db = openSqlite(join(dir, 'tasks.db'), [tasksMigrations]);
    },
    remove() {
      if (db.isOpen) db.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
