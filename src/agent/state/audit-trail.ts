// The audit trail of the agent: who did what on this site, a chain of hashes in the agent's own database. An entry is
// written in the transaction of its act where there is one. Checking it is audit-check.ts.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import {
  type ChainEntry,
  type ChainHead,
  type ChainKey,
  chainKeyOf,
  EMPTY_HEAD,
  headOf,
  isSignedHead,
  nextEntry,
} from '../../base/storage/hash-chain.ts';
import { type Migrations, type Statements, transact } from '../../base/storage/sqlite.ts';
import type { Vault } from '../../base/storage/vault.ts';
import type { AgentAction } from '../../model/audit/actions.data.ts';
import { type AuditAct, canonicalText, toFields } from '../../model/audit/entry.ts';

export const auditMigrations: Migrations = {
  owner: 'audit',
  steps: [
    `CREATE TABLE audit_entries (
       seq INTEGER PRIMARY KEY,
       at INTEGER NOT NULL,
       action TEXT NOT NULL,
       actor_type TEXT NOT NULL,
       actor_id TEXT NOT NULL,
       actor_name TEXT NOT NULL,
       workspace_id TEXT,
       subject TEXT NOT NULL,
       detail TEXT NOT NULL,
       previous TEXT NOT NULL,
       hash TEXT NOT NULL,
       key_id TEXT,
       mac TEXT
     ) STRICT;
     CREATE INDEX audit_entries_action ON audit_entries (action, seq);
     CREATE TABLE audit_head (one INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, key_id TEXT, mac TEXT) STRICT;`,
  ],
};

export type AgentAct = Omit<AuditAct<AgentAction>, 'atMs'>;
export type AuditTrail = ReturnType<typeof openAuditTrail>;

const AGENT = { type: 'agent', id: 'agent', name: 'agent' } as const;
const KEPT_MS = 400 * 86_400_000;
/** About 200 MB. */
const MOST_ENTRIES = 400_000;
/** Entries between two looks at what is too old. */
const PRUNE_EVERY = 1_000;

const headSchema = z.object({
  seq: z.int(),
  hash: z.string(),
  keyId: z.string().nullable(),
  mac: z.string().nullable(),
});
const startSchema = z.object({ seq: z.int(), hash: z.string() });

export const readTrailHead = (db: Statements): ChainHead => {
  const row = db.prepare('SELECT seq, hash, key_id AS keyId, mac FROM audit_head WHERE one = 1').get();
  return row === undefined ? EMPTY_HEAD : headSchema.parse(row);
};

/** `nowMs` = wall time. Without a vault the entries are not signed. */
export function openAuditTrail(db: DatabaseSync, { nowMs, vault }: { nowMs: () => number; vault: Vault | undefined }) {
  const key = chainKeyOf(vault);
  const statements = prepared(db);
  const append = (acts: readonly AgentAct[]) => {
    const head = readTrailHead(db);
    let last: Pick<ChainHead, 'seq' | 'hash'> = head;
    for (const act of [...aboutKey(head, key), ...acts]) last = statements.insert(last, act, Math.round(nowMs()), key);
    statements.setHead(headOf(last, key));
    return last.seq;
  };
  const prune = (newest: number) => {
    const found = statements.lastBefore(Math.round(nowMs()) - KEPT_MS, newest - MOST_ENTRIES);
    if (found === undefined) return;
    statements.remove(found.seq);
    append([{ action: 'trail.pruned', actor: AGENT, detail: { through: found.seq, hash: found.hash } }]);
  };
  return {
    /** The newest entry; `seq` 0 = there is none. */
    head: (): Pick<ChainHead, 'seq' | 'hash'> => {
      const { seq, hash } = readTrailHead(db);
      return { seq, hash };
    },
    /** In the transaction that runs, else in one of its own. Throws what the database throws. */
    record(acts: readonly AgentAct[]): void {
      if (acts.length === 0) return;
      const write = () => {
        const newest = append(acts);
        if (Math.floor(newest / PRUNE_EVERY) > Math.floor((newest - acts.length) / PRUNE_EVERY)) prune(newest);
      };
      if (db.isTransaction) write();
      else transact(db, write);
    },
    /** The start of the agent. Services that are new, and another version of the program, have their own entries. */
    recordStart(version: string, services: readonly { readonly agentId: string; readonly name: string }[]): void {
      const before = statements.lastVersion();
      const fresh = services.filter(({ agentId }) => !statements.hasEnrolled(agentId));
      this.record([
        ...(before !== undefined && before !== version
          ? [{ action: 'update.installed', actor: AGENT, detail: { from: before, to: version } } as const]
          : []),
        { action: 'agent.started', actor: AGENT, detail: { version } },
        ...fresh.map(
          ({ agentId, name }) =>
            ({
              action: 'agent.enrolled',
              actor: AGENT,
              subject: { agent: agentId },
              detail: { service: name },
            }) as const,
        ),
      ]);
    },
  };
}

/** What has to be said first: that the head was changed by hand, or that the trail goes on with another key. */
function aboutKey(head: ChainHead, key: ChainKey | undefined): AgentAct[] {
  if (head.seq === 0) return [];
  const is = key?.id ?? null;
  const about = { actor: AGENT, detail: { head: `${head.seq}:${head.hash}`, was: head.keyId, is } };
  if (head.keyId !== is) return [{ action: 'trail.key_changed', ...about }];
  return key === undefined || isSignedHead(head, key) ? [] : [{ action: 'trail.damaged', ...about }];
}

function prepared(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT INTO audit_entries (seq, at, action, actor_type, actor_id, actor_name, workspace_id, subject, detail, previous, hash, key_id, mac)
     VALUES (:seq, :at, :action, :actor_type, :actor_id, :actor_name, :workspace_id, :subject, :detail, :previous, :hash, :key_id, :mac)`,
  );
  const setHead = db.prepare('INSERT OR REPLACE INTO audit_head (one, seq, hash, key_id, mac) VALUES (1, ?, ?, ?, ?)');
  const enrolled = db.prepare("SELECT 1 FROM audit_entries WHERE action = 'agent.enrolled' AND subject = ?");
  const version = db.prepare(
    "SELECT detail ->> 'version' AS version FROM audit_entries WHERE action = 'agent.started' ORDER BY seq DESC LIMIT 1",
  );
  const lastBefore = db.prepare('SELECT seq, hash FROM audit_entries WHERE seq <= ? ORDER BY seq DESC LIMIT 1');
  const firstFresh = db.prepare('SELECT seq, hash FROM audit_entries WHERE at > ? ORDER BY seq LIMIT 1');
  const remove = db.prepare('DELETE FROM audit_entries WHERE seq <= ?');
  return {
    insert(last: Pick<ChainHead, 'seq' | 'hash'>, act: AgentAct, atMs: number, key: ChainKey | undefined): ChainEntry {
      const fields = toFields({ ...act, atMs });
      const entry = nextEntry(last, canonicalText(fields), key);
      const { seq, previous, hash, keyId: key_id, mac } = entry;
      insert.run({ ...fields, seq, previous, hash, key_id, mac });
      return entry;
    },
    setHead: ({ seq, hash, keyId, mac }: ChainHead): void => void setHead.run(seq, hash, keyId, mac),
    hasEnrolled: (agentId: string): boolean => enrolled.get(JSON.stringify({ agent: agentId })) !== undefined,
    lastVersion: (): string | undefined => z.object({ version: z.string() }).safeParse(version.get()).data?.version,
    /** The newest entry that may go: all before the first that is young enough, and what is beyond the bound. */
    lastBefore(oldMs: number, beyond: number) {
      const fresh = startSchema.safeParse(firstFresh.get(oldMs)).data;
      const through = Math.max(fresh === undefined ? 0 : fresh.seq - 1, beyond);
      return startSchema.safeParse(lastBefore.get(through)).data;
    },
    remove: (through: number): void => void remove.run(through),
  };
}
