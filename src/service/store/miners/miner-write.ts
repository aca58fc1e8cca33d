// Writing miners: many rows per statement, the narrow row, the documents and the searchable serials. It decides nothing
// about identity.

import { type ExpressionBuilder, expressionBuilder, sql } from 'kysely';
import type { ReportedMiner } from '../../../model/board/board-row.ts';
import { normaliseMac, normaliseSerial } from '../../../model/identity-facts.ts';
import type { MinerRecord } from '../../../wire/records.ts';
import { algorithmOf, shownAlgorithm } from '../history/algorithms.ts';
import { chunks } from '../rows.ts';
import { type Column, type Db, MOVING, STEADY, TABLES, type Tables } from '../schema.ts';
import { identityOf, type KnownMiner } from './identity/known-miner.ts';
import { MODE_NOT_REPORTED } from './miner-filter.ts';

/** A record that shall become the state of a miner. `known` is what is stored, absent for a new miner. */
export type MinerChange = {
  readonly id: string;
  readonly known: KnownMiner | undefined;
  readonly record: MinerRecord;
  readonly reportedAtMs: number;
  readonly seenAtMs: number | null;
  readonly staleAtMs: number | null;
  readonly missingSinceMs: number | null;
  /** Of a new miner that another agent serves under the same MAC or serial. */
  readonly rivalRowId?: number | undefined;
};

/**
 * Who reports, and when; `order` of its slice, see outbox-order.ts. `unkeptThrough`: the states are not kept, see
 * live-states.ts.
 */
type Reporter = {
  readonly agentId: string;
  readonly farmId: string;
  readonly order: number;
  readonly nowMs: number;
  readonly unkeptThrough?: number;
};

/**
 * Writes the changes and gives the row of each miner id; none for a miner of which another agent has stored something
 * newer meanwhile.
 */
export async function writeMiners(
  db: Db,
  agent: Reporter,
  changes: readonly MinerChange[],
): Promise<Map<string, number>> {
  const rowIds = new Map<string, number>();
  // In one order for all agents: two that report the same miners would otherwise wait for each other.
  const rows = changes
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((change) => ({ known: change.known, row: toRow(agent, change) }));
  const steady = rows.flatMap(({ known, row }) =>
    known !== undefined && isSteady(known, row) ? [{ ...row, row_id: known.row_id }] : [],
  );
  for (const part of chunks(steady)) await moveRows(db, agent.agentId, part, rowIds);
  // Also those that another agent has written since they were read.
  for (const part of chunks(rows.filter(({ row }) => !rowIds.has(row.id)))) {
    const written = await db
      .insertInto('miners')
      .values(part.map(({ row }) => row))
      .onConflict((conflict) => conflict.column('id').doUpdateSet(overwrite).where(isNewer(agent.nowMs)))
      .returning(['id', 'row_id'])
      .execute();
    for (const { id, row_id } of written) rowIds.set(id, row_id);
  }
  await writeDocuments(db, changes, rowIds);
  await writeSerials(db, agent.farmId, rows, rowIds);
  return rowIds;
}

type UpsertBuilder = ExpressionBuilder<Tables & { excluded: Tables['miners'] }, 'miners' | 'excluded'>;

/**
 * Between reports of one agent the order decides; between two agents the time by our clock, unless it was set back
 * since.
 */
const isNewer = (nowMs: number) => (eb: UpsertBuilder) =>
  eb
    .case()
    .when('miners.agent_id', '=', eb.ref('excluded.agent_id'))
    .then(eb('miners.reported_order', '<=', eb.ref('excluded.reported_order')))
    .else(eb.or([eb('miners.reported_at', '<=', eb.ref('excluded.reported_at')), eb('miners.reported_at', '>', nowMs)]))
    .end();

const overwrite = (eb: UpsertBuilder) =>
  Object.fromEntries([...STEADY, ...MOVING].map((column) => [column, eb.ref(`excluded.${column}`)]));

type Row = ReturnType<typeof toRow>;

const isSteady = (known: KnownMiner, row: Row) => STEADY.every((column) => known[column] === row[column]);

const TYPES = {
  text: sql`text`,
  integer: sql`integer`,
  bigint: sql`bigint`,
  'double precision': sql`double precision`,
} as const satisfies Record<Column['type'], unknown>;
const eb = expressionBuilder<Tables & { fresh: Tables['miners'] }, 'fresh'>();
const NAMES = sql.join(MOVING.map((column) => eb.ref(column)));
const ASSIGNMENTS = sql.join(MOVING.map((column) => sql`${eb.ref(column)} = ${eb.ref(`fresh.${column}`)}`));

/**
 * Databases write to each index whose column is named, also when the value stays: a statement that names four columns
 * costs half.
 */
async function moveRows(
  db: Db,
  agentId: string,
  rows: readonly (Row & { row_id: number })[],
  rowIds: Map<string, number>,
): Promise<void> {
  const values = rows.map((row) => {
    const moving = MOVING.map((column) => sql`CAST(${row[column]} AS ${TYPES[TABLES.miners[column].type]})`);
    return sql`(CAST(${row.row_id} AS integer), ${sql.join(moving)})`;
  });
  // The agent not by its index: a planner without figures would read all of its miners for it.
  const { rows: written } = await sql<{ id: string; row_id: number }>`
    with fresh (row_id, ${NAMES}) AS (values ${sql.join(values)})
    update miners set ${ASSIGNMENTS}
    from fresh where miners.row_id = fresh.row_id and miners.reported_order <= fresh.reported_order and miners.agent_id || '' = ${agentId}
    returning miners.id, miners.row_id`.execute(db);
  for (const { id, row_id } of written) rowIds.set(id, row_id);
}

function toRow({ agentId, farmId, order, unkeptThrough }: Reporter, change: MinerChange) {
  const { id, known, record, reportedAtMs, seenAtMs, staleAtMs, missingSinceMs } = change;
  const { document, extras } = record;
  const { serial, ipNum } = identityOf(record);
  return {
    // Given where it is known, because each number that the database makes is used up also where the row is there
    // already.
    row_id: known?.row_id,
    id,
    farm_id: farmId,
    agent_id: agentId,
    agent_key: record.key,
    created_at: known?.created_at ?? reportedAtMs,
    reported_at: reportedAtMs,
    reported_order: order,
    unkept_through: unkeptThrough ?? null,
    seen_at: seenAtMs,
    stale_at: staleAtMs,
    missing_since: missingSinceMs,
    ip_num: ipNum,
    // What is shown can be searched for, also where it does not identify a miner.
    mac: normaliseMac(document.mac) ?? '',
    serial,
    serials: searchableSerials(record),
    anomaly_flags: document.anomaly_flags,
    unstable_reason: document.unstable_reason,
    mining_mode: extras.mining_mode_reported === false ? MODE_NOT_REPORTED : document.mining_mode,
    model: storable(document.model),
    firmware_version: storable(document.firmware_version),
    firmware: storable(extras.firmware),
    algorithm: shownAlgorithm(algorithmOf(record)),
    hostname: storable(extras.hostname),
    hashrate: document.hashrate,
    power: document.power,
    expected_hashrate: extras.expected_hashrate,
    rival_row_id: change.rivalRowId ?? known?.rival_row_id ?? null,
  };
}

/** Some databases have no NUL in texts; documents hold it escaped. */
const storable = (text: string | null) => text?.replaceAll('\0', '') ?? null;

/** Of the miner, its hashboards, its power supplies and its controller; sorted, one per line. */
function searchableSerials({ document, extras }: MinerRecord): string {
  const all = [
    document.serial_number,
    extras.controller_serial_number,
    ...document.hashboards.map(({ serial_number }) => serial_number),
    ...document.psus.map(({ serial_number }) => serial_number),
  ];
  const texts = all.flatMap((serial) => (serial === null ? [] : [normaliseSerial(serial).replaceAll('\n', ' ')]));
  return [...new Set(texts.filter((serial) => serial !== ''))].sort().join('\n');
}

async function writeDocuments(
  db: Db,
  changes: readonly MinerChange[],
  rowIds: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = changes.flatMap(({ id, record }) => {
    const row_id = rowIds.get(id);
    if (row_id === undefined) return [];
    const { abilities } = record;
    const { mining_mode_reported, ...extras } = record.extras;
    // Null as v2 serves it; v1, where it is a required text, puts `normal` there.
    const document = mining_mode_reported === false ? { ...record.document, mining_mode: null } : record.document;
    return [
      {
        row_id,
        document: JSON.stringify(document),
        extras: JSON.stringify(extras),
        abilities: JSON.stringify(abilities),
      },
    ];
  });
  for (const part of chunks(rows)) {
    await db
      .insertInto('miner_documents')
      .values(part)
      .onConflict((conflict) =>
        conflict.column('row_id').doUpdateSet((eb) => ({
          document: eb.ref('excluded.document'),
          extras: eb.ref('excluded.extras'),
          abilities: eb.ref('excluded.abilities'),
        })),
      )
      .execute();
  }
}

async function writeSerials(
  db: Db,
  farmId: string,
  written: readonly {
    readonly known: KnownMiner | undefined;
    readonly row: { readonly id: string; readonly serials: string };
  }[],
  rowIds: ReadonlyMap<string, number>,
): Promise<void> {
  const changed = written.flatMap(({ known, row: { id, serials } }) => {
    const row_id = rowIds.get(id);
    if (row_id === undefined || known?.serials === serials) return [];
    return [{ row_id, serials: serials === '' ? [] : serials.split('\n'), isNew: known === undefined }];
  });
  for (const part of chunks(changed.filter(({ isNew }) => !isNew))) {
    const owners = part.map(({ row_id }) => row_id);
    await db.deleteFrom('miner_serials').where('row_id', 'in', owners).execute();
  }
  const rows = changed.flatMap(({ row_id, serials }) => serials.map((serial) => ({ row_id, farm_id: farmId, serial })));
  for (const part of chunks(rows)) await db.insertInto('miner_serials').values(part).execute();
}

/** A miner that a report may have changed, and the report if it was stored. */
export type ChangedMiner = {
  readonly rowId: number;
  /** `report` = its name. */
  readonly stored?: { readonly report: string; readonly reported: ReportedMiner };
};

/** By which two reports of a miner differ. */
export const reportName = (order: number, reportedAtMs: number, agentId: string | null): string =>
  `${order} ${reportedAtMs} ${agentId}`;

/** `rowIds` = of the miners by their ids, also of those whose report was not stored. */
export function changedMiners(
  { order, agentId }: { readonly order: number; readonly agentId: string },
  changes: readonly MinerChange[],
  rowIds: ReadonlyMap<string, number>,
): readonly ChangedMiner[] {
  const stored = new Map(
    changes.map(({ id, record, reportedAtMs }) => [
      id,
      { report: reportName(order, reportedAtMs, agentId), reported: record },
    ]),
  );
  return [...rowIds].map(([id, rowId]) => {
    const report = stored.get(id);
    return report === undefined ? { rowId } : { rowId, stored: report };
  });
}
