// Makes large pages of a list inside the embedded database: it gives one text instead of thousands of rows. The text is
// the same as that from rows: see items.ts.
import { type RawBuilder, sql } from 'kysely';
import { type ItemPart, type ReadItems, readItemsFromRows, type ServiceField } from '../miners/items.ts';

type Sql = RawBuilder<unknown>;

export const readItemsInside: ReadItems = async (read, page, item, nowMs, take) => {
  const text = sql`concat(${sql.join(item.flatMap((part) => toSql(part, nowMs)))})`;
  const { count, items, newest } = await read
    // The order is that of the page: because it has a limit the database keeps it.
    .selectFrom(page.select([text.as('item'), 'reported_at']).as('page'))
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      // As bytes: they are not read as characters on their way.
      sql<Uint8Array | null>`cast(group_concat(item, ',') as blob)`.as('items'),
      eb.fn.max('reported_at').as('newest'),
    ])
    .executeTakeFirstOrThrow();
  // Stored before our clock was set back: their times are not shown as they are.
  if (newest !== null && newest > nowMs) return readItemsFromRows(read, page, item, nowMs, take);
  if (items !== null) await take(items);
  return count;
};

/** Texts as arguments of `concat`. */
function toSql(part: ItemPart, nowMs: number): Sql[] {
  if (typeof part === 'string') return [sql`${part}`];
  if ('value' in part) return [valueSql(part.value, nowMs)];
  // Cut as bytes: characters would be counted first.
  const object = part.membersOf === 'document' ? sql`"document"` : sql`"extras"`;
  const members = sql`substr(cast(${object} as blob), 2, octet_length(${object}) - 2)`;
  if (part.replace === undefined) return [members];
  return [sql`replace(${members}, ${part.replace[0]}, ${part.replace[1]})`];
}

function valueSql(field: ServiceField, nowMs: number): Sql {
  switch (field) {
    case 'id':
      return sql`json_quote(miners.id)`;
    case 'rack':
      return sql`json_quote(rack)`;
    case 'position':
      return sql`json_quote(position)`;
    case 'stale':
      return sql`case when stale_at > ${nowMs} then 'false' else 'true' end`;
    case 'status':
      return sql`case when stale_at > ${nowMs} then '"online"' else '"stale"' end`;
    case 'ops_status':
      return sql`json_quote(ops_status)`;
    case 'lifecycle_status':
      return sql`case when ops_status is null then ${valueSql('status', nowMs)} else json_quote(ops_status) end`;
    case 'created_at':
      return sql`concat('"', replace(datetime(min(created_at, ${nowMs}) / 1000.0, 'unixepoch', 'subsec'), ' ', 'T'), 'Z"')`;
  }
}
