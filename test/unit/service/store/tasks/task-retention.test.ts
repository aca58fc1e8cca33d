// Tasks and their batches are kept for 400 days, then removed in portions; what is asked again and again about them is
// answered by an index.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Databases } from '../../../../../src/service/store/databases.ts';
import { createEncryption } from '../../../../../src/service/store/encryption.ts';
import { isPostgresUrl } from '../../../../../src/service/store/postgres/postgres.ts';
import { openDatabases, openStore } from '../../../../../src/service/store/store.ts';
import { createTaskStore } from '../../../../../src/service/store/tasks/tasks.ts';
import { temporaryDatabase } from '../../../../support/database.ts';
import { explain, listening, type Plan } from '../query-plan.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 2_000 * DAY_MS;

async function start() {
  const target = await temporaryDatabase();
  const store = await openStore(target);
  const databases = openDatabases(target);
  onTestFinished(() => databases.close().then(() => store.close()));
  return { store, databases, isPostgres: isPostgresUrl(target) };
}

async function insertBatch({ write }: Databases, id: string, createdAtMs: number, tasks: number): Promise<void> {
  const common = { agent_id: 'a', name: 'miner.system.reboot', created_at: createdAtMs };
  await write
    .insertInto('task_batches')
    .values({
      ...common,
      ...{ id, workspace_id: 'w', farm_id: 'f', params: '{}', actor_type: 'user', actor: '{}', metadata: '{}' },
      ...{ status: 'succeeded', task_count: tasks, succeed_count: tasks, failed_count: 0 },
    })
    .execute();
  const values = Array.from({ length: tasks }, (_, n) => ({
    ...common,
    ...{ id: `${id} ${n}`, batch_id: id, row_id: n, miner_key: '', status: n % 50 === 0 ? 'pending' : 'succeeded' },
    ...{ expires_at: NOW_MS + DAY_MS, sent_at: createdAtMs, received_at: null, updated_at: createdAtMs },
    ...{ cancel_at: n % 50 === 0 ? createdAtMs : null, is_held: 0, is_presumed: 0, message: null, evidence: '{}' },
  }));
  for (let from = 0; from < values.length; from += 500)
    await write
      .insertInto('tasks')
      .values(values.slice(from, from + 500))
      .execute();
}

const idsIn = async ({ read }: Databases, table: 'tasks' | 'task_batches', column: 'batch_id' | 'id') =>
  (await sql<{ id: string }>`SELECT DISTINCT ${sql.ref(column)} AS id FROM ${sql.table(table)}`.execute(read)).rows
    .map(({ id }) => id)
    .toSorted();

test('what is older than 400 days goes, however many tasks it has, and nothing else', async () => {
  const { store, databases } = await start();
  await insertBatch(databases, 'ancient', NOW_MS - 900 * DAY_MS, 3);
  await insertBatch(databases, 'large', NOW_MS - 401 * DAY_MS, 4_500);
  await insertBatch(databases, 'without tasks', NOW_MS - 401 * DAY_MS, 0);
  await insertBatch(databases, 'kept', NOW_MS - 399 * DAY_MS, 3);
  await insertBatch(databases, 'new', NOW_MS, 3);
  await store.prune(NOW_MS);
  expect(await idsIn(databases, 'task_batches', 'id')).toEqual(['kept', 'new']);
  expect(await idsIn(databases, 'tasks', 'batch_id')).toEqual(['kept', 'new']);
});

test('cancels are read from those that are cancelled, and the old are found by their age', async () => {
  const { databases, isPostgres } = await start();
  for (const n of [1, 2, 3, 4]) await insertBatch(databases, `b${n}`, NOW_MS - n, 1_000);
  const plans: Promise<Plan>[] = [];
  const read = listening(databases.read, (query) => plans.push(explain(databases.read, query, isPostgres)));
  const tasks = createTaskStore({ ...databases, read, audit: async () => {} }, createEncryption(undefined));
  const query = { agentId: 'a', nowMs: NOW_MS, sentBeforeMs: NOW_MS, afterId: '', limit: 10 };
  expect(await tasks.listCancels(query)).toHaveLength(10);
  const accesses = (await Promise.all(plans)).flatMap((plan) => plan.accesses);
  // The other database weighs its indexes by what it has measured, which a small table is not worth.
  if (!isPostgres) expect(accesses).toMatchObject([{ table: 'tasks', index: 'tasks_cancelled' }]);
  const { rows } = await sql<{
    n: number;
  }>`SELECT count(*) AS n FROM ${sql.table(isPostgres ? 'pg_indexes' : 'sqlite_schema')}
    WHERE ${sql.ref(isPostgres ? 'indexname' : 'name')} IN ('tasks_cancelled', 'gaps_to_at', 'ingest_cursors_updated_at', 'task_batches_created_at')`.execute(
    databases.read,
  );
  expect(Number(rows[0]?.n)).toBe(4);
});
