// The attempts with logins in the record of trust: all with factory logins, and the refused ones with logins of the configuration. Whether a login was
// tried at a device, and what came of it. An attempt with a factory login is on disk before that is sent. Answers are held in memory as long as no other process writes.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { SEEN_TIME_EVERY_MS, type SeenTime } from './seen-time.ts';

/** After a refusal no factory login goes to that MAC and to that address for so long: a day, whatever process counts it. */
const REFUSED_HOLD_MS = 24 * 3_600_000 + SEEN_TIME_EVERY_MS;
/** In the name of an attempt with a login of the configuration, before what tells it from others. */
export const CONFIGURED = 'login:';
/** Answers of the record that are held in memory. */
const MAX_KEPT = 200_000;

export const flag = z.int().transform((value) => value !== 0);

/** `at` is seen time (seen-time.ts); all other stamps of the record are of the wall clock, for people. */
const attemptSchema = z.object({ family: z.string(), is_accepted: flag, at: z.number() });
export type Attempt = z.output<typeof attemptSchema>;

type Statements = Pick<DatabaseSync, 'prepare'>;

/** Bounded: a device may show another name each time that it is asked. */
export function keepAs<V>(kept: Map<string, V>, name: string, value: V): void {
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(name, value);
}

type Tools = {
  using<T>(work: (db: Statements) => T, otherwise: T): T;
  write(work: (db: Statements) => void): boolean;
  trim(db: Statements, table: 'attempt', rows: number): void;
  /** Empties `kept` where another process has written. */
  refresh(db: Statements): void;
  /** False for a while after the disk refused a write. */
  canWrite(): boolean;
  readonly kept: Map<string, Attempt | null>;
  readonly seenTime: SeenTime;
};

/** Attempts with factory logins. `who` = the names under which a device is held: its MACs and its address. */
export function attemptsIn({ using, write, trim, refresh, canWrite, kept, seenTime }: Tools) {
  const ofOne = (db: Statements, name: string): Attempt | null => {
    const row = db.prepare('SELECT family, is_accepted, at FROM attempt WHERE who = ?').get(name);
    return row === undefined ? null : attemptSchema.parse(row);
  };
  const ofAll = (db: Statements, who: readonly string[]) => who.flatMap((name) => ofOne(db, name) ?? []);
  /** The same from memory: each visit of a miner asks. */
  const keptOf = (db: Statements, who: readonly string[]) => {
    refresh(db);
    return who.flatMap((name) => {
      const known = kept.get(name);
      if (known !== undefined) return known ?? [];
      const found = ofOne(db, name);
      keepAs(kept, name, found);
      return found ?? [];
    });
  };
  const put = (db: Statements, who: readonly string[], family: string, isAccepted: boolean) => {
    const statement = db.prepare(
      'INSERT INTO attempt VALUES (?, ?, ?, ?) ON CONFLICT (who) DO UPDATE SET family = excluded.family, is_accepted = excluded.is_accepted, at = excluded.at',
    );
    for (const name of who) statement.run(name, family, isAccepted ? 1 : 0, seenTime.nowMs(db));
  };
  const isHeld = (db: Statements, { is_accepted, at }: Attempt) =>
    !is_accepted && seenTime.nowMs(db) - at < REFUSED_HOLD_MS;

  const forget = (who: readonly string[]) => {
    for (const name of who) kept.delete(name);
  };

  return {
    /** Undefined where the record cannot be used: a first attempt must be written. What was accepted before needs no writing. */
    last: (who: readonly string[], family: string): 'none' | 'accepted' | 'refused' | undefined =>
      using((db) => {
        const found = keptOf(db, who);
        if (found.some((row) => isHeld(db, row))) return 'refused';
        if (found.some((row) => row.is_accepted && row.family === family)) return 'accepted';
        return canWrite() ? 'none' : undefined;
      }, undefined),
    /**
     * Called before the login is sent for the first time. It counts as refused until `settle` says otherwise: a process that dies in between has tried
     * it, and another process does not try it at the same time. False: it may not be sent.
     */
    begin(who: readonly string[], family: string): boolean {
      let mayTry = false;
      const isWritten = write((db) => {
        mayTry = !ofAll(db, who).some((row) => isHeld(db, row));
        if (!mayTry) return;
        put(db, who, family, false);
        trim(db, 'attempt', who.length);
      });
      forget(who);
      return isWritten && mayTry;
    },
    /** Logins of the configuration that these devices refused may be tried there once more. */
    retry(devices: readonly { readonly ip: string; readonly macs: readonly string[] }[]): boolean {
      const names = devices.flatMap(({ ip, macs }) => [`ip:${ip}`, ...macs.map((mac) => `mac:${mac}`)]);
      const isWritten = write((db) => {
        const statement = db.prepare('DELETE FROM attempt WHERE who GLOB ? AND is_accepted = 0');
        for (const name of names) statement.run(`${name} ${CONFIGURED}*`);
      });
      kept.clear();
      return isWritten;
    },
    /** `undefined` = the device said neither yes nor no. */
    settle(who: readonly string[], family: string, verdict: 'accepted' | 'refused' | undefined): boolean {
      const isWritten = write((db) => {
        if (verdict !== undefined) return put(db, who, family, verdict === 'accepted');
        for (const name of who) db.prepare('DELETE FROM attempt WHERE who = ? AND is_accepted = 0').run(name);
      });
      forget(who);
      return isWritten;
    },
  };
}
