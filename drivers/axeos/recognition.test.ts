// What proves a Bitaxe, and what only speaks of one.
import { expect, test } from 'vitest';
import { matchDriver } from '../../src/driver/identify.ts';
import { drivers, families } from '../index.ts';

const BITAXE = '{"ASICModel":"BM1366","freeHeap":1,"hashRate":1,"stratumURL":"","version":"2"}';

test.each([
  ['its page', BITAXE, 'sure'],
  ['a list of such pages', `[${BITAXE}]`, 'likely'],
  ['a page about one', '{"ASICModel":"BM1366","hashRate":1}', 'likely'],
])('%s', (_, body, confidence) => {
  const evidence = families.evidenceOf({ systemInfo: { status: 200, body } });
  expect(evidence.family).toBe('axeos');
  expect(matchDriver(drivers, evidence)?.identity.confidence).toBe(confidence);
});
