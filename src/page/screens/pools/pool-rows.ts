// Pools while a person writes them, and what the service is asked for: the word `keep` stands for what each miner has,
// as on the command line. Pure.
import type { RequestedPools } from '../../../model/pools/requested-pools.ts';
import type { PoolSetItem } from '../../../wire/api/farm/pool-sets.ts';

export const PASSWORD_KINDS = ['usual', 'given', 'kept'] as const;
export type PasswordKind = (typeof PASSWORD_KINDS)[number];
export type PoolRow = {
  readonly url: string;
  readonly user: string;
  readonly passwordKind: PasswordKind;
  readonly password: string;
};

export const KEEP = 'keep';
/** A list of pools has no more. */
export const MAX_POOLS = 8;
export const EMPTY_ROW: PoolRow = { url: '', user: '{worker}', passwordKind: 'usual', password: '' };
const KEPT = { keep: true } as const;

const partOf = (written: string) => (written.trim() === KEEP ? KEPT : written.trim());

export const poolsOf = (rows: readonly PoolRow[]): RequestedPools =>
  rows.map(({ url, user, passwordKind, password }) => ({
    url: partOf(url),
    user: partOf(user),
    ...(passwordKind !== 'usual' && { password: passwordKind === 'kept' ? KEPT : password }),
  }));

type SavedPools = NonNullable<PoolSetItem['pools']>;
type SavedPart = SavedPools[number]['url'];

export const partText = (part: SavedPart): string => (typeof part === 'string' ? part : KEEP);

/** What the service hides of an address is not there to be saved again: the address is written anew. */
const HIDDEN = '***';

/** To be changed. Passwords that were given are not shown, so each has to be written once more. */
export const rowsOf = (pools: SavedPools | null): readonly PoolRow[] =>
  pools === null
    ? [EMPTY_ROW]
    : pools.map(({ url, user, password }) => ({
        url: partText(url).includes(HIDDEN) ? '' : partText(url),
        user: partText(user),
        passwordKind: password,
        password: '',
      }));
