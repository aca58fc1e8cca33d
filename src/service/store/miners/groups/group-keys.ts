// What miners can be grouped by, as a column of the narrow miner table: always as the miners are now.
import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { GroupKey } from '../../../../wire/api/metrics.ts';
import type { Tables } from '../../schema.ts';

/** Null = the miner has none. */
export function groupColumn(eb: ExpressionBuilder<Tables, 'miners'>, key: GroupKey): RawBuilder<string | null> {
  switch (key) {
    case 'container':
      return containerOf();
    case 'agent':
      return sql`${eb.ref('miners.agent_id')}`;
    case 'algorithm':
    case 'rack':
    case 'model':
    case 'firmware':
      return sql`${eb.ref(`miners.${key}`)}`;
  }
}

/** In which the rack of the miner stands. */
const containerOf = () =>
  sql<
    string | null
  >`(select racks.container from racks where racks.farm_id = miners.farm_id and racks.name = miners.rack)`;
