// Miners of a farm that have a flag or are missing, as they are stored now. Those that operators took off their place
// do not count; it bounds how many it reads.
import { yieldToEventLoop } from '../../../../base/clock.ts';
import type { TroubledMiner } from '../../../../model/changes/inherited.ts';
import { fromBitmask } from '../../../../model/flags/anomaly-types.ts';
import { readStoredFlags } from '../../events/flag-changes.ts';
import { countAll } from '../../rows.ts';
import type { Db } from '../../schema.ts';

/** Miners whose evidence is read at a time: a few ms of work. */
const PORTION = 500;

/** In the order of addresses; `leftOut` = how many more there are. */
export async function troubledMiners(read: Db, farmId: string, most: number) {
  const wanted = read
    .selectFrom('miners')
    .where('farm_id', '=', farmId)
    .where((eb) => eb.or([eb('anomaly_flags', '<>', 0), eb('missing_since', 'is not', null)]))
    .where((eb) => eb.or([eb('ops_status', 'is', null), eb('ops_status', '=', 'maintenance')]));
  const rows = await wanted
    .select(['row_id', 'id', 'agent_id', 'anomaly_flags', 'missing_since'])
    .orderBy('ip_num')
    .orderBy('id')
    .limit(most)
    .execute();
  const miners: TroubledMiner[] = [];
  for (let from = 0; from < rows.length; from += PORTION) {
    const part = rows.slice(from, from + PORTION);
    const evidence = await readStoredFlags(
      read,
      part.map(({ row_id }) => row_id),
    );
    for (const { row_id, id, agent_id, anomaly_flags, missing_since } of part)
      miners.push({
        ...{ id, agentId: agent_id, flags: fromBitmask(anomaly_flags), evidence: evidence.get(row_id) ?? [] },
        missingSinceMs: missing_since,
      });
    await yieldToEventLoop();
  }
  const total = await countAll(wanted, rows.length, { limit: most, offset: 0 });
  return { miners, leftOut: total - rows.length };
}
