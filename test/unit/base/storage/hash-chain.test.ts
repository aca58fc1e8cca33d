// A chain of hashes finds what was done to it, and where.
import { describe, expect, test } from 'vitest';
import {
  type ChainEntry,
  type ChainHead,
  type ChainKey,
  type ChainStart,
  chainKeyOf,
  createChainCheck,
  EMPTY_HEAD,
  FULL_CHAIN,
  headOf,
  nextEntry,
  readShownHead,
  shownHead,
} from '../../../../src/base/storage/hash-chain.ts';
import { createVault } from '../../../../src/base/storage/vault.ts';

const key = chainKeyOf(createVault(Buffer.alloc(32, 7)));
const otherKey = chainKeyOf(createVault(Buffer.alloc(32, 8)));

const NO_KEY = null;

function chainOf(length: number, given: ChainKey | null | undefined = key) {
  const withKey = given ?? undefined;
  const entries: ChainEntry[] = [];
  let last: Pick<ChainHead, 'seq' | 'hash'> = EMPTY_HEAD;
  for (let index = 1; index <= length; index++) {
    const entry = nextEntry(last, `act ${index}`, withKey);
    entries.push(entry);
    last = entry;
  }
  return { entries, head: headOf(last, withKey) };
}

function check(
  entries: readonly ChainEntry[],
  head: ChainHead,
  withKey: ChainKey | null | undefined = key,
  start: ChainStart = FULL_CHAIN,
) {
  const chain = createChainCheck(start, withKey ?? undefined);
  for (const entry of entries) if (!chain.take(entry)) break;
  return chain.end(head);
}

const at = (entries: readonly ChainEntry[], index: number): ChainEntry => {
  const entry = entries[index];
  if (entry === undefined) throw new Error(`no entry ${index}`);
  return entry;
};

describe('with a key', () => {
  const { entries, head } = chainOf(9);

  test('what was written is whole, an empty chain too', () => {
    expect(check(entries, head)).toMatchObject({ problem: undefined, entries: 9, unsigned: 0, last: { seq: 9 } });
    expect(check([], EMPTY_HEAD).problem).toBeUndefined();
  });

  const cases: readonly [what: string, entries: readonly ChainEntry[], seq: number, fault: string][] = [
    ['a changed text', entries.with(4, { ...at(entries, 4), text: 'act 500' }), 5, 'changed'],
    ['a changed hash', entries.with(4, { ...at(entries, 4), hash: 'f'.repeat(64) }), 5, 'changed'],
    ['a changed signature', entries.with(4, { ...at(entries, 4), mac: 'f'.repeat(64) }), 5, 'forged'],
    ['a removed signature', entries.with(4, { ...at(entries, 4), mac: null, keyId: null }), 5, 'changed'],
    ['another key named', entries.with(4, { ...at(entries, 4), keyId: 'other' }), 5, 'changed'],
    [
      'a first entry shown as of a time without the key',
      entries.with(0, { ...at(entries, 0), keyId: null }),
      1,
      'changed',
    ],
    ['a missing entry', entries.toSpliced(4, 1), 5, 'missing'],
    ['a missing first entry', entries.toSpliced(0, 1), 1, 'missing'],
    ['an entry that comes twice', entries.toSpliced(4, 0, at(entries, 3)), 4, 'inserted'],
    [
      'two entries that changed places',
      entries.with(3, { ...at(entries, 5), seq: 4 }).with(5, { ...at(entries, 3), seq: 6 }),
      4,
      'reordered',
    ],
    [
      'an entry of our own instead',
      entries.with(4, nextEntry(at(entries, 3), 'act of another', undefined)),
      5,
      'forged',
    ],
    [
      'a signature of no key',
      entries.with(4, { ...nextEntry(at(entries, 3), 'act 5', undefined), mac: 'f'.repeat(64) }),
      5,
      'changed',
    ],
    ['a cut end', entries.slice(0, 6), 7, 'cut'],
  ];
  test.each(cases)('%s is found', (_what, changed, seq, fault) => {
    expect(check(changed, head).problem).toMatchObject({ seq, fault });
  });

  test('an end that was cut together with its head is found by the signature of the head', () => {
    const { seq, hash } = at(entries, 5);
    for (const forged of [
      { seq, hash, keyId: null, mac: null },
      { ...head, seq, hash },
      headOf(at(entries, 5), otherKey),
    ])
      expect(check(entries.slice(0, 6), forged).problem).toMatchObject({ seq: 7, fault: 'head' });
  });

  test('a chain that was written anew without the key is found', () => {
    const anew = chainOf(9, NO_KEY);
    expect(check(anew.entries, anew.head).problem).toMatchObject({ fault: 'head' });
    const others = chainOf(9, otherKey);
    expect(check(others.entries, others.head).problem).toMatchObject({ fault: 'head' });
  });

  test('entries of the time before the key are counted, and covered by those after them', () => {
    const before = chainOf(4, NO_KEY);
    const fifth = nextEntry(before.head, 'act 5', key);
    const all = [...before.entries, fifth];
    expect(check(all, headOf(fifth, key))).toMatchObject({ problem: undefined, unsigned: 4 });
    const instead = nextEntry(at(before.entries, 2), 'act of another', undefined);
    expect(check([...all.slice(0, 3), instead, fifth], headOf(fifth, key)).problem).toMatchObject({ seq: 5 });
  });
});

test('without a key what was changed by hand is found, and what was written anew is not', () => {
  const { entries, head } = chainOf(5, NO_KEY);
  expect(check(entries, head, NO_KEY).problem).toBeUndefined();
  expect(check(entries.with(2, { ...at(entries, 2), text: 'other' }), head, NO_KEY).problem).toMatchObject({
    seq: 3,
  });
  const anew = chainOf(4, NO_KEY);
  expect(check(anew.entries, anew.head, NO_KEY).problem).toBeUndefined();
});

test('what was pruned from the front is where the rest begins', () => {
  const { entries, head } = chainOf(9);
  expect(check(entries.slice(3), head, key, at(entries, 2)).problem).toBeUndefined();
  expect(check(entries.slice(4), head, key, at(entries, 2)).problem).toMatchObject({ seq: 4, fault: 'missing' });
});

test('a head is read as it is shown', () => {
  const { head } = chainOf(3);
  expect(readShownHead(shownHead(head))).toEqual({ seq: head.seq, hash: head.hash });
  for (const text of ['', '3', '3:abc', `-1:${head.hash}`, `3:${head.hash}0`])
    expect(readShownHead(text)).toBeUndefined();
});
