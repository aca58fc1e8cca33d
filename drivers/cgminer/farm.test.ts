// The simulated mining program that is nothing more: what it answers with and without a device, and what it refuses.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Farm } from '../../fixtures/farm/farm.ts';
import { ask, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 2, mix: 'cgminer' });
});
afterAll(() => farm.stop());

test('devs is an error when there is no device, and a device otherwise', async () => {
  const [withDevice, without] = farm.devices;
  expect((await ask(withDevice?.ip ?? '', 'devs')).at('DEVS', 0, 'Status')).toBe('Alive');
  expect((await ask(without?.ip ?? '', 'devs')).at('STATUS', 0)).toMatchObject({
    STATUS: 'E',
    Code: 10,
    Msg: 'No ASCs',
  });
  expect(without?.truth().hashboards).toEqual([]);
});

test('tells rate and pools, no MAC, and grants no writes', async () => {
  const [one] = farm.devices;
  const ip = one?.ip ?? '';
  expect((await ask(ip, 'summary')).number('SUMMARY', 0, 'MHS 5s') * 1e6).toBe(one?.truth().hashrate);
  expect((await ask(ip, 'version')).at('VERSION', 0)).toEqual({ CGMiner: '4.11.1', API: '3.7' });
  expect(one?.truth()).toMatchObject({ mac: '', make: null, model: null, serial_number: null });
  expect((await ask(ip, 'restart')).at('STATUS', 0)).toMatchObject({ STATUS: 'E', Code: 45 });
});
