// The limits of a scan: low in the background, high when a person waits, and as configured.
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { scanLimitsOf } from '../../../../src/agent/scan/scan-limits.ts';

// Loopback addresses are no neighbours, so the limits of this host do not matter.
const limitsOf = (settings: object, kind?: 'asked-for' | 'background') => {
  const config = parseConfig(JSON.stringify(settings), { baseDir: '.', environment: {}, name: 'test' });
  return scanLimitsOf(config.scan, config.ranges, kind);
};
const scheduleAdvice = (settings: object) =>
  limitsOf(settings, 'background').advice.filter((line) => line.startsWith('scan: '));

test('a background scan takes 100 connects a second, a manual one what the host bears', () => {
  const networks = ['127.20.0.0/22'];
  expect(limitsOf({ networks }, 'background').limits.maxPerSecond).toBe(100);
  expect(limitsOf({ networks }).limits.maxPerSecond).toBeUndefined();
});

test('what is configured holds for both', () => {
  const settings = { networks: ['127.20.0.0/22'], scan: { maxPerSecond: 40 } };
  expect([limitsOf(settings, 'background'), limitsOf(settings)].map(({ limits }) => limits.maxPerSecond)).toEqual([
    40, 40,
  ]);
});

test('a schedule too dense for its rate is reported, with both settings that solve it', () => {
  const networks = ['127.20.0.0/16'];
  expect(scheduleAdvice({ networks })).toEqual([
    'scan: 65534 addresses take 33 min at 100 connects a second (the default), longer than scan.every. ' +
      'Set scan.maxPerSecond to 110 or more if the network bears it, or scan.every to 40m.',
  ]);
  expect(scheduleAdvice({ networks, scan: { every: '1h' } })).toEqual([]);
  expect(scheduleAdvice({ networks, scan: { maxPerSecond: 200 } })).toEqual([]);
  expect(scheduleAdvice({ networks: ['127.20.0.0/22'] })).toEqual([]);
  expect(limitsOf({ networks }).advice.filter((line) => line.startsWith('scan: '))).toEqual([]);
});
