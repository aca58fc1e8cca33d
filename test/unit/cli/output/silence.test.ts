// What a person is told of a miner that is known and answers nothing.
import { expect, test } from 'vitest';
import { silenceAdvice, silenceOf } from '../../../../src/cli/miners/silence.ts';
import { formatAge, formatSince, formatTime } from '../../../../src/cli/output/format.ts';

const since = '2026-01-02T07:58:11.000Z';
const nowMs = Date.parse(since) + 60_000;
const at = formatTime(since).slice(11, 16);
const known = { make: 'Antminer', model: 'Antminer S19', driver: 'antminer-stock', since, isInWork: false };

test.each([
  ['unknown', `known (Antminer S19, 10.0.0.7), accepts connections, answers nothing since ${at}`],
  ['closed', `known (Antminer S19, 10.0.0.7), refuses connections, answers nothing since ${at}`],
  ['missing', `known (Antminer S19, 10.0.0.7), does not answer at all since ${at}`],
] as const)('%s', (status, text) => {
  expect(silenceOf({ ip: '10.0.0.7', status }, known, nowMs)).toBe(text);
});

test('one that answers what is not understood does answer', () => {
  const garbled = { ...known, isGarbled: true } as const;
  expect(silenceOf({ ip: '10.0.0.7', status: 'unknown' }, garbled, nowMs)).toBe(
    `known (Antminer S19, 10.0.0.7), answers nothing that a miner says since ${at}`,
  );
  expect(silenceAdvice({ status: 'unknown' }, garbled)).toContain('pithead capture');
});

test('without a model it is called by its driver, and without a time there is none', () => {
  const words = silenceOf(
    { ip: '10.0.0.7', status: 'unknown' },
    { ...known, make: null, model: null, since: null },
    nowMs,
  );
  expect(words).toBe('known (antminer-stock, 10.0.0.7), accepts connections, answers nothing');
});

test('nothing that a task is at work on is to be switched off', () => {
  for (const status of ['unknown', 'closed', 'missing'] as const) {
    expect(silenceAdvice({ status }, known)).toContain('PDU');
    const words = silenceAdvice({ status }, { ...known, isInWork: true });
    expect(words).toContain('leave its power on');
    expect(words).not.toContain('PDU');
  }
});

test('a time of another day names the day', () => {
  expect(formatSince(since, nowMs)).toBe(at);
  const ages = [-5, 0, 59_999, 60_000, 7_199_999, 86_399_999, 3 * 86_400_000 + 1].map(formatAge);
  expect(ages).toEqual(['0ms ago', '0ms ago', '59s ago', '1m ago', '1h ago', '23h ago', '3d ago']);
  expect(formatSince(since, nowMs + 3 * 86_400_000)).toBe(`2026-01-0${formatTime(since).slice(9, 10)} ${at}`);
});
