// What people decided about devices, kept until the agent has it in its audit trail: commands decide beside the agent,
// also while it does not run, and only the agent writes its trail.
import { z } from 'zod';
import type { Clock } from '../../../../base/clock.ts';
import type { Statements } from '../../../../base/storage/sqlite.ts';
import type { TrustDatabase } from './trust-database.ts';

/** Kept while no agent takes them. */
const MOST = 1_000;
/** Addresses that one names. */
const MAX_NAMED = 40;

const WHAT = ['accepted', 'forgotten', 'retried'] as const;
const rowSchema = z.object({
  id: z.int(),
  at: z.int(),
  what: z.enum(WHAT),
  by: z.string(),
  detail: z.string().transform((text) => z.record(z.string(), z.unknown()).parse(JSON.parse(text))),
});
/** `by` = the user of the operating system; `detail` = addresses, how many devices, and as what. */
export type Decision = z.output<typeof rowSchema>;

type Named = readonly { readonly ip: string }[];

/** Part of the write that carries it out; `by` undefined = no person decided. */
export function noteDecision(
  db: Statements,
  { at, what, by }: Pick<Decision, 'at' | 'what'> & { readonly by: string | undefined },
  devices: Named,
  as?: string,
): void {
  if (by === undefined) return;
  const addresses = [...new Set(devices.map(({ ip }) => ip))];
  if (addresses.length === 0) return;
  const detail = {
    count: addresses.length,
    addresses: addresses.slice(0, MAX_NAMED),
    ...(as === undefined ? {} : { as }),
  };
  db.prepare('INSERT INTO decision (at, what, by, detail) VALUES (?, ?, ?, ?)').run(
    ...[Math.round(at), what, by, JSON.stringify(detail)],
  );
  db.prepare('DELETE FROM decision WHERE id <= (SELECT max(id) FROM decision) - ?').run(MOST);
}

export const decisionsIn = (database: TrustDatabase, clock: Pick<Clock, 'nowMs'>) => ({
  /** A login that was refused is tried again. */
  noteRetry: (devices: Named, by: string) =>
    database.write((db) => noteDecision(db, { at: clock.nowMs(), what: 'retried', by }, devices)),
  /** Those that no agent has taken, the oldest first. */
  all: (): readonly Decision[] =>
    database.read(
      (db) =>
        db
          .prepare('SELECT * FROM decision ORDER BY id')
          .all()
          .map((row) => rowSchema.parse(row)),
      [],
    ),
  /** They are in the audit trail, up to this one. */
  taken: (id: number) => database.write((db) => void db.prepare('DELETE FROM decision WHERE id <= ?').run(id)),
});
