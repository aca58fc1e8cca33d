// Reads and checks the audit trail of an agent beside the running agent, from its database file. It writes nothing.
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import {
  type ChainHead,
  type ChainProblem,
  type ChainVerdict,
  chainKeyOf,
  createChainCheck,
  FULL_CHAIN,
} from '../../base/storage/hash-chain.ts';
import type { Vault } from '../../base/storage/vault.ts';
import { canonicalText } from '../../model/audit/entry.ts';
import { readTrailHead } from './audit-trail.ts';

const rowSchema = z.object({
  seq: z.int(),
  at: z.int(),
  action: z.string(),
  actor_type: z.string(),
  actor_id: z.string(),
  actor_name: z.string(),
  workspace_id: z.string().nullable(),
  subject: z.string(),
  detail: z.string(),
  previous: z.string(),
  hash: z.string(),
  key_id: z.string().nullable(),
  mac: z.string().nullable(),
});
export type AgentTrailRow = z.output<typeof rowSchema>;
const subjectSchema = z.object({ agent: z.string() });
const startSchema = z.object({ through: z.int(), hash: z.string() });

const open = (path: string) => new DatabaseSync(path, { readOnly: true, timeout: 5_000 });

/** The newest of them, the oldest first. */
export function listAgentTrail(path: string, { sinceMs, limit }: { sinceMs: number; limit: number }): AgentTrailRow[] {
  using db = open(path);
  const rows = db.prepare('SELECT * FROM audit_entries WHERE at >= ? ORDER BY seq DESC LIMIT ?').all(sinceMs, limit);
  return rows.map((row) => rowSchema.parse(row)).toReversed();
}

/** In one snapshot of the file. `noted` = a head that a person kept: that entry must be there, as it was. */
export function checkAgentTrail(
  path: string,
  vault: Vault | undefined,
  noted?: Pick<ChainHead, 'seq' | 'hash'>,
): ChainVerdict {
  using db = open(path);
  db.exec('BEGIN');
  const start = findStart(db);
  const check = createChainCheck(start, chainKeyOf(vault));
  let notedHash = noted?.seq === start.seq ? start.hash : undefined;
  let damaged: ChainProblem | undefined;
  for (const found of db.prepare('SELECT * FROM audit_entries ORDER BY seq').iterate()) {
    const row = rowSchema.parse(found);
    if (!check.take({ ...row, text: canonicalText(row), keyId: row.key_id })) break;
    if (row.seq === noted?.seq) notedHash = row.hash;
    if (row.action === 'trail.damaged')
      damaged ??= { seq: row.seq, fault: 'head', text: `the end before entry ${row.seq} may have been cut` };
  }
  const verdict = check.end(readTrailHead(db));
  const isNoted = noted === undefined || noted.seq < start.seq || notedHash === noted.hash;
  const other: ChainProblem | undefined = isNoted
    ? undefined
    : { seq: noted.seq, fault: 'cut', text: `entry ${noted.seq} is not there as it was noted` };
  return { ...verdict, problem: verdict.problem ?? damaged ?? other };
}

/** Under which ids this agent reports, as its trail says. */
export function enrolledIds(path: string): readonly string[] {
  using db = open(path);
  const rows = db.prepare("SELECT DISTINCT subject FROM audit_entries WHERE action = 'agent.enrolled'").all();
  return rows.flatMap(({ subject }) => subjectSchema.safeParse(JSON.parse(String(subject))).data?.agent ?? []);
}

function findStart(db: DatabaseSync) {
  const row = db
    .prepare("SELECT detail FROM audit_entries WHERE action = 'trail.pruned' ORDER BY seq DESC LIMIT 1")
    .get();
  if (row === undefined) return FULL_CHAIN;
  const found = startSchema.safeParse(JSON.parse(String(row.detail))).data;
  return found === undefined ? FULL_CHAIN : { seq: found.through, hash: found.hash };
}
