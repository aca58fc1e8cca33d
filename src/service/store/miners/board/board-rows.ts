// What the board reads: the narrow rows of a farm, which say what has changed, and the documents of those that have.
import { type ExpressionBuilder, sql } from 'kysely';
import { yieldToEventLoop } from '../../../../base/clock.ts';
import type { Databases } from '../../databases.ts';
import { chunks } from '../../rows.ts';
import type { Db, Row, Tables } from '../../schema.ts';
import { reportName } from '../miner-write.ts';

/** `report` differs when a newer report was stored. */
export type BoardMark = Readonly<
  Pick<Row<'miners'>, 'id' | 'rack' | 'position' | 'created_at' | 'seen_at' | 'stale_at'>
> & {
  readonly rowId: number;
  readonly agentId: string | null;
  readonly key: string | null;
  readonly opsStatus: string | null;
  /** Where its rack stands; null = not known. */
  readonly container: string | null;
  /** Of the slice that reported it last. */
  readonly order: number;
  readonly report: string;
};

export type BoardAgent = Readonly<Pick<Row<'agents'>, 'last_seen_at' | 'poll_interval_ms'>>;
export type BoardDocument = {
  readonly rowId: number;
  readonly document: string;
  readonly extras: string;
  readonly abilities: string;
};
export type BoardStore = ReturnType<typeof createBoardStore>;

/** Made in the database: to read the rows themselves would cost ten times as much. */
const OPERATOR_TEXT = sql<string | null>`string_agg(
  concat(row_id, '/', ops_status, '/', rack, '/', position), ',' order by row_id)`;

const RACK_TEXT = sql<string | null>`string_agg(concat(name, '/', container), ',' order by name)`;

const newer = (eb: ExpressionBuilder<Tables, 'miners'>, since: ReadonlyMap<string, number>) =>
  [...since].map(([agentId, order]) => eb.and([eb('agent_id', '=', agentId), eb('reported_order', '>=', order)]));

const marked = (read: Db) =>
  read
    .selectFrom('miners')
    .leftJoin('racks', (join) =>
      join.onRef('racks.farm_id', '=', 'miners.farm_id').onRef('racks.name', '=', 'miners.rack'),
    )
    .select(['row_id', 'id', 'agent_id', 'agent_key', 'reported_at', 'reported_order', 'rack', 'position'])
    .select(['ops_status', 'created_at', 'seen_at', 'stale_at', 'container']);

type MarkedRow = Awaited<ReturnType<ReturnType<typeof marked>['execute']>>[number];

function toMark({
  row_id,
  agent_id,
  agent_key,
  ops_status,
  reported_at,
  reported_order,
  ...row
}: MarkedRow): BoardMark {
  return {
    ...row,
    ...{ rowId: row_id, agentId: agent_id, key: agent_key, opsStatus: ops_status },
    order: reported_order,
    report: reportName(reported_order, reported_at, agent_id),
  };
}

export function createBoardStore({ read }: Pick<Databases, 'read'>) {
  return {
    /** Of all miners, in the order of lists. */
    async marks(farmId: string): Promise<readonly BoardMark[]> {
      const rows = await marked(read).where('miners.farm_id', '=', farmId).orderBy('ip_num').orderBy('id').execute();
      return rows.map(toMark);
    },
    /** Of those that one of these agents has reported in a slice of this order or later. Looks at each of them. */
    async marksSince(farmId: string, since: ReadonlyMap<string, number>): Promise<readonly BoardMark[]> {
      const rows = await marked(read)
        .where('miners.farm_id', '=', farmId)
        .where((eb) => eb.or(newer(eb, since)))
        .execute();
      return rows.map(toMark);
    },
    async marksOf(farmId: string, rowIds: readonly number[]): Promise<readonly BoardMark[]> {
      const found: BoardMark[] = [];
      for (const part of chunks(rowIds)) {
        const rows = await marked(read).where('row_id', 'in', part).where('miners.farm_id', '=', farmId).execute();
        found.push(...rows.map(toMark));
        await yieldToEventLoop();
      }
      return found;
    },
    /** In portions, with a yield to the event loop between them: those of a large farm are not in memory at once. */
    async *documents(rowIds: readonly number[]): AsyncGenerator<readonly BoardDocument[]> {
      for (const part of chunks(rowIds)) {
        yield await read
          .selectFrom('miner_documents')
          .select(['row_id as rowId', 'document', 'extras', 'abilities'])
          .where('row_id', 'in', part)
          .execute();
        await yieldToEventLoop();
      }
    },
    /** How many miners there are, and a text that is another one when operators have changed anything of them. */
    async operatorText(farmId: string): Promise<{ readonly count: number; readonly text: string }> {
      const { count, text } = await read
        .selectFrom('miners')
        .select((eb) => [eb.fn.countAll<number>().as('count'), OPERATOR_TEXT.as('text')])
        .where('farm_id', '=', farmId)
        .executeTakeFirstOrThrow();
      const racks = await read
        .selectFrom('racks')
        .select(RACK_TEXT.as('text'))
        .where('farm_id', '=', farmId)
        .executeTakeFirst();
      return { count: Number(count), text: `${text ?? ''} ${racks?.text ?? ''}` };
    },
    /** When each agent of the farm that is not revoked was last heard, and how often it polls. */
    async heard(farmId: string): Promise<ReadonlyMap<string, BoardAgent>> {
      const rows = await read
        .selectFrom('agents')
        .select(['id', 'last_seen_at', 'poll_interval_ms'])
        .where('farm_id', '=', farmId)
        .where('revoked_at', 'is', null)
        .execute();
      return new Map(rows.map(({ id, ...agent }) => [id, agent]));
    },
  };
}
