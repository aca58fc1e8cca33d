// Every code of the table of errors is used somewhere. That no other code is used is a matter of types.
import { expect, test } from 'vitest';
import {
  DATABASE_ERRORS,
  isRefusalCode,
  PEER_ERRORS,
  REFUSALS,
  SKIP_REASONS,
} from '../../src/base/error-codes.data.ts';
import { RefusedError } from '../../src/base/errors.ts';
import { sources } from '../arch/sources.ts';

const texts = sources('src', 'drivers')
  .filter(({ path }) => path !== 'src/base/error-codes.data.ts')
  .map(({ text }) => text);

test.each([REFUSALS, PEER_ERRORS, DATABASE_ERRORS, SKIP_REASONS].flatMap((codes) => Object.keys(codes)))(
  'the code %s is used',
  (code) => {
    expect(texts.some((text) => text.includes(`'${code}'`))).toBe(true);
  },
);

test('a refusal without words of its own has those of the table', () => {
  expect(new RefusedError('auth.missing').message).toBe('Missing x-api-key header');
  expect(new RefusedError('auth.missing', 'no key').message).toBe('no key');
});

test('a code that another version sent is known only where the table has it', () => {
  expect(isRefusalCode('auth.missing')).toBe(true);
  expect(isRefusalCode('peer.timeout')).toBe(false);
  expect(isRefusalCode('toString')).toBe(false);
});
