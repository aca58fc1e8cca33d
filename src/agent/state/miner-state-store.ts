// Keeps one JSON state per miner for the next run. Urgent states are written within a second, the others now and then
// and at a clean stop. The samples themselves are in the outbox.
import type { DatabaseSync } from 'node:sqlite';
import type { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { type Migrations, transact } from '../../base/storage/sqlite.ts';
import { parseJson } from '../../wire/frames.ts';

export const minerStateMigrations: Migrations = {
  owner: 'miner-state',
  steps: [
    'CREATE TABLE miner_state (key TEXT PRIMARY KEY, saved_ms INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID',
  ],
};

/** A state on disk is at most this much older than the newest one of its miner, unless that was urgent. */
export const MAX_STATE_AGE_MS = 15 * 60_000;
const BATCH = 250;

export type MinerStateStore<State> = {
  /** The states of earlier runs by miner key. What `schema` does not accept is left out. */
  load(): Promise<Map<string, State>>;
  /** Keeps the state in memory, to be written soon when `isUrgent`, else when its time comes. */
  note(key: string, state: State, isUrgent: boolean): void;
  /** Writes some of what is due. To be called every second or so. */
  writeDue(): Promise<void>;
  /** Writes everything, for a clean stop. */
  writeAll(): Promise<void>;
};

export function createMinerStateStore<State>(
  db: DatabaseSync,
  clock: Clock,
  schema: z.ZodType<State>,
): MinerStateStore<State> {
  const rows = db.prepare('SELECT key, body FROM miner_state');
  const upsert = db.prepare(
    'INSERT INTO miner_state VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET saved_ms = excluded.saved_ms, body = excluded.body',
  );
  const noted = new Map<string, State>();
  const urgent = new Set<string>();
  const savedMs = new Map<string, number>();

  const write = (keys: readonly string[]) => {
    transact(db, () => {
      for (const key of keys) upsert.run(key, clock.nowMs(), JSON.stringify(noted.get(key)));
    });
    for (const key of keys) {
      savedMs.set(key, clock.monotonicMs());
      noted.delete(key);
      urgent.delete(key);
    }
  };

  return {
    async load() {
      const loaded = new Map<string, State>();
      for (const { key, body } of rows.iterate()) {
        const parsed = schema.safeParse(parseJson(String(body)));
        if (typeof key === 'string' && parsed.success) loaded.set(key, parsed.data);
      }
      return loaded;
    },
    note(key, state, isUrgent) {
      noted.set(key, state);
      if (isUrgent || !savedMs.has(key)) urgent.add(key);
    },
    async writeDue() {
      const nowMs = clock.monotonicMs();
      const isDue = (key: string) => urgent.has(key) || nowMs - (savedMs.get(key) ?? 0) >= MAX_STATE_AGE_MS;
      const due = [...noted.keys()].filter(isDue);
      if (due.length > 0) write(due.slice(0, BATCH));
    },
    async writeAll() {
      while (noted.size > 0) write([...noted.keys()].slice(0, BATCH));
    },
  };
}
