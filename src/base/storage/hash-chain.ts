// A chain of hashes over texts: each entry holds the hash of the one before, so that a change, a gap, an insertion or
// another order shows. The head names the newest entry, so that a cut end shows; a key signs both. It stores nothing.
import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';
import type { Vault } from './vault.ts';

/** `keyId` and `mac` null = written without a key. Hashes are SHA-256 in hex. */
export type ChainEntry = {
  readonly seq: number;
  readonly text: string;
  /** Hash of the entry before; of the first one `NO_HASH`. */
  readonly previous: string;
  readonly hash: string;
  readonly keyId: string | null;
  readonly mac: string | null;
};

/** The newest entry of a chain. */
export type ChainHead = Pick<ChainEntry, 'seq' | 'hash' | 'keyId' | 'mac'>;

/** `id` names the key and does not reveal it. */
export type ChainKey = { readonly id: string; readonly sign: (what: 'entry' | 'head', text: string) => string };

export const NO_HASH = '0'.repeat(64);

export function chainKeyOf(vault: Vault | undefined): ChainKey | undefined {
  if (vault === undefined) return undefined;
  // A key object: to take bytes for a key costs more than to sign with it.
  const keyFor = (purpose: string) => createSecretKey(vault.derive(purpose));
  const keys = { entry: keyFor('pithead: entries of a chain'), head: keyFor('pithead: head of a chain') };
  const sign = (what: 'entry' | 'head', text: string) => createHmac('sha256', keys[what]).update(text).digest('hex');
  return { id: vault.fingerprint(), sign };
}

/** The head of a chain that has no entry. */
export const EMPTY_HEAD: ChainHead = { seq: 0, hash: NO_HASH, keyId: null, mac: null };

/** What follows the head. */
export function nextEntry(head: Pick<ChainHead, 'seq' | 'hash'>, text: string, key: ChainKey | undefined): ChainEntry {
  const seq = head.seq + 1;
  const keyId = key?.id ?? null;
  const own = hashOf({ seq, previous: head.hash, text, keyId });
  return { seq, text, previous: head.hash, hash: own, keyId, mac: key?.sign('entry', own) ?? null };
}

/** The head of a chain that ends with this entry. */
export function headOf({ seq, hash: own }: Pick<ChainEntry, 'seq' | 'hash'>, key: ChainKey | undefined): ChainHead {
  return { seq, hash: own, keyId: key?.id ?? null, mac: key?.sign('head', `${seq}:${own}`) ?? null };
}

/** Whether the key has signed this head. */
export const isSignedHead = ({ seq, hash: own, keyId, mac }: ChainHead, key: ChainKey): boolean =>
  keyId === key.id && isSame(mac, key.sign('head', `${seq}:${own}`));

/** The name of the key is hashed too: a signed entry cannot be passed off as one of a time without the key. */
const hashOf = ({ seq, previous, text, keyId }: Pick<ChainEntry, 'seq' | 'previous' | 'text' | 'keyId'>) =>
  hash('sha256', `${seq}\n${previous}\n${keyId ?? ''}\n${text}`);

export const CHAIN_FAULTS = ['changed', 'missing', 'inserted', 'reordered', 'forged', 'cut', 'head'] as const;

/** The first entry that does not fit, and how. `head`: the head itself is not what the chain or the key says. */
export type ChainProblem = {
  readonly seq: number;
  readonly fault: (typeof CHAIN_FAULTS)[number];
  readonly text: string;
};

export type ChainVerdict = {
  readonly problem: ChainProblem | undefined;
  /** Entries that were read, and the newest of them. */
  readonly entries: number;
  readonly last: Pick<ChainHead, 'seq' | 'hash'>;
  /** Entries at the beginning that our key did not sign: of a time without a key, or with another one. */
  readonly unsigned: number;
};

/** The entry that the front was removed through, and its hash. */
export type ChainStart = Pick<ChainHead, 'seq' | 'hash'>;
export const FULL_CHAIN: ChainStart = { seq: 0, hash: NO_HASH };

/**
 * Takes the entries in the order of their numbers, so that a long chain need not be in memory. `start` = what was
 * removed from the front. Without a key only hashes are checked: that finds what was changed by hand, not what was
 * written anew with all its hashes.
 */
export function createChainCheck(start: ChainStart, key: ChainKey | undefined) {
  let last: Pick<ChainHead, 'seq' | 'hash'> = start;
  let [entries, unsigned] = [0, 0];
  let problem: ChainProblem | undefined;
  const verdict = (): ChainVerdict => ({ problem, entries, last, unsigned });
  return {
    /** False from the first entry on that does not fit. */
    take(entry: ChainEntry): boolean {
      problem ??= misfit(entry, last, key, entries > unsigned);
      if (problem !== undefined) return false;
      entries++;
      if (key === undefined || entry.keyId !== key.id) unsigned++;
      last = entry;
      return true;
    },
    /** `head` as it is stored. */
    end(head: ChainHead | undefined): ChainVerdict {
      problem ??= headProblem(head ?? EMPTY_HEAD, last, key, entries > 0 && unsigned === entries);
      return verdict();
    },
  };
}

function misfit(
  entry: ChainEntry,
  last: Pick<ChainHead, 'seq' | 'hash'>,
  key: ChainKey | undefined,
  mustBeSigned: boolean,
): ChainProblem | undefined {
  const { seq, previous } = entry;
  const due = last.seq + 1;
  const problem = (fault: ChainProblem['fault'], text: string) => ({ seq: Math.min(seq, due), fault, text });
  const missing = seq === due + 1 ? `entry ${due} is missing` : `entries ${due} to ${seq - 1} are missing`;
  if (seq > due) return problem('missing', missing);
  if (seq < due) return problem('inserted', `a second entry ${seq} was inserted`);
  if (hashOf(entry) !== entry.hash) {
    const written = writtenAs(entry);
    if (written === undefined) return problem('changed', `entry ${seq} is not what was written: its hash does not fit`);
    return problem('reordered', `what stands as entry ${seq} was written as entry ${written}`);
  }
  if (previous !== last.hash) return problem('inserted', `entry ${seq} does not follow entry ${last.seq}`);
  if (entry.keyId === null && entry.mac !== null)
    return problem('changed', `entry ${seq} is not what was written: it has a signature of no key`);
  if (key === undefined) return undefined;
  if (entry.keyId !== key.id)
    return mustBeSigned ? problem('forged', `entry ${seq} is not signed with the key ${key.id}`) : undefined;
  if (!isSame(entry.mac, key.sign('entry', entry.hash)))
    return problem('forged', `entry ${seq} was written without the key: its signature does not fit`);
  return undefined;
}

/** How far away an entry is looked for that stands in another place. */
const MOVED_BY = 10_000;

/** The number that the entry had when it was written; undefined where it fits none near its own. */
function writtenAs({ seq, hash: own, ...rest }: ChainEntry): number | undefined {
  for (let by = 1; by <= MOVED_BY; by++)
    for (const other of [seq - by, seq + by]) if (other > 0 && hashOf({ ...rest, seq: other }) === own) return other;
  return undefined;
}

function headProblem(
  head: ChainHead,
  last: Pick<ChainHead, 'seq' | 'hash'>,
  key: ChainKey | undefined,
  isUnsigned: boolean,
): ChainProblem | undefined {
  const problem = (fault: ChainProblem['fault'], text: string) => ({ seq: last.seq + 1, fault, text });
  if (head.seq > last.seq)
    return problem('cut', `the end was cut: the newest entry is ${last.seq}, and there were ${head.seq}`);
  const isOurs = head.seq === last.seq && head.hash === last.hash;
  if (!isOurs) return problem('head', `the head names entry ${head.seq}, which is not the newest one (${last.seq})`);
  if (key === undefined || head.seq === 0) return undefined;
  if (isUnsigned || head.keyId !== key.id)
    return problem('head', `the head is not signed with the key ${key.id}: the end may have been cut or written anew`);
  if (!isSignedHead(head, key))
    return problem('head', 'the signature of the head does not fit: the end was cut or written anew');
  return undefined;
}

function isSame(given: string | null, due: string): boolean {
  const [a, b] = [Buffer.from(given ?? ''), Buffer.from(due)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `<seq>:<hash>`, as a person notes a head. */
export const shownHead = ({ seq, hash: own }: Pick<ChainHead, 'seq' | 'hash'>): string => `${seq}:${own}`;

/** Undefined for what is no head. */
export function readShownHead(text: string): Pick<ChainHead, 'seq' | 'hash'> | undefined {
  const [, seq, own] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return seq === undefined || own === undefined ? undefined : { seq: Number(seq), hash: own };
}
