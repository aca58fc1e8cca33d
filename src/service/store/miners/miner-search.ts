// Which miners a search of v2 means, beside the filters that it shares with the list.
import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely';
import type { SearchField } from '../../../wire/api/miners.ts';
import type { Tables } from '../schema.ts';
import { conditions, type TimeFilter, type ValueFilter } from '../value-filter.ts';
import type { MinerFilter, RunStatus } from './miner-filter.ts';

/** All that is given must hold; a miner that has no value fits `ne` and `nin`. */
export type MinerSearch = {
  readonly runStatuses?: readonly RunStatus[] | undefined;
  /** Any of these bits. */
  readonly anomalyMask?: number | undefined;
  readonly opsStatus?: ValueFilter | undefined;
  readonly miningMode?: ValueFilter | undefined;
  readonly model?: ValueFilter | undefined;
  readonly firmware?: ValueFilter | undefined;
  readonly rack?: ValueFilter | undefined;
  readonly agentId?: ValueFilter | undefined;
  /** Case does not matter. */
  readonly text?: { readonly field: SearchField; readonly value: string } | undefined;
  readonly lastUpdatedAt?: TimeFilter | undefined;
};

type Builder = ExpressionBuilder<Tables, 'miners'>;
type Condition = ExpressionWrapper<Tables, 'miners', SqlBool>;

/** The filter with the conditions of the search that the list has too. */
export function toFilter(filter: MinerFilter, { runStatuses, anomalyMask }: MinerSearch): MinerFilter {
  return {
    ...filter,
    ...(runStatuses === undefined ? {} : { status: { run: runStatuses, ops: [] } }),
    ...(anomalyMask === undefined ? {} : { anomalyMask }),
  };
}

export function searchConditions(eb: Builder, search: MinerSearch): Condition[] {
  const { text, lastUpdatedAt } = search;
  const columns = [
    ['miners.ops_status', search.opsStatus],
    ['miners.mining_mode', search.miningMode],
    ['miners.model', search.model],
    ['miners.firmware', search.firmware],
    ['miners.rack', search.rack],
    ['miners.agent_id', search.agentId],
  ] as const;
  return [
    ...columns.flatMap(([column, filter]) => valueOrNull(eb, column, filter)),
    ...conditions(eb, 'miners.seen_at', lastUpdatedAt),
    ...(text === undefined ? [] : [contains(eb, text.field, text.value)]),
  ];
}

/** To a database nothing is neither equal nor unequal; to people a miner without model is not of that model. */
function valueOrNull(
  eb: Builder,
  column: `miners.${'ops_status' | 'mining_mode' | 'model' | 'firmware' | 'rack' | 'agent_id'}`,
  { eq, ne, in: among, nin }: ValueFilter = {},
): Condition[] {
  const unlike = conditions(eb, column, { ne, nin }).map((condition) => eb.or([eb(column, 'is', null), condition]));
  return [...conditions(eb, column, { eq, in: among }), ...unlike];
}

function contains(eb: Builder, field: SearchField, value: string): Condition {
  switch (field) {
    case 'ip':
      return isPart(dottedQuad(eb), value);
    case 'mac': {
      const digits = value.replaceAll(/[:.\s-]/g, '');
      const asShown = isPart(sql`${eb.ref('miners.mac')}`, value);
      return digits === '' ? asShown : eb.or([asShown, isPart(sql`replace(${eb.ref('miners.mac')}, ':', '')`, digits)]);
    }
    case 'serial_number':
      return isPart(sql`${eb.ref('miners.serials')}`, value);
    case 'model':
    case 'firmware_version':
    case 'hostname':
    case 'rack':
      return isPart(sql`${eb.ref(`miners.${field}`)}`, value);
  }

  function isPart(text: ReturnType<typeof sql>, part: string): Condition {
    const pattern = `%${part.replaceAll(/[!%_]/g, '!$&')}%`;
    // The database lowers both, in its own way: what it calls equal is equal.
    return eb(sql<string>`lower(${text})`, 'like', sql<string>`lower(cast(${pattern} as text)) escape '!'`);
  }
}

function dottedQuad(eb: Builder) {
  const octet = (shift: number) => sql`cast((${eb.ref('miners.ip_num')} >> ${sql.lit(shift)}) & 255 as text)`;
  return sql`${octet(24)} || '.' || ${octet(16)} || '.' || ${octet(8)} || '.' || ${octet(0)}`;
}
