// Which miners a list or a search means, as conditions on the narrow miner table. It knows neither parameters nor
// permissions.
import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely';
import { UNSTABLE_REASONS } from '../../../model/identity-facts.ts';
import type { OpsStatus, RUN_STATUSES } from '../../../model/miner.ts';
import { REALIZATION, type Tables } from '../schema.ts';

/** In the column: the device reports no mode. */
export const MODE_NOT_REPORTED = '';

export type RunStatus = (typeof RUN_STATUSES)[number];

/** Any of these run statuses or any of these ops statuses. */
export type StatusSet = { readonly run: readonly RunStatus[]; readonly ops: readonly OpsStatus[] };

/** All that is given must hold; absent = no condition. */
export type MinerFilter = {
  readonly agentId?: string | undefined;
  /** Normalised; of the miner, a hashboard, a power supply or the controller. */
  readonly serial?: string | undefined;
  /** Normalised. */
  readonly mac?: string | undefined;
  readonly status?: StatusSet | undefined;
  readonly statusExclude?: StatusSet | undefined;
  readonly opsStatus?: readonly OpsStatus[] | undefined;
  readonly isUnstable?: true | undefined;
  readonly hasAnomaly?: boolean | undefined;
  /** Any of these bits. */
  readonly anomalyMask?: number | undefined;
  /** Bounds of hashrate / expected hashrate; miners without an expected hashrate are left out. */
  readonly realizationMin?: number | undefined;
  readonly realizationMax?: number | undefined;
  readonly miningModesIn?: readonly string[] | undefined;
  readonly miningModesNotIn?: readonly string[] | undefined;
  /** The mode that the list shows for miners that report none; absent = it shows null, and they match no mode. */
  readonly shownMode?: string | undefined;
  /** These rows and no others; at most as many as a statement may have parameters, 32,000. */
  readonly rowIds?: readonly number[] | undefined;
  /** Inclusive, addresses as numbers. */
  readonly ipRanges?: readonly { readonly first: number; readonly last: number }[] | undefined;
};

type Builder = ExpressionBuilder<Tables, 'miners'>;
type Condition = ExpressionWrapper<Tables, 'miners', SqlBool>;

/** One condition for the whole filter. `nowMs` decides who is stale. */
export function minerConditions(eb: Builder, farmId: string, filter: MinerFilter, nowMs: number): Condition {
  const all: Condition[] = [eb('miners.farm_id', '=', farmId)];
  if (filter.agentId !== undefined) all.push(eb('miners.agent_id', '=', filter.agentId));
  if (filter.serial !== undefined) all.push(hasSerial(eb, farmId, filter.serial));
  if (filter.mac !== undefined) all.push(eb('miners.mac', '=', filter.mac));
  if (filter.status) all.push(isInStatus(eb, filter.status, nowMs));
  if (filter.statusExclude) all.push(isOutsideStatus(eb, filter.statusExclude, nowMs));
  if (filter.opsStatus) all.push(eb('miners.ops_status', 'in', filter.opsStatus));
  // Named one by one: "not null" would be taken for a quarter of the farm.
  if (filter.isUnstable) all.push(eb('miners.unstable_reason', 'in', UNSTABLE_REASONS));
  if (filter.hasAnomaly !== undefined) all.push(eb('miners.anomaly_flags', filter.hasAnomaly ? '>' : '=', 0));
  if (filter.anomalyMask !== undefined) {
    // The first condition is what an index can serve.
    all.push(eb('miners.anomaly_flags', '>', 0));
    all.push(eb(sql<number>`${eb.ref('miners.anomaly_flags')} & ${filter.anomalyMask}`, '<>', 0));
  }
  all.push(...realization(eb, filter));
  const asStored = (modes: readonly string[]) =>
    filter.shownMode !== undefined && modes.includes(filter.shownMode) ? [...modes, MODE_NOT_REPORTED] : modes;
  if (filter.miningModesIn) all.push(eb('miners.mining_mode', 'in', asStored(filter.miningModesIn)));
  if (filter.miningModesNotIn) all.push(eb('miners.mining_mode', 'not in', asStored(filter.miningModesNotIn)));
  if (filter.rowIds) all.push(isAmongRows(eb, filter.rowIds));
  if (filter.ipRanges) all.push(isInRanges(eb, filter.ipRanges));
  return eb.and(all);
}

function isAmongRows(eb: Builder, rowIds: readonly number[]): Condition {
  // Rows count from 1.
  if (rowIds.length === 0) return eb('miners.row_id', '=', 0);
  return eb('miners.row_id', 'in', rowIds);
}

function hasSerial(eb: Builder, farmId: string, serial: string): Condition {
  const holders = eb
    .selectFrom('miner_serials')
    .select('miner_serials.row_id')
    .where('miner_serials.farm_id', '=', farmId)
    .where('miner_serials.serial', '=', serial);
  return eb('miners.row_id', 'in', holders);
}

const isOnline = (eb: Builder, nowMs: number) => eb('miners.stale_at', '>', nowMs);
const isStale = (eb: Builder, nowMs: number) =>
  eb.or([eb('miners.stale_at', 'is', null), eb('miners.stale_at', '<=', nowMs)]);

function isInStatus(eb: Builder, { run, ops }: StatusSet, nowMs: number): Condition {
  const any: Condition[] = [];
  if (run.includes('online')) any.push(isOnline(eb, nowMs));
  if (run.includes('stale')) any.push(isStale(eb, nowMs));
  if (ops.length > 0) any.push(eb('miners.ops_status', 'in', ops));
  return eb.or(any);
}

function isOutsideStatus(eb: Builder, { run, ops }: StatusSet, nowMs: number): Condition {
  const all: Condition[] = [];
  if (run.includes('online')) all.push(isStale(eb, nowMs));
  if (run.includes('stale')) all.push(isOnline(eb, nowMs));
  if (ops.length > 0) all.push(eb.or([eb('miners.ops_status', 'is', null), eb('miners.ops_status', 'not in', ops)]));
  return eb.and(all);
}

function realization(eb: Builder, { realizationMin, realizationMax }: MinerFilter): Condition[] {
  const all: Condition[] = [];
  if (realizationMin !== undefined) all.push(eb(REALIZATION, '>=', realizationMin));
  // One bound is what an index can serve; from two SQLite would conclude that few miners are meant, and sort what is
  // half a farm.
  const upper = realizationMin === undefined ? REALIZATION : sql<number>`${REALIZATION} + 0`;
  if (realizationMax !== undefined) all.push(eb(upper, '<=', realizationMax));
  return all;
}

/** Databases bound the depth of an expression: many ranges are merged, then nested in groups. */
function isInRanges(eb: Builder, ranges: NonNullable<MinerFilter['ipRanges']>): Condition {
  const group = 100;
  const parts = mergeRanges(ranges).map(({ first, last }) =>
    first === last ? eb('miners.ip_num', '=', first) : eb.between('miners.ip_num', first, last),
  );
  const groups: Condition[] = [];
  for (let start = 0; start < parts.length; start += group) groups.push(eb.or(parts.slice(start, start + group)));
  return eb.or(groups);
}

function mergeRanges(ranges: NonNullable<MinerFilter['ipRanges']>): { first: number; last: number }[] {
  const merged: { first: number; last: number }[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before && first <= before.last + 1) before.last = Math.max(before.last, last);
    else merged.push({ first, last });
  }
  return merged;
}
