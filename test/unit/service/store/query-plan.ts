// The plans that a database makes for the statements that the store really sends: caught on their way, explained, put
// into words.
import { CompiledQuery, type KyselyPlugin } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../../../src/service/store/schema.ts';

/** How a statement gets at the rows of a table. `index`: only the entries that the condition asks for. */
export type Access = {
  readonly table: string;
  /** Absent: the table is read from end to end. */
  readonly index: string | undefined;
  readonly isCovering: boolean;
  /** How many of the index's columns narrow it down, 0 = all of it is read. */
  readonly bound: number;
};

export type Plan = { readonly sql: string; readonly accesses: readonly Access[] };

/** `db` with an ear: what is executed through it is told to `heard`. */
export function listening(db: Db, heard: (query: CompiledQuery) => void): Db {
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      heard(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return db.withPlugin(plugin);
}

export async function explain(db: Db, { sql, parameters }: CompiledQuery, isPostgres: boolean): Promise<Plan> {
  const text = `EXPLAIN ${isPostgres ? '(FORMAT JSON)' : 'QUERY PLAN'} ${sql}`;
  const { rows } = await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...parameters]));
  return { sql, accesses: isPostgres ? readPostgres(rows) : readSqlite(rows) };
}

const detailSchema = z.object({ detail: z.string() });

/**
 * `SEARCH miners USING COVERING INDEX name (a=? AND b>?)`, `SCAN miners USING INDEX name`, `SEARCH miners USING INTEGER
 * PRIMARY KEY (rowid=?)`.
 */
function readSqlite(rows: readonly unknown[]): Access[] {
  return rows.flatMap((row): Access[] => {
    const { detail } = detailSchema.parse(row);
    const match =
      /^(?:SCAN|SEARCH) (\w+)(?: USING (?:(COVERING )?INDEX (\w+)|(INTEGER PRIMARY KEY)))?(?: \((.*)\))?/.exec(detail);
    if (match === null) return [];
    const [, table = '', covering, index, key, conditions] = match;
    const columns = new Set((conditions ?? '').split(' AND ').map((part) => part.split(/[<>=]/)[0] ?? ''));
    const bound = conditions === undefined ? 0 : columns.size;
    return [{ table, index: index ?? key, isCovering: covering !== undefined, bound }];
  });
}

type Node = {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  'Index Name'?: string | undefined;
  'Index Cond'?: string | undefined;
  Plans?: Node[] | undefined;
};
const nodeSchema: z.ZodType<Node> = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Index Cond': z.string().optional(),
  get Plans() {
    return z.array(nodeSchema).optional();
  },
});
const postgresSchema = z.array(z.object({ 'QUERY PLAN': z.array(z.object({ Plan: nodeSchema })) }));

function readPostgres(rows: readonly unknown[]): Access[] {
  const walk = (node: Node, table: string): Access[] => {
    const here = node['Relation Name'] ?? table;
    const inner = (node.Plans ?? []).flatMap((part) => walk(part, here));
    switch (node['Node Type']) {
      case 'Seq Scan':
        return [{ table: here, index: undefined, isCovering: false, bound: 0 }, ...inner];
      case 'Index Scan':
      case 'Index Only Scan':
      case 'Bitmap Index Scan': {
        const conditions = (node['Index Cond'] ?? '').split(' AND ').filter((part) => part !== '');
        const columns = new Set(conditions.map((part) => part.replace(/^\(+/, '').split(/ (?:[<>=]+|IS) /)[0] ?? ''));
        const isCovering = node['Node Type'] === 'Index Only Scan';
        return [{ table: here, index: node['Index Name'], isCovering, bound: columns.size }, ...inner];
      }
      default:
        return inner;
    }
  };
  return postgresSchema.parse(rows).flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => walk(Plan, '')));
}

export function describe({ table, index, isCovering, bound }: Access): string {
  if (index === undefined) return `scan of ${table}`;
  return `${isCovering ? 'covering ' : ''}${index} (${bound})`;
}
