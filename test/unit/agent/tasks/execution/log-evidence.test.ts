import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { logEvidence } from '../../../../../src/agent/tasks/execution/log-evidence.ts';
import { cpuMsOf } from '../../../../support/cpu-time.ts';

const textOf = (log: string, secrets: string[] = []) => logEvidence(log, secrets).text;

describe('a log as evidence', () => {
  test('has the size and the hash of the whole, and the end of it', () => {
    const log = `${'old line\n'.repeat(20_000)}the end\n`;
    const evidence = logEvidence(log);
    expect(evidence).toMatchObject({ bytes: log.length, sha256: createHash('sha256').update(log).digest('hex') });
    expect(Buffer.byteLength(evidence.text)).toBe(64 * 1024);
    expect(evidence.text.endsWith('old line\nthe end\n')).toBe(true);
  });
  test('begins with a whole character', () => {
    const evidence = logEvidence(`x${'é'.repeat(40_000)}`);
    expect(Buffer.byteLength(evidence.text)).toBeLessThanOrEqual(64 * 1024);
    expect(evidence.text.startsWith('é')).toBe(true);
  });
  test('a secret with something unseen in it is hidden all the same', () => {
    expect(logEvidence('login pit-\u200bhead-\u202epass ok', ['pit-head-pass']).text).toBe('login [secret] ok');
  });
  test('has no control characters but lines and tabs', () => {
    expect(textOf('a\u0000b\u001b[31mred\u0007\r\nnext\tcell\u202e\r')).toBe('ab[31mred\nnext\tcell');
  });
  test.each([
    ['"pass": "hunter22"', '"pass": [secret]'],
    ["'password' : 'x y', next", "'password' : [secret], next"],
    ['pwd=abc;user=me', 'pwd=[secret];user=me'],
    [
      'cgminer -o stratum+tcp://a:3333 -u farm.w1 -p hunter22 --api',
      'cgminer -o stratum+tcp://a:3333 -u farm.w1 -p [secret] --api',
    ],
    [
      'connect stratum+tcp://farm.w1:hunter22@pool.example:3333',
      'connect stratum+tcp://farm.w1:[secret]@pool.example:3333',
    ],
    ['GET / Authorization: Basic cm9vdDpyb290', 'GET / Authorization: [secret]'],
    ['"Cookie": "session=abc; id=2"', '"Cookie": "[secret]"'],
    ['set-cookie: sid=1\nnext', 'set-cookie: [secret]\nnext'],
    ['passed 3 tests: ok', 'passed 3 tests: ok'],
    ['authorization failed for root', 'authorization failed for root'],
    ['temp 60 -pwm 30', 'temp 60 -pwm 30'],
  ])('hides what is named a secret: %s', (line, expected) => {
    expect(textOf(line)).toBe(expected);
  });
  test('hides the passwords that an operator has set, wherever they stand, and leaves words alone', () => {
    expect(textOf('login farmsecret9 ok; user root', ['farmsecret9', 'root'])).toBe('login [secret] ok; user root');
    expect(textOf('GET /login?p=farm%2fsecret', ['farm/secret'])).toBe('GET /login?p=[secret]');
    expect(textOf(`basic ${btoa('root:farmsecret9')}`, ['farmsecret9'])).not.toContain('zZWNyZX');
  });
  test('stays linear on hostile text', () => {
    const costMs = cpuMsOf(() => {
      for (const block of ['pass=', '-p ', 'a://', '"pass": "', '-O=-O=']) textOf(block.repeat(100_000));
    });
    expect(costMs).toBeLessThan(5_000);
  });
  test('of nothing is nothing', () => {
    expect(logEvidence('')).toMatchObject({ bytes: 0, text: '' });
  });
});
