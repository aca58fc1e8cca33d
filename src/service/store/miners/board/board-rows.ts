// What the board reads: the narrow rows of a farm, which say what has changed, and the documents of those that have.
import { yieldToEventLoop } from '../../../../base/clock.ts';
import type { Databases } from '../../databases.ts';
import type { Row } from '../../schema.ts';

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
  readonly report: string;
};

export type BoardDocument = { readonly document: string; readonly extras: string; readonly abilities: string };
export type BoardStore = ReturnType<typeof createBoardStore>;

/** Rows of a statement: below the smallest bound on parameters among the databases, and a few ms of work. */
const ROWS = 500;

export function createBoardStore({ read }: Pick<Databases, 'read'>) {
  return {
    /** Of all miners, in the order of lists. */
    async marks(farmId: string): Promise<readonly BoardMark[]> {
      const rows = await read
        .selectFrom('miners')
        .leftJoin('racks', (join) =>
          join.onRef('racks.farm_id', '=', 'miners.farm_id').onRef('racks.name', '=', 'miners.rack'),
        )
        .select(['row_id', 'id', 'agent_id', 'agent_key', 'reported_at', 'reported_order', 'rack', 'position'])
        .select(['ops_status', 'created_at', 'seen_at', 'stale_at', 'container'])
        .where('miners.farm_id', '=', farmId)
        .orderBy('ip_num')
        .orderBy('id')
        .execute();
      return rows.map(({ row_id, agent_id, agent_key, ops_status, reported_at, reported_order, ...row }) => ({
        ...row,
        ...{ rowId: row_id, agentId: agent_id, key: agent_key, opsStatus: ops_status },
        report: `${reported_order} ${reported_at} ${agent_id}`,
      }));
    },
    /** By row; read in portions, with a yield to the event loop between them. */
    async documents(rowIds: readonly number[]): Promise<ReadonlyMap<number, BoardDocument>> {
      const found = new Map<number, BoardDocument>();
      for (let start = 0; start < rowIds.length; start += ROWS) {
        const rows = await read
          .selectFrom('miner_documents')
          .selectAll()
          .where('row_id', 'in', rowIds.slice(start, start + ROWS))
          .execute();
        for (const { row_id, ...documents } of rows) found.set(row_id, documents);
        await yieldToEventLoop();
      }
      return found;
    },
    /** When each agent of the farm that is not revoked was last heard. */
    async heard(farmId: string): Promise<ReadonlyMap<string, number | null>> {
      const rows = await read
        .selectFrom('agents')
        .select(['id', 'last_seen_at'])
        .where('farm_id', '=', farmId)
        .where('revoked_at', 'is', null)
        .execute();
      return new Map(rows.map(({ id, last_seen_at }) => [id, last_seen_at]));
    },
  };
}
