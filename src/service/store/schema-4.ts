// Step 4 of the schema: what searches and classifications read of a miner beside its documents, and tasks that shall be given up.
import type { Db } from './schema.ts';

const PAGE = 500;

export async function addSearchColumns(db: Db): Promise<void> {
  for (const name of ['model', 'firmware_version', 'firmware', 'hostname'])
    await db.schema.alterTable('miners').addColumn(name, 'text').execute();
  await db.schema.alterTable('tasks').addColumn('cancel_at', 'bigint').execute();
  await fillFromDocuments(db);
}

async function fillFromDocuments(db: Db): Promise<void> {
  for (let after = -1; ; ) {
    const rows = await db
      .selectFrom('miner_documents')
      .select(['row_id', 'document', 'extras'])
      .where('row_id', '>', after)
      .orderBy('row_id')
      .limit(PAGE)
      .execute();
    for (const { row_id, document, extras } of rows) {
      const said: unknown = JSON.parse(document);
      const more: unknown = JSON.parse(extras);
      await db
        .updateTable('miners')
        .set({
          model: textOf(said, 'model'),
          firmware_version: textOf(said, 'firmware_version'),
          firmware: textOf(more, 'firmware'),
          hostname: textOf(more, 'hostname'),
        })
        .where('row_id', '=', row_id)
        .execute();
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.row_id;
  }
}

function textOf(value: unknown, name: string): string | null {
  const part: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof part === 'string' ? part : null;
}
