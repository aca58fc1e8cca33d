// What a unit elsewhere with a miner's facts is to that miner: the verdict of one look, and what the looks together
// decide.
import { describe, expect, test } from 'vitest';
import { type Circumstances, decide, type Weight, weigh } from '../../../../../src/agent/fleet/identity/claims.ts';
import { factsOf, newEntry, type Shown } from '../../../../../src/agent/fleet/identity/record.ts';
import { MAC } from './fixture.ts';

const OWN = { mac: MAC.a, serialNumber: 'S1', boardSerials: ['B1', 'B2', 'B3'] };
const entryOf = (shown: Shown) =>
  newEntry('key-1', { ip: '10.0.0.1', driverId: 'antminer-stock', at: 0, ...shown }, factsOf(shown));
const at = (mac: string, isShared = false) => ({ neighbour: { mac, isShared } });
const CALM: Circumstances = {
  ...{ old: 'silent', isExpectedBack: false, isDisputed: false, hasRival: false, isRejected: false },
};
const weight = (known: Shown, shown: Shown, more: Partial<Circumstances> = {}) =>
  weigh(entryOf(known), factsOf(shown), { ...CALM, ...more });

describe('one look', () => {
  test.each<[string, Shown, Shown, Partial<Circumstances>, Weight]>([
    ['the network agrees', { ...OWN, ...at(MAC.a) }, { ...OWN, ...at(MAC.a) }, {}, 'moves'],
    ['the network agrees, in spite of a rival', { ...OWN, ...at(MAC.a) }, at(MAC.a), { hasRival: true }, 'moves'],
    ['the miner answers as itself', OWN, { ...OWN, ...at(MAC.a) }, { old: 'itself' }, 'refuted'],
    ['a person rejected it', OWN, { ...OWN, ...at(MAC.a) }, { isRejected: true }, 'refuted'],
    ['the network shows another MAC', OWN, { ...OWN, ...at(MAC.b) }, {}, 'refuted-if-it-lasts'],
    ['the device reports another serial', OWN, { ...OWN, serialNumber: 'S2' }, {}, 'refuted-if-it-lasts'],
    ['several facts agree', OWN, OWN, {}, 'moves-if-it-lasts'],
    ['several facts agree and one is missing', OWN, { ...OWN, boardSerials: [] }, {}, 'waits'],
    ['several facts agree, and another unit shows them too', OWN, OWN, { hasRival: true }, 'waits'],
    ['facts that were stolen before', OWN, OWN, { isDisputed: true }, 'refuted'],
    ['the MAC alone', OWN, { mac: MAC.a }, { old: 'another' }, 'waits'],
    ['all facts during its reboot', OWN, OWN, { isExpectedBack: true }, 'moves-if-it-lasts'],
    ['during its reboot, where the network knew it', { ...OWN, ...at(MAC.a) }, OWN, { isExpectedBack: true }, 'waits'],
  ])('%s', (_, known, shown, more, expected) => {
    expect(weight(known, shown, more)).toBe(expected);
  });
});

test.each<[Weight, number, boolean, string | undefined]>([
  ['moves', 0, false, 'isBelieved'],
  ['refuted', 0, false, 'isRefuted'],
  ['moves-if-it-lasts', 1, false, undefined],
  ['moves-if-it-lasts', 2, false, 'isBelieved'],
  ['moves-if-it-lasts', 0, true, 'isBelieved'],
  ['refuted-if-it-lasts', 1, true, undefined],
  ['refuted-if-it-lasts', 2, false, 'isRefuted'],
  ['waits', 2, false, undefined],
  ['waits', 3, false, 'isOver'],
  ['waits', 0, true, 'isBelieved'],
])('%s after %i looks (back home: %s) decides %s', (verdict, looks, isBackHome, expected) => {
  const decided = Object.entries(decide(verdict, isBackHome, () => ({ looks, inARow: looks })));
  expect(decided.flatMap(([name, is]) => (is ? name : []))).toEqual(expected === undefined ? [] : [expected]);
});
