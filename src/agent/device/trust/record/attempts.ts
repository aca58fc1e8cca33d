// Attempts with logins: all with factory logins, and the refused ones with configured logins. An attempt with a factory
// login is on disk before the login is sent. What was read is cached until another process writes.
import { z } from 'zod';
import type { Statements } from '../../../../base/storage/sqlite.ts';
import { flag } from './rows.ts';
import { SEEN_TIME_EVERY_MS } from './seen-time.ts';
import type { TrustDatabase } from './trust-database.ts';

/** After a refusal no factory login goes to that MAC and that address for a day, whatever process counts it. */
const COOLDOWN_MS = 24 * 3_600_000 + SEEN_TIME_EVERY_MS;
/** Part of the name of an attempt with a configured login, before the bits of that login. */
export const CONFIGURED = 'login:';
const MAX_CACHED = 200_000;

/** `at` is seen time (seen-time.ts); all other stamps of the record are of the wall clock, for people. */
const attemptSchema = z.object({ family: z.string(), is_accepted: flag, at: z.number() });
export type Attempt = z.output<typeof attemptSchema>;

/** Bounded: a device may show another name each time that it is asked. */
export function keepAs<V>(cache: Map<string, V>, name: string, value: V): void {
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(name, value);
}

/** `who` = the names under which attempts are counted: the device's MACs and its address. */
export function attemptsIn(database: TrustDatabase, cache: Map<string, Attempt | null>) {
  const { seenTime } = database;
  const readOne = (db: Statements, name: string): Attempt | null => {
    const row = db.prepare('SELECT family, is_accepted, at FROM attempt WHERE who = ?').get(name);
    return row === undefined ? null : attemptSchema.parse(row);
  };
  /** Each visit of a miner asks for these. */
  const cachedOne = (db: Statements, name: string): Attempt | null => {
    const cached = cache.get(name);
    if (cached !== undefined) return cached;
    const found = readOne(db, name);
    keepAs(cache, name, found);
    return found;
  };
  const put = (db: Statements, who: readonly string[], family: string, isAccepted: boolean) => {
    const statement = db.prepare('INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?)');
    for (const name of who) statement.run(name, family, isAccepted ? 1 : 0, seenTime.nowMs(db));
  };
  const isCooling = (db: Statements, { is_accepted, at }: Attempt) =>
    !is_accepted && seenTime.nowMs(db) - at < COOLDOWN_MS;
  const writeAbout = (who: readonly string[], work: (db: Statements) => void): boolean => {
    const isWritten = database.write(work);
    for (const name of who) cache.delete(name);
    return isWritten;
  };

  return {
    /** Undefined where no first attempt can be written. What was accepted before needs no writing. */
    last: (who: readonly string[], family: string): 'none' | 'accepted' | 'refused' | undefined =>
      database.read((db) => {
        database.refresh(db);
        const found = who.flatMap((name) => cachedOne(db, name) ?? []);
        if (found.some((attempt) => isCooling(db, attempt))) return 'refused';
        if (found.some((attempt) => attempt.is_accepted && attempt.family === family)) return 'accepted';
        return database.canWrite() ? 'none' : undefined;
      }, undefined),
    /**
     * Called before the login is sent for the first time. It counts as refused until `settle` says otherwise: a process
     * that dies in between has tried it, and another process does not try it at the same time. False: it may not be
     * sent.
     */
    begin(who: readonly string[], family: string): boolean {
      let mayTry = false;
      const isWritten = writeAbout(who, (db) => {
        mayTry = !who.some((name) => {
          const attempt = readOne(db, name);
          return attempt !== null && isCooling(db, attempt);
        });
        if (!mayTry) return;
        put(db, who, family, false);
        database.trim(db, 'attempt', who.length);
      });
      return isWritten && mayTry;
    },
    /** Configured logins that these devices refused may be tried there once more. */
    retry(devices: readonly { readonly ip: string; readonly macs: readonly string[] }[]): boolean {
      const isWritten = database.write((db) => {
        const statement = db.prepare('DELETE FROM attempt WHERE who GLOB ? AND is_accepted = 0');
        for (const name of devices.flatMap(({ ip, macs }) => [`ip:${ip}`, ...macs.map((mac) => `mac:${mac}`)]))
          statement.run(`${name} ${CONFIGURED}*`);
      });
      cache.clear();
      return isWritten;
    },
    /** `undefined` = the device neither accepted nor refused it. */
    settle: (who: readonly string[], family: string, verdict: 'accepted' | 'refused' | undefined): boolean =>
      writeAbout(who, (db) => {
        if (verdict !== undefined) return put(db, who, family, verdict === 'accepted');
        for (const name of who) db.prepare('DELETE FROM attempt WHERE who = ? AND is_accepted = 0').run(name);
      }),
  };
}
