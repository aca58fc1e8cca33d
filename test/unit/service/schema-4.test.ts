// A database from before the search columns: the step fills them from the documents that are there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/service/store/migrations.ts';
import { createFirstSchema } from '../../../src/service/store/schema-1.ts';
import { addHistory } from '../../../src/service/store/schema-2.ts';
import { addAgentLinks } from '../../../src/service/store/schema-3.ts';
import { openSqliteDatabases } from '../../../src/service/store/sqlite.ts';

const BEFORE = [createFirstSchema, addHistory, addAgentLinks];
const MINERS = 1_203;

test('every miner gets its model, firmware and hostname; what is unreadable stays empty', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-schema-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const databases = openSqliteDatabases(join(folder, 'service.sqlite'));
  onTestFinished(() => databases.close());
  const { write, read } = databases;
  await migrate(databases, 'test', BEFORE);
  const trx = await write.startTransaction().execute();
  for (let n = 0; n < MINERS; n++) {
    const miner = { id: `m${n}`, farm_id: 'f', created_at: 1, reported_at: 1, ip_num: n, mac: '', serial: '' };
    await trx
      .insertInto('miners')
      .values({ ...miner, serials: '', anomaly_flags: 0, mining_mode: 'normal' })
      .execute();
    await trx
      .insertInto('miner_documents')
      .values({
        row_id: n + 1,
        document: n === 7 ? '[]' : JSON.stringify({ model: `S${n}`, firmware_version: null }),
        extras: JSON.stringify({ firmware: 'antminer-stock', hostname: n === 8 ? 5 : `host-${n}` }),
        abilities: '[]',
      })
      .execute();
  }
  await trx.commit().execute();
  await migrate(databases, 'test');
  const rows = await read
    .selectFrom('miners')
    .select(['model', 'firmware_version', 'firmware', 'hostname'])
    .orderBy('row_id')
    .execute();
  expect(rows).toHaveLength(MINERS);
  const row = { firmware_version: null, firmware: 'antminer-stock' };
  expect(rows[0]).toEqual({ ...row, model: 'S0', hostname: 'host-0' });
  expect(rows[7]).toEqual({ ...row, model: null, hostname: 'host-7' });
  expect(rows[8]).toEqual({ ...row, model: 'S8', hostname: null });
  expect(rows[MINERS - 1]).toEqual({ ...row, model: `S${MINERS - 1}`, hostname: `host-${MINERS - 1}` });
});
