// The audit trail of the service: appends what was done, in the transaction that did it, and lists it. On PostgreSQL
// the trail is one for all copies. Checking it is check.ts.
import { ConfigError } from '../../../base/errors.ts';
import {
  type ChainEntry,
  type ChainHead,
  type ChainKey,
  EMPTY_HEAD,
  headOf,
  isSignedHead,
  nextEntry,
} from '../../../base/storage/hash-chain.ts';
import { type AuditFields, canonicalText, SYSTEM, toFields } from '../../../model/audit/entry.ts';
import type { AppendAudit, Databases, Lock, ServiceAct } from '../databases.ts';
import { chunks } from '../rows.ts';
import type { Db, Row } from '../schema.ts';

export type AuditEntry = AuditFields & Pick<ChainHead, 'seq' | 'hash'>;

/** Absent: of any. */
export type AuditQuery = {
  readonly workspaceId?: string | undefined;
  /** Which comes first. */
  readonly order?: 'oldest' | 'newest' | undefined;
  /** The entries that follow this one in that order. */
  readonly afterSeq?: number | undefined;
  readonly sinceMs?: number | undefined;
  readonly limit: number;
};

export type AuditStore = ReturnType<typeof createAuditStore>;

/** `isBeside` = another process is the service: only that one begins to sign, or goes on with another key. */
export const appender =
  (lock: Lock, ownKey: ChainKey | undefined, { isBeside }: { readonly isBeside: boolean }): AppendAudit =>
  async (trx, acts) => {
    const [first] = acts;
    if (first === undefined) return;
    const head = await holdHead(trx, lock);
    const isKeyLost = acts.some(({ action, detail }) => action === 'signing_key.replaced' && detail?.isLost === true);
    if (!isKeyLost) mustHaveKey(head, ownKey, isBeside);
    const key = isBeside && !isKeyLost && head.seq > 0 && head.keyId === null ? undefined : ownKey;
    const rows: Row<'audit_entries'>[] = [];
    let last: Pick<ChainHead, 'seq' | 'hash'> = head;
    for (const act of [...aboutKey(head, key, first.atMs), ...acts]) {
      const fields = toFields(act);
      const entry = nextEntry(last, canonicalText(fields), key);
      rows.push(toRow(fields, entry));
      last = entry;
    }
    for (const part of chunks(rows)) await trx.insertInto('audit_entries').values(part).execute();
    await writeHead(trx, headOf(last, key));
  };

function mustHaveKey({ keyId }: ChainHead, key: ChainKey | undefined, isBeside: boolean): void {
  if (keyId === null || keyId === key?.id || (key !== undefined && !isBeside)) return;
  throw new ConfigError('write the audit trail', [
    {
      path: 'credentials.keyFile',
      message: `the trail is signed with the key ${keyId}, which is not here: run this as root or the user of the service, with its configuration (--config)`,
    },
  ]);
}

/** What has to be said first: that the head was changed by hand, or that the trail goes on with another key. */
function aboutKey(head: ChainHead, key: ChainKey | undefined, atMs: number): ServiceAct[] {
  if (head.seq === 0) return [];
  const is = key?.id ?? null;
  const about = { actor: SYSTEM, atMs, detail: { head: `${head.seq}:${head.hash}`, was: head.keyId, is } };
  if (head.keyId !== is) return [{ action: 'trail.key_changed', ...about }];
  return key === undefined || isSignedHead(head, key) ? [] : [{ action: 'trail.damaged', ...about }];
}

const toRow = (fields: AuditFields, { seq, previous, hash, keyId: key_id, mac }: ChainEntry): Row<'audit_entries'> => ({
  ...{ seq, ...fields, previous, hash, key_id, mac },
});

export async function readHead(db: Db): Promise<ChainHead> {
  const row = await db.selectFrom('audit_head').selectAll().where('one', '=', 1).executeTakeFirst();
  return row === undefined ? EMPTY_HEAD : toHead(row);
}

const toHead = (row: Row<'audit_head'>): ChainHead => ({
  ...{ seq: row.seq, hash: row.hash, keyId: row.key_id, mac: row.mac },
});

/** The head, which no other transaction changes until this one ends: one statement holds the row and reads it. */
async function holdHead(trx: Db, lock: Lock): Promise<ChainHead> {
  const hold = () =>
    trx
      .updateTable('audit_head')
      .set((eb) => ({ seq: eb.ref('seq') }))
      .where('one', '=', 1)
      .returningAll()
      .executeTakeFirst();
  const row = await hold();
  if (row !== undefined) return toHead(row);
  // The very first entry of this database.
  await lock(trx, 'audit');
  const { seq, hash, keyId: key_id, mac } = EMPTY_HEAD;
  await trx
    .insertInto('audit_head')
    .values({ one: 1, seq, hash, key_id, mac })
    .onConflict((conflict) => conflict.column('one').doNothing())
    .execute();
  const made = await hold();
  return made === undefined ? EMPTY_HEAD : toHead(made);
}

async function writeHead(trx: Db, { seq, hash, keyId: key_id, mac }: ChainHead): Promise<void> {
  await trx.updateTable('audit_head').set({ seq, hash, key_id, mac }).where('one', '=', 1).execute();
}

const COLUMNS = [
  ...(['seq', 'at', 'action', 'actor_type', 'actor_id', 'actor_name'] as const),
  ...(['workspace_id', 'subject', 'detail', 'hash'] as const),
];

export function createAuditStore({ read, transact }: Databases, append: AppendAudit) {
  return {
    head: () => readHead(read),
    /** In a transaction of its own, for what changes nothing else in the database. */
    record: (acts: readonly ServiceAct[]): Promise<void> => transact((trx) => append(trx, acts)),
    async list({
      workspaceId,
      order = 'oldest',
      afterSeq,
      sinceMs,
      limit,
    }: AuditQuery): Promise<readonly AuditEntry[]> {
      const isNewestFirst = order === 'newest';
      let wanted = read.selectFrom('audit_entries').select(COLUMNS);
      if (afterSeq !== undefined) wanted = wanted.where('seq', isNewestFirst ? '<' : '>', afterSeq);
      if (workspaceId !== undefined) wanted = wanted.where('workspace_id', '=', workspaceId);
      if (sinceMs !== undefined) wanted = wanted.where('at', '>=', sinceMs);
      return wanted
        .orderBy('seq', isNewestFirst ? 'desc' : 'asc')
        .limit(limit)
        .execute();
    },
    /** The newest of them, the oldest first. */
    async listNewest({ sinceMs, limit }: { sinceMs: number; limit: number }): Promise<readonly AuditEntry[]> {
      const newest = read.selectFrom('audit_entries').select(COLUMNS).where('at', '>=', sinceMs);
      return (await newest.orderBy('seq', 'desc').limit(limit).execute()).toReversed();
    },
    /**
     * The start of a copy of the service, with the settings that are others than at its last start. `settings` are
     * digests by name.
     */
    recordStart: (start: ServiceStart): Promise<void> =>
      transact(async (trx) => {
        const before = await swapSettings(trx, start);
        const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(start.settings)])].toSorted();
        const changed = before === undefined ? null : names.filter((name) => before[name] !== start.settings[name]);
        const { copy, version, configuration, atMs } = start;
        const detail = { copy, version, configuration, changed };
        await append(trx, [{ action: 'service.started', actor: SYSTEM, detail, atMs }]);
      }),
  };
}

export type ServiceStart = {
  /** Names the copy of the service: its host. */
  readonly copy: string;
  readonly version: string;
  /** Digest of the whole configuration, and of each setting. */
  readonly configuration: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly atMs: number;
};

/** Gives those of the last start; undefined where there was none. */
async function swapSettings(db: Db, { copy, settings, atMs }: ServiceStart) {
  const row = await db.selectFrom('audit_settings').select('settings').where('copy', '=', copy).executeTakeFirst();
  const next = { settings: JSON.stringify(settings), started_at: atMs };
  await db
    .insertInto('audit_settings')
    .values({ copy, ...next })
    .onConflict((conflict) => conflict.column('copy').doUpdateSet(next))
    .execute();
  if (row === undefined) return undefined;
  const before: Readonly<Record<string, unknown>> = JSON.parse(row.settings);
  return before;
}
