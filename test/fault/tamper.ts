// What somebody with the database file in hand may do to an audit trail, by a seed: each way changes what the trail
// says. It knows the tables, not the code that checks them; it has no key.
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

const FIELDS = [
  ...(['at', 'action', 'actor_type', 'actor_id', 'actor_name', 'workspace_id', 'subject', 'detail'] as const),
];

export const WAYS = [
  'a field changed',
  'a field changed, and all hashes after it made anew',
  'a hash or a signature changed',
  'an entry removed',
  'entries removed at the beginning',
  'an entry removed, and the others counted and hashed anew',
  'two entries changed places',
  'an entry inserted in the middle',
  'an entry added at the end',
  'the end cut',
  'the end cut, and the head made to fit',
  'the end cut, with the head that was signed then',
  'all of it written anew',
  'all of it removed',
] as const;
export type Way = (typeof WAYS)[number];

type Entry = Record<string, string | number | null>;

/** `head` = the row of the head when `entries` were there, as a backup would have kept it. */
export type EarlierHead = { readonly seq: number; readonly row: Entry };

export function tamper(path: string, way: Way, random: () => number, earlier: EarlierHead): void {
  using db = new DatabaseSync(path);
  const rows = (sql: string): Entry[] => db.prepare(sql).all().map(plain);
  const entries = rows('SELECT * FROM audit_entries ORDER BY seq');
  const some = <T>(list: readonly T[]): T => {
    const found = list[Math.floor(random() * list.length)];
    if (found === undefined) throw new Error('nothing to tamper with');
    return found;
  };
  const middle = entries.slice(1, -2);
  const write = (next: readonly Entry[], head: 'old' | 'new') => {
    db.exec('DELETE FROM audit_entries');
    const names = Object.keys(entries[0] ?? {});
    const insert = db.prepare(
      `INSERT INTO audit_entries (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    );
    for (const entry of next) insert.run(...names.map((name) => entry[name] ?? null));
    const last = next.at(-1);
    if (head === 'new' && last !== undefined)
      db.prepare('UPDATE audit_head SET seq = ?, hash = ?').run(last.seq ?? 0, last.hash ?? '');
  };
  const changed = (entry: Entry): Entry => {
    const field = some(FIELDS);
    const before = entry[field];
    return { ...entry, [field]: typeof before === 'number' ? before + 1 : `${before ?? ''}x` };
  };
  db.exec('BEGIN');
  switch (way) {
    case 'a field changed': {
      const one = some(entries);
      write(
        entries.map((entry) => (entry === one ? changed(entry) : entry)),
        'old',
      );
      break;
    }
    case 'a field changed, and all hashes after it made anew': {
      const one = some(entries);
      write(rehashed(entries.map((entry) => (entry === one ? changed(entry) : entry))), 'new');
      break;
    }
    case 'a hash or a signature changed': {
      const one = some(entries);
      const field = some(['hash', 'previous', 'mac', 'key_id'] as const);
      write(
        entries.map((entry) => (entry === one ? { ...entry, [field]: 'f'.repeat(64) } : entry)),
        'old',
      );
      break;
    }
    case 'an entry removed': {
      const one = some(entries.slice(0, -1));
      write(
        entries.filter((entry) => entry !== one),
        'old',
      );
      break;
    }
    case 'entries removed at the beginning':
      write(entries.slice(1 + Math.floor(random() * 20)), 'old');
      break;
    case 'an entry removed, and the others counted and hashed anew': {
      const one = some(middle);
      write(rehashed(entries.filter((entry) => entry !== one)), 'new');
      break;
    }
    case 'two entries changed places': {
      const one = some(middle);
      const other = some(middle.filter((entry) => entry !== one));
      const swapped = (entry: Entry) =>
        entry === one ? { ...other, seq: one.seq ?? 0 } : entry === other ? { ...one, seq: other.seq ?? 0 } : entry;
      write(entries.map(swapped), 'old');
      break;
    }
    case 'an entry inserted in the middle': {
      const at = entries.indexOf(some(middle));
      const inserted = changed({ ...(entries[at] ?? {}) });
      write(rehashed([...entries.slice(0, at), inserted, ...entries.slice(at)]), 'new');
      break;
    }
    case 'an entry added at the end':
      write(
        rehashed([...entries, { ...changed({ ...some(entries) }), mac: null, key_id: null }], entries.length),
        'new',
      );
      break;
    case 'the end cut':
      write(entries.slice(0, -1 - Math.floor(random() * 20)), 'old');
      break;
    case 'the end cut, and the head made to fit':
      write(entries.slice(0, -1 - Math.floor(random() * 20)), 'new');
      break;
    case 'the end cut, with the head that was signed then': {
      const { seq, hash, key_id, mac } = earlier.row;
      write(
        entries.filter((entry) => Number(entry.seq) <= earlier.seq),
        'old',
      );
      db.prepare('UPDATE audit_head SET seq = ?, hash = ?, key_id = ?, mac = ?').run(
        ...[seq, hash, key_id, mac].map((value) => value ?? null),
      );
      break;
    }
    case 'all of it written anew': {
      const own = entries.map((entry) => ({ ...changed(entry), mac: null, key_id: null }));
      write(rehashed(own), 'new');
      db.exec('UPDATE audit_head SET key_id = NULL, mac = NULL');
      break;
    }
    case 'all of it removed':
      db.exec('DELETE FROM audit_entries; DELETE FROM audit_head');
      break;
  }
  db.exec('COMMIT');
}

const plain = (row: Record<string, unknown>): Entry =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' || value === null ? value : `${value}`,
    ]),
  );

/** Numbers and hashes as the chain makes them, from the entry at `from` on; signatures stay what they were. */
function rehashed(entries: readonly Entry[], from = 0): Entry[] {
  const done: Entry[] = entries.slice(0, from);
  let seq = Number(entries[0]?.seq ?? 1) - 1 + from;
  let previous = String(done.at(-1)?.hash ?? '0'.repeat(64));
  for (const entry of entries.slice(from)) {
    seq++;
    const text = JSON.stringify(FIELDS.map((field) => entry[field]));
    const hash = createHash('sha256')
      .update(`${seq}\n${previous}\n${entry.key_id ?? ''}\n${text}`)
      .digest('hex');
    done.push({ ...entry, seq, previous, hash });
    previous = hash;
  }
  return done;
}
