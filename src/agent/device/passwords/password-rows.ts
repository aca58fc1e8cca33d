// The passwords that tasks have set, in the record of trust of this host, so that every program of it logs in with
// them. All texts are encrypted: without the key there are none. They are on disk before anything is sent.
import { z } from 'zod';
import type { Statements } from '../../../base/storage/sqlite.ts';
import { decryptWith, type Vault } from '../../../base/storage/vault.ts';
import { flag } from '../trust/record/rows.ts';
import type { TrustDatabase } from '../trust/record/trust-database.ts';
import type { KeptPassword } from './kept-password.ts';

/** Twice the largest farm. None is deleted to make room: it would lock people out of a miner. */
const MAX_ROWS = 50_000;
const MAX_CACHED = 200_000;

const rowSchema = z.object({
  user: z.string(),
  current: z.string(),
  is_set: flag,
  next: z.string().nullable(),
});
const countSchema = z.object({ count: z.int() });

/** `name` = under which it is kept; `stamp` tells this state from all others of the row. */
export type Found = { readonly name: string; readonly kept: KeptPassword; readonly stamp: string };

/** Null = there is none; undefined = there is one that cannot be opened with the key in use. */
type Cached = Found | null | undefined;

export type PasswordRows = ReturnType<typeof passwordsIn>;

/** Without a vault none can be kept, and none of those that there are can be read. */
export function passwordsIn(database: TrustDatabase, cache: Map<string, Cached>, vault: Vault | undefined) {
  const open = (name: string, row: z.output<typeof rowSchema>): Found | undefined => {
    const { is_set: isSet } = row;
    const [user, current, next] = [row.user, row.current, row.next].map((text) =>
      text === null ? null : decryptWith(vault, text),
    );
    if (typeof user !== 'string' || typeof current !== 'string' || next === undefined) return undefined;
    return { name, kept: { user, current, isSet, next }, stamp: stampOf(row) };
  };
  const readOne = (db: Statements, name: string): Cached => {
    const row = db.prepare('SELECT user, current, is_set, next FROM password WHERE name = ?').get(name);
    return row === undefined ? null : open(name, rowSchema.parse(row));
  };
  const cachedOne = (db: Statements, name: string): Cached => {
    if (cache.has(name)) return cache.get(name);
    const found = readOne(db, name);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(name, found);
    return found;
  };
  const put = (db: Statements, name: string, { user, current, isSet, next }: KeptPassword, key: Vault): void => {
    const texts = [user, current].map((text) => key.encrypt(text));
    db.prepare('INSERT OR REPLACE INTO password (name, user, current, is_set, next) VALUES (?, ?, ?, ?, ?)').run(
      ...[name, ...texts, isSet ? 1 : 0, next === null ? null : key.encrypt(next)],
    );
  };
  /** False where the row is another one by now, or the disk refuses. */
  const replace = (before: Found | undefined, name: string, kept: KeptPassword | undefined): boolean => {
    let isDone = false;
    const isWritten = database.write((db) => {
      const now = readOne(db, before?.name ?? name);
      if (now === undefined || (now?.stamp ?? null) !== (before?.stamp ?? null)) return;
      if (kept === undefined) db.prepare('DELETE FROM password WHERE name = ?').run(name);
      else if (vault === undefined || (now === null && isFull(db))) return;
      else put(db, name, kept, vault);
      isDone = true;
    });
    cache.delete(name);
    return isWritten && isDone;
  };

  return {
    hasKey: vault !== undefined,
    /** The first of these names under which one is kept. */
    of: (names: readonly string[]): Found | undefined =>
      database.read(
        (db) => {
          database.refresh(db);
          for (const name of names) {
            const found = cachedOne(db, name);
            if (found !== null) return found;
          }
          return undefined;
        },
        firstOf(names, cache),
      ),
    /** In place of `before`; false = it is not written, and nothing may be sent. `kept` undefined = none is kept. */
    replace,
    /** Each password that is kept, of all devices. */
    all: (): string[] =>
      database.read((db) => {
        const rows = db.prepare('SELECT user, current, is_set, next FROM password').all();
        const found = rows.flatMap((row) => open('', rowSchema.parse(row))?.kept ?? []);
        return [...new Set(found.flatMap(({ current, next }) => [current, ...(next === null ? [] : [next])]))];
      }, []),
  };
}

/** What was read last counts on while the disk cannot be read. */
function firstOf(names: readonly string[], cache: ReadonlyMap<string, Cached>): Found | undefined {
  for (const name of names) {
    const found = cache.get(name);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** No text is encrypted twice in the same way. */
const stampOf = ({ user, current, next }: z.output<typeof rowSchema>) => [user, current, next].join(' ');

const isFull = (db: Statements): boolean =>
  countSchema.parse(db.prepare('SELECT count(*) AS count FROM password').get()).count >= MAX_ROWS;
