// How hard a scan goes: gently when nobody waits for it, by the configuration where that says so.
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { scanLimitsOf } from '../../../../src/agent/scan/scan-limits.ts';

// Loopback is nobody's neighbour: what this host is does not matter here.
const paced = (settings: object, kind?: 'asked-for' | 'background') => {
  const config = parseConfig(JSON.stringify(settings), { baseDir: '.', environment: {}, name: 'test' });
  return scanLimitsOf(config.scan, config.ranges, kind);
};
const scheduleAdvice = (settings: object) =>
  paced(settings, 'background').advice.filter((line) => line.startsWith('scan: '));

test('a scan that nobody waits for takes 100 connects a second, one that somebody asks for what the host bears', () => {
  const networks = ['127.20.0.0/22'];
  expect(paced({ networks }, 'background').limits.maxPerSecond).toBe(100);
  expect(paced({ networks }).limits.maxPerSecond).toBeUndefined();
});

test('what is configured holds for both', () => {
  const settings = { networks: ['127.20.0.0/22'], scan: { maxPerSecond: 40 } };
  expect([paced(settings, 'background'), paced(settings)].map(({ limits }) => limits.maxPerSecond)).toEqual([40, 40]);
});

test('a schedule that is too dense for its pace is told, with both settings that end it', () => {
  const networks = ['127.20.0.0/16'];
  expect(scheduleAdvice({ networks })).toEqual([
    'scan: 65534 addresses take 33 min at 100 connects a second (the default), longer than scan.every. ' +
      'Set scan.maxPerSecond to 110 or more if the network bears it, or scan.every to 40m.',
  ]);
  expect(scheduleAdvice({ networks, scan: { every: '1h' } })).toEqual([]);
  expect(scheduleAdvice({ networks, scan: { maxPerSecond: 200 } })).toEqual([]);
  expect(scheduleAdvice({ networks: ['127.20.0.0/22'] })).toEqual([]);
  expect(paced({ networks }).advice.filter((line) => line.startsWith('scan: '))).toEqual([]);
});
