// The open findings on disk, so that a restart neither reports them twice nor forgets to say that they are over.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Migrations } from '../../../base/storage/sqlite.ts';
import type { Finding } from '../../../model/findings/findings.ts';
import { SEVERITIES } from '../anomaly/state.ts';
import type { Spell } from './silence.ts';

export const outageMigrations: Migrations = {
  owner: 'outages',
  steps: ['CREATE TABLE outages (key TEXT NOT NULL PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID'],
};

/** `finding` as it was when it had most miners. */
export type OpenOutage = {
  readonly finding: Finding;
  readonly spell: Spell | undefined;
  /** The services know of it. */
  readonly isReported: boolean;
};

const storedSchema = z.object({
  finding: z.object({
    key: z.string(),
    kind: z.enum(['pool', 'contact']),
    title: z.string(),
    severity: z.enum(SEVERITIES),
    sinceMs: z.number(),
    minerCount: z.int(),
    of: z.int(),
    sample: z.array(z.string()),
  }),
  spell: z.object({ sinceMs: z.number(), untilMs: z.number() }).exactOptional(),
});

/** Nothing here throws: what cannot be written is at worst reported again after a restart. */
export function openOutageStore(db: DatabaseSync, log: Log) {
  const upsert = db.prepare('INSERT INTO outages VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET state = excluded.state');
  const remove = db.prepare('DELETE FROM outages WHERE key = ?');
  const guarded = (step: () => void) => {
    try {
      step();
    } catch (error) {
      log.error({ cause: renderError(error) }, 'keep what many miners suffer from together');
    }
  };
  return {
    /** By key. */
    load(): Map<string, OpenOutage> {
      const open = new Map<string, OpenOutage>();
      for (const { state } of db.prepare('SELECT state FROM outages').all()) {
        const stored = typeof state === 'string' ? storedSchema.safeParse(JSON.parse(state)).data : undefined;
        if (stored !== undefined)
          open.set(stored.finding.key, { finding: stored.finding, spell: stored.spell, isReported: true });
      }
      return open;
    },
    put: ({ finding, spell }: OpenOutage): void =>
      guarded(() => void upsert.run(finding.key, JSON.stringify({ finding, spell }))),
    remove: (key: string): void => guarded(() => void remove.run(key)),
  };
}
