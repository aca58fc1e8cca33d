// Makes large pages of a list from texts that the embedded database puts together, one a miner, instead of from rows of
// many values. The text is the same as that from rows: see items.ts.
import type { DatabaseSync } from 'node:sqlite';
import { type RawBuilder, sql } from 'kysely';
import { plainValue } from '../databases.ts';
import { datedBack, type ItemPart, type ReadItems, type ServiceField } from '../miners/items.ts';
import { translated } from './dialect.ts';

type Sql = RawBuilder<unknown>;

/** Handed over at a time: a millisecond of work, or less. */
const PART_BYTES = 256 * 1024;
const COMMA = ','.charCodeAt(0);

/** Reads with that connection and without the query builder, which makes an object and several promises of each row. */
export const createItemReader =
  (reader: DatabaseSync): ReadItems =>
  async (_read, page, item, nowMs, take) => {
    const concat = sql<string>`concat(${sql.join(item.flatMap((part) => toSql(part, nowMs)))})`;
    const query = page.select([concat.as('text'), 'reported_at']).compile();
    let part = Buffer.alloc(2 * PART_BYTES);
    let length = 0;
    let count = 0;
    try {
      const statement = reader.prepare(query.sql);
      statement.setReturnArrays(true);
      for (const { 0: text, 1: reportedAt } of statement.iterate(...query.parameters.map(plainValue))) {
        // Stored before our clock was set back: its times are not shown as they are.
        const shown = Number(reportedAt) > nowMs ? datedBack(String(text), nowMs, 0) : String(text);
        const most = length + 1 + 3 * shown.length;
        if (most > part.length) part = Buffer.concat([part.subarray(0, length)], 2 * most);
        if (count++ > 0) part[length++] = COMMA;
        length += part.write(shown, length);
        if (length < PART_BYTES) continue;
        await take(part.subarray(0, length));
        length = 0;
      }
    } catch (error) {
      throw translated(error, false);
    }
    await take(part.subarray(0, length));
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
