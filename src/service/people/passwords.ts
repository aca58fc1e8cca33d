// Passwords at rest: argon2id, with its parameters beside the hash (a PHC text), so that a later version can raise
// them. Hashing is costly: few at once, and a bounded line of those that wait.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';

/** 19 MiB and two passes: about 70 ms of one core of a small host. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Of a text that we did not write, more is not computed. */
const MOST = { memory: 262_144, passes: 16, parallelism: 4 } as const;

const derive = promisify(argon2);
const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
const phcOf = (salt: Buffer, hash: Buffer) =>
  `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(salt)}$${base64(hash)}`;

/** The same characters typed on two systems are the same password. */
const bytesOf = (password: string) => Buffer.from(password.normalize('NFKC'), 'utf8');

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return phcOf(
    salt,
    await derive('argon2id', { message: bytesOf(password), nonce: salt, ...COST, tagLength: HASH_BYTES }),
  );
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,88})\$([A-Za-z0-9+/]{22,88})$/;

/** False too for a text that is no hash of ours. */
export async function isPasswordOf(password: string, phc: string): Promise<boolean> {
  const [, m, t, p, salt = '', hash = ''] = PHC.exec(phc) ?? [];
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
  const isBounded =
    cost.memory <= MOST.memory && cost.passes <= MOST.passes && cost.parallelism <= MOST.parallelism && hash !== '';
  if (!isBounded) return false;
  const stored = Buffer.from(hash, 'base64');
  const given = await derive('argon2id', {
    ...{ message: bytesOf(password), nonce: Buffer.from(salt, 'base64'), ...cost, tagLength: stored.length },
  });
  return timingSafeEqual(given, stored);
}

/** What no password has: an unknown name costs as much time as a known one. */
export const HASH_OF_NONE = phcOf(Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES));

/** Over all logins of this copy, and of one address. */
export const HASHING = { atOnce: 2, waiting: 32, ofAddress: 4 } as const;

export type HashLine = ReturnType<typeof createHashLine>;

export function createHashLine() {
  const limit = pLimit(HASHING.atOnce);
  const perAddress = new Map<string, number>();
  const countOf = (address: string) => perAddress.get(address) ?? 0;
  return {
    /** Ask before `run`, without waiting in between. */
    hasRoom: (address: string): boolean => limit.pendingCount < HASHING.waiting && countOf(address) < HASHING.ofAddress,
    async run<T>(address: string, work: () => Promise<T>): Promise<T> {
      perAddress.set(address, countOf(address) + 1);
      try {
        return await limit(work);
      } finally {
        const left = countOf(address) - 1;
        if (left > 0) perAddress.set(address, left);
        else perAddress.delete(address);
      }
    },
  };
}
