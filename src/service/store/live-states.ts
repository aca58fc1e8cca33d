// Live states: states of miners that an agent sends from memory while its disk takes nothing. They are shown and not
// kept: they make no history and no cursor, and no events but those of flags that they raise or clear. Stored states
// replace them later, except those that waited on the agent while newer ones were shown.
import type { MinerRecord, ReportRecord } from '../../wire/records.ts';
import type { Databases } from './databases.ts';
import { appendEvents, type NewEvent } from './events/append.ts';
import { admitEvents } from './events/quota.ts';
import type { ChangedMiner } from './miners/miner-write.ts';
import type { Db } from './schema.ts';
import { requireRunning } from './tenants/tenants.ts';

type LiveReport = {
  readonly agentId: string;
  readonly farmId: string;
  readonly instanceId: string;
  /** Newer than every slice that is written, older than every other one; see outbox-order.ts. */
  readonly order: number;
  /** Slices up to this order may hold states that are older than these. */
  readonly through: number;
  /** Why the agent keeps nothing; null = it does again. */
  readonly fault: string | null;
  /** Those that are no states of miners are left out. Times by our clock. */
  readonly records: readonly ReportRecord[];
  readonly nowMs: number;
};

export type LiveStore = {
  /** Throws RefusedError `farm.archived`. */
  showLive(report: LiveReport): Promise<LiveOutcome>;
};

/** Whether the disk of the agent was known to be so before; rows of miners that may have changed. */
export type LiveOutcome = { readonly disk: 'failed' | 'recovered' | 'same'; readonly changed: readonly ChangedMiner[] };

type Shown = { readonly events: readonly NewEvent[]; readonly changed: readonly ChangedMiner[] };
const NONE: Shown = { events: [], changed: [] };

type Show = (
  db: Db,
  origin: {
    agentId: string;
    farmId: string;
    epoch: string;
    seq: number;
    order: number;
    unkeptThrough: number;
    nowMs: number;
  },
  records: readonly MinerRecord[],
) => Promise<Shown>;

export function createLiveStore({ transact, lock }: Pick<Databases, 'transact' | 'lock'>, show: Show): LiveStore {
  return {
    showLive: (report) =>
      transact(async (trx) => {
        const { agentId, farmId, instanceId, order, through, nowMs } = report;
        await lock(trx, `uplink ${agentId}`);
        await requireRunning(trx, farmId);
        const records = report.records.filter((record) => record.kind === 'miner');
        const origin = { agentId, farmId, epoch: instanceId, seq: 0, order, unkeptThrough: through, nowMs };
        const shown = records.length === 0 ? NONE : await show(trx, origin, records);
        const { outcome, events } = await noteFault(trx, report);
        // Its reason may be another one each time.
        const { admitted } = await admitEvents(trx, report, events);
        await appendEvents(trx, [...shown.events, ...admitted]);
        return { disk: outcome, changed: shown.changed };
      }),
  };
}

async function noteFault(
  db: Db,
  { agentId, farmId, fault, nowMs }: LiveReport,
): Promise<{ outcome: 'failed' | 'recovered' | 'same'; events: NewEvent[] }> {
  const before = await db.selectFrom('agents').select('storage_fault').where('id', '=', agentId).executeTakeFirst();
  const known = before?.storage_fault ?? null;
  if (known === fault) return { outcome: 'same', events: [] };
  const since = fault === null ? null : nowMs;
  await db
    .updateTable('agents')
    .set({ storage_fault: fault, ...(known === null || fault === null ? { storage_fault_at: since } : {}) })
    .where('id', '=', agentId)
    .execute();
  const about = { farmId, agentId, minerId: null, atMs: nowMs };
  return fault === null
    ? { outcome: 'recovered', events: [{ ...about, type: 'storage_recovered', detail: { reason: known } }] }
    : { outcome: 'failed', events: [{ ...about, type: 'storage_failed', detail: { reason: fault } }] };
}
