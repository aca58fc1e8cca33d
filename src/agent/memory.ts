// What a restart must not forget of each miner: the judgement of its flags and the values it last reported. Written when its flags move, now and then
// otherwise, and at a clean stop: the samples themselves are in the outbox, so this need not be fresh to the minute.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { type Migrations, transact } from '../base/storage/sqlite.ts';
import { type MinerDocument, type MinerExtras, minerDocumentSchema, minerExtrasSchema } from '../model/miner.ts';
import { parseJson } from '../wire/frames.ts';
import { judgementSchema, type MinerJudgement, passed } from './anomaly/state.ts';

export const memoryMigrations: Migrations = {
  owner: 'memory',
  steps: [
    'CREATE TABLE miner_memory (key TEXT PRIMARY KEY, saved_ms INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID',
  ],
};

const rememberedSchema = z.strictObject({
  judgement: judgementSchema,
  document: minerDocumentSchema,
  extras: minerExtrasSchema,
  readingAtMs: z.number().optional(),
});
export type Remembered = {
  readonly judgement: MinerJudgement;
  readonly document: MinerDocument;
  readonly extras: MinerExtras;
  readonly readingAtMs?: number | undefined;
};

export type Memory = {
  /**
   * Everything of earlier runs; what cannot be read is left out: the next samples make it anew. Samples that came after what is remembered, until
   * `untilMs` (wall time), are forgotten, but they were there: their time has passed for the flags.
   */
  load(untilMs: number): Map<string, Remembered>;
  /** Takes note; written soon when `isUrgent`, else when its time comes. */
  note(key: string, remembered: Remembered, isUrgent: boolean): void;
  forget(key: string): void;
  /** Writes what is due, in slices. */
  writeDue(): void;
  /** Writes everything, for a clean stop. */
  writeAll(): void;
};

const EVERY_MS = 15 * 60_000;
const SLICE = 250;

export function createMemory(db: DatabaseSync, clock: Clock): Memory {
  const rows = db.prepare('SELECT key, body FROM miner_memory');
  const upsert = db.prepare(
    'INSERT INTO miner_memory VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET saved_ms = excluded.saved_ms, body = excluded.body',
  );
  const remove = db.prepare('DELETE FROM miner_memory WHERE key = ?');
  const noted = new Map<string, Remembered>();
  const urgent = new Set<string>();
  const savedMs = new Map<string, number>();

  const write = (keys: readonly string[]) => {
    const nowMs = clock.nowMs();
    for (let start = 0; start < keys.length; start += SLICE) {
      transact(db, () => {
        for (const key of keys.slice(start, start + SLICE)) {
          const remembered = noted.get(key);
          if (remembered === undefined) continue;
          upsert.run(key, nowMs, JSON.stringify(remembered));
          savedMs.set(key, clock.monotonicMs());
          noted.delete(key);
          urgent.delete(key);
        }
      });
    }
  };

  return {
    load(untilMs) {
      const loaded = new Map<string, Remembered>();
      for (const { key, body } of rows.iterate()) {
        const parsed = rememberedSchema.safeParse(parseJson(String(body)));
        if (typeof key !== 'string' || !parsed.success) continue;
        const { judgement } = parsed.data;
        const forgottenMs = Math.min(Math.max(0, untilMs - judgement.atMs), EVERY_MS);
        loaded.set(key, { ...parsed.data, judgement: passed(judgement, forgottenMs) });
      }
      return loaded;
    },
    note(key, remembered, isUrgent) {
      noted.set(key, remembered);
      if (isUrgent || !savedMs.has(key)) urgent.add(key);
    },
    forget(key) {
      noted.delete(key);
      urgent.delete(key);
      savedMs.delete(key);
      remove.run(key);
    },
    writeDue() {
      const nowMs = clock.monotonicMs();
      const due = [...noted.keys()].filter((key) => urgent.has(key) || nowMs - (savedMs.get(key) ?? 0) >= EVERY_MS);
      write(due.slice(0, SLICE));
    },
    writeAll() {
      write([...noted.keys()]);
    },
  };
}
