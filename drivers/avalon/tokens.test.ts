// The scanner of Avalon texts: both forms, odd names, cut ends, and time that grows with the text and not faster.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Answer } from '../../src/driver/kit/answer.ts';
import { modulesOf, numbers, scanSections } from './tokens.ts';

const scan = (text: string) =>
  Object.fromEntries([...scanSections(text)].map(([name, tokens]) => [name, Object.fromEntries(tokens)]));

const tokensOf = (text: string) =>
  modulesOf(new Answer({ STATS: [{ 'MM ID0': text }] }))[0]?.tokens ?? new Answer(undefined);

test('plain form: keys with digits, blanks and underscores, values with anything but a bracket', () => {
  expect(
    scan(
      'Ver[1246-83-x] SYSTEMSTATU[Work: In Work, Hash Board: 3 ] PVT_T0[ 63  70] FanR[72%] Nonce Mask[25] FACOPTS0[]',
    ),
  ).toEqual({
    '': {
      Ver: '1246-83-x',
      SYSTEMSTATU: 'Work: In Work, Hash Board: 3',
      PVT_T0: '63  70',
      FanR: '72%',
      'Nonce Mask': '25',
      FACOPTS0: '',
    },
  });
});

test('wrapped form: one section per name, also when boards use the same keys', () => {
  expect(scan("'STATS':{Ver[Q-1] TA[160]}")).toEqual({ STATS: { Ver: 'Q-1', TA: '160' } });
  expect(scan("'HB0':{PVT_T0[58 59] MW0[1]} 'HB1':{PVT_T0[99]}")).toEqual({
    HB0: { PVT_T0: '58 59', MW0: '1' },
    HB1: { PVT_T0: '99' },
  });
});

test('a token that is cut off is left out, what stands before it is kept', () => {
  expect(scan('TA[360] PVT_T0[ 63 70')).toEqual({ '': { TA: '360' } });
  expect(scan('TA[360] PVT')).toEqual({ '': { TA: '360' } });
  expect(scan('no brackets')).toEqual({});
});

test('of a key that comes twice the first counts', () => {
  expect(scan('PS[0 1] PS[2 3]')).toEqual({ '': { PS: '0 1' } });
});

test('numbers keep their places, and what is none is undefined', () => {
  const tokens = tokensOf('A[1 x 3] FanR[72%] E[] F[12.5] N[-273]');
  expect(numbers(tokens, 'A')).toEqual([1, undefined, 3]);
  expect(numbers(tokens, 'E')).toEqual([]);
  expect(numbers(tokens, 'none')).toEqual([]);
  expect(numbers(tokens, 'FanR')).toEqual([72]);
  expect(numbers(tokens, 'F')).toEqual([12.5]);
  expect(numbers(tokens, 'N', { min: -50 })).toEqual([undefined]);
});

test('any text is taken', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('A[', ']', "'HB0':{", '}', ' ', '1 2', 'é', "'", "':{", 'x'.repeat(40)), {
        maxLength: 60,
      }),
      (parts) => {
        const tokens = tokensOf(`A[1] ${parts.join('')}`);
        for (const key of tokens.keys()) numbers(tokens, key);
      },
    ),
  );
});

test('a hostile text of a megabyte is read in one pass', () => {
  // A scanner that goes back over what it has seen would need hours here.
  for (const text of [
    'a'.repeat(1e6),
    "'".repeat(1e6),
    `${"':{".repeat(3e5)}[1]`,
    'k['.repeat(5e5),
    `${'a !'.repeat(3e5)}[1]`,
    'A[1]'.repeat(2.5e5),
  ]) {
    expect(scanSections(text).size).toBeLessThan(50);
  }
});
