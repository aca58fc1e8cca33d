// What scan tasks found at each address that is not silent: kept for a while, so that a person who was not there when
// it was found can look at it. Counts of all addresses are in the evidence of the task.
import { z } from 'zod';
import { formatIpv4, parseIpv4 } from '../../../base/net/ipv4.ts';
import { CONTACT_STATUSES, type ContactStatus } from '../../../model/contact.ts';
import type { Scanned, ScanRecord } from '../../../wire/records.ts';
import { chunks, countAll, type Window } from '../rows.ts';
import type { Db, Row } from '../schema.ts';

/** Of one scan: a hostile agent cannot fill the database. An agent reports no more either. */
export const MOST_KEPT = 65_536;

/** Keeps those of scans of this agent; others are left out. A later record of an address replaces the earlier one. */
export async function storeScanned(db: Db, agentId: string, records: readonly ScanRecord[]): Promise<void> {
  for (const { task_id: taskId, at, addresses } of records) {
    const task = await db
      .selectFrom('tasks')
      .select('id')
      .where('id', '=', taskId)
      .where('agent_id', '=', agentId)
      .where('name', '=', 'agent.scan.create')
      .executeTakeFirst();
    if (task === undefined) continue;
    const kept = await countAll(db.selectFrom('scan_addresses').where('task_id', '=', taskId));
    const room = MOST_KEPT - kept;
    const rows = addresses.slice(0, room).flatMap(({ ip, status, driver, model, advice }) => {
      const ipNum = parseIpv4(ip);
      return ipNum === undefined
        ? []
        : [{ task_id: taskId, ip_num: ipNum, status, driver, model, advice, at: Date.parse(at) }];
    });
    // One statement may name an address once.
    const once = [...new Map(rows.map((row) => [row.ip_num, row])).values()];
    for (const part of chunks(once))
      await db
        .insertInto('scan_addresses')
        .values(part)
        .onConflict((conflict) =>
          conflict.columns(['task_id', 'ip_num']).doUpdateSet((eb) => ({
            status: eb.ref('excluded.status'),
            driver: eb.ref('excluded.driver'),
            model: eb.ref('excluded.model'),
            advice: eb.ref('excluded.advice'),
            at: eb.ref('excluded.at'),
          })),
        )
        .execute();
  }
}

/** `minerId` = the miner that stands there now; `isNew` = it was registered after the scan was asked for. */
export type ScannedAddress = Scanned & {
  readonly atMs: number;
  readonly minerId: string | null;
  readonly isNew: boolean;
};

export type ScannedQuery = {
  readonly farmId: string;
  readonly taskId: string;
  readonly statuses: readonly ContactStatus[] | undefined;
  readonly window: Window;
};

export function createScannedStore(read: Db) {
  return {
    /** In the order of addresses; undefined when the farm has no such scan. */
    async list({ farmId, taskId, statuses, window }: ScannedQuery) {
      const task = await read
        .selectFrom('tasks')
        .innerJoin('task_batches', 'task_batches.id', 'tasks.batch_id')
        .select(['tasks.created_at', 'tasks.agent_id'])
        .where('tasks.id', '=', taskId)
        .where('tasks.name', '=', 'agent.scan.create')
        .where('task_batches.farm_id', '=', farmId)
        .executeTakeFirst();
      if (task === undefined) return undefined;
      const found = read
        .selectFrom('scan_addresses')
        .where('task_id', '=', taskId)
        .$if(statuses !== undefined, (query) => query.where('scan_addresses.status', 'in', statuses ?? []));
      const total = await countAll(found);
      const rows = await found
        .select(['ip_num', 'status', 'driver', 'model', 'advice', 'at'])
        .orderBy('ip_num')
        .offset(window.offset)
        .limit(window.limit)
        .execute();
      const miners = await minersAt(read, farmId, task.agent_id, rows);
      return { total, addresses: rows.map((row) => toAddress(row, miners.get(row.ip_num), task.created_at)) };
    },
  };
}

type MinerThere = { readonly id: string; readonly created_at: number };

/** By address: of several miners that were reported there the one that was reported last. */
async function minersAt(db: Db, farmId: string, agentId: string, rows: readonly { readonly ip_num: number }[]) {
  const found = new Map<number, MinerThere>();
  for (const part of chunks(rows)) {
    const miners = await db
      .selectFrom('miners')
      .select(['id', 'ip_num', 'created_at'])
      .where('farm_id', '=', farmId)
      .where('agent_id', '=', agentId)
      .where(
        'ip_num',
        'in',
        part.map(({ ip_num }) => ip_num),
      )
      .orderBy('reported_at')
      .execute();
    for (const { ip_num, ...miner } of miners) found.set(ip_num, miner);
  }
  return found;
}

const statusSchema = z.enum(CONTACT_STATUSES);

type AddressRow = Row<'scan_addresses'>;

function toAddress(
  { ip_num, at, status, driver, model, advice }: Omit<AddressRow, 'task_id'>,
  miner: MinerThere | undefined,
  askedAtMs: number,
): ScannedAddress {
  return {
    ...{ ip: formatIpv4(ip_num), status: statusSchema.parse(status), driver, model, advice, atMs: at },
    minerId: miner?.id ?? null,
    isNew: miner !== undefined && miner.created_at >= askedAtMs,
  };
}
