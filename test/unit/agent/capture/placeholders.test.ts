import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPlaceholders } from '../../../../src/agent/capture/recording/placeholders.ts';
import { cpuMsOf } from '../../../support/cpu-time.ts';

/** Learns from all texts, then hides in each. */
function hide(texts: readonly string[], secrets: readonly string[] = []): string[] {
  const placeholders = createPlaceholders({ publicWords: ['Antminer', 'VolcMiner'], secrets });
  for (const text of texts) placeholders.learn(text);
  return texts.map((text) => placeholders.hide(text));
}
const one = (text: string) => hide([text])[0] ?? '';

describe('what is hidden', () => {
  test('the same original is the same placeholder in every answer, with or without a key before it', () => {
    const [pools = '', page = ''] = hide(['{"User":"bob.rig12","Serial":"SN123456"}', '<p>bob.rig12 on SN123456</p>']);
    expect(pools).toBe('{"User":"worker-1","Serial":"REDACTED000001"}');
    expect(page).toBe('<p>worker-1 on REDACTED000001</p>');
  });

  test('a MAC keeps its maker, its notation and its shape, and is known in every notation', () => {
    const [first = '', second = ''] = hide(['{"mac":"b4:a2:eb:31:22:33"}', 'B4A2EB312233 B4-A2-EB-31-22-33']);
    expect(first).toBe('{"mac":"b4:a2:eb:a0:00:01"}');
    expect(second).toBe('B4A2EBA00001 B4-A2-EB-A0-00-01');
  });

  test('broken JSON, escaped JSON, pairs and brackets are no way out', () => {
    expect(one('{"User":"bob.rig12","Pass":"hunt\\"er2"')).not.toMatch(/bob|hunt|er2/);
    expect(one('{"conf":"{\\"user\\":\\"bob.rig12\\"}"}')).not.toContain('bob');
    expect(one('user=bob.rig12,pass=hunter2|Elapsed=5')).toBe('user=worker-1,pass=secret-1|Elapsed=5');
    expect(one('Temp[30] DNA[0123456789abcdef] Worker[bob.rig12]')).toMatch(
      /^Temp\[30\] DNA\[\w+\] Worker\[worker-1\]$/,
    );
  });

  test('a secret that is known beforehand is hidden wherever it stands', () => {
    expect(hide(['log: tried hunter2 at once'], ['hunter2'])).toEqual(['log: tried secret-1 at once']);
    const quoted = [
      '/login?p=hunt%2Fer2',
      '{"said":"hunt\\/er2 is wrong"}',
      `Basic ${btoa('root:hunt/er2')}`,
      'xhunt/er2x',
    ];
    for (const text of hide(quoted, ['hunt/er2'])) expect(text).not.toMatch(/hunt|er2|aHVudC|odW50L2|h1bnQv/);
  });

  test('of a pool the port and the way to speak stay', () => {
    expect(one('{"URL":"stratum+tcp://me:pw@eu.pool.io:3333/x"}')).toBe('{"URL":"stratum+tcp://pool-1.example:3333"}');
  });
});

describe('what stays', () => {
  test.each([
    '{"hostname":"Antminer"}',
    '{"hostname":"VolcMiner D1"}',
    '{"Serial":"N/A","mac":"00:00:00:00:00:00","user":""}',
    '{"Miner":"49.0.1.3"}',
    '{"netmask":"255.255.255.0"}',
    '{"GHS 5s":"1,234.5","SNR":7,"HW":3,"stratumPort":3333}',
    '{"STATS":[{"a":1}{"b":nan}',
  ])('%s', (text) => expect(one(text)).toBe(text));

  test('but a four-part number of a private network is an address, not a version', () => {
    expect(one('{"Miner":"10.1.2.3"}')).toBe('{"Miner":"192.0.2.1"}');
  });
});

test('no text upsets it, and none grows without bound', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '{"user":"',
      '","pass":"',
      '"',
      '\\"',
      '{',
      '}',
      '[',
      ']',
      '=',
      ':',
      ',',
      'stratum+tcp://',
      '10.1.2.3',
      '@',
    ),
    fc.string({ maxLength: 12 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      const hidden = one(text);
      expect(typeof hidden).toBe('string');
      expect(hidden.length).toBeLessThan(text.length * 12 + 200);
    }),
    { numRuns: 300 },
  );
});

test('is quick on hostile answers', () => {
  const costMs = cpuMsOf(() => {
    for (const text of ['"'.repeat(200_000), 'user="'.repeat(50_000), '[['.repeat(100_000), 'a@'.repeat(100_000)])
      one(text);
  });
  expect(costMs).toBeLessThan(10_000);
});
