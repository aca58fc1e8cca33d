// What operators say of miners holds over restarts and without a service, and of each service for itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOpsStatuses, opsStatusMigrations } from '../../../../src/agent/fleet/ops-status.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';

const A = '0198a7a2-0000-7000-8000-00000000000a';
const B = '0198a7a2-0000-7000-8000-00000000000b';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-ops-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(uplinks: readonly string[] = ['farm', 'company']) {
  const db = openSqlite(join(folder, 'agent.sqlite'), [opsStatusMigrations]);
  const statuses = createOpsStatuses(db, uplinks, silentLog);
  const out = () => [A, B].filter((key) => statuses.isOutOfOperation(key));
  return { ...statuses, db, out };
}
const all = (...miners: [string, string][]) => ({
  is_first: true,
  miners: miners.map(([miner_key, ops_status]) => ({ miner_key, ops_status })),
});

test.each(['maintenance', 'off_rack', 'transit', 'retired', 'archived'])(
  '%s takes a miner out of operation',
  (status) => {
    const { take, out, db } = open();
    take('farm', all([A, status]));
    expect(out()).toEqual([A]);
    take('farm', all());
    expect(out()).toEqual([]);
    db.close();
  },
);

test('a status that only a newer service knows changes nothing', () => {
  const { take, out, db } = open();
  take('farm', all([A, 'on_holiday']));
  expect(out()).toEqual([]);
  db.close();
});

test('a long list comes in parts', () => {
  const { take, out, db } = open();
  take('farm', all([A, 'maintenance']));
  take('farm', { ...all([B, 'maintenance']), is_first: false });
  expect(out()).toEqual([A, B]);
  db.close();
});

test('it holds after a restart, until the service says something else', () => {
  const first = open();
  first.take('farm', all([A, 'maintenance'], [B, 'transit']));
  first.db.close();
  const second = open();
  expect(second.out()).toEqual([A, B]);
  second.take('farm', all([B, 'transit']));
  second.db.close();
  const third = open();
  expect(third.out()).toEqual([B]);
  third.db.close();
});

test('one service does not speak for the other, and one that is no longer configured is forgotten', () => {
  const first = open();
  first.take('farm', all([A, 'maintenance']));
  first.take('company', all([B, 'maintenance']));
  first.take('farm', all());
  first.take('nobody', all([A, 'maintenance']));
  expect(first.out()).toEqual([B]);
  first.db.close();
  const second = open(['farm']);
  expect(second.out()).toEqual([]);
  second.db.close();
  const third = open();
  expect(third.out()).toEqual([]);
  third.db.close();
});

test('when it cannot be written it holds all the same', () => {
  const { take, out, db } = open();
  db.close();
  take('farm', all([A, 'maintenance']));
  expect(out()).toEqual([A]);
});
