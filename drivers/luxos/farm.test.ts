// Simulated LuxOS miners: one session for all that changes anything, boards out of order, and answers that agree with
// the truth.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Device, Farm } from '../../fixtures/farm/farm.ts';
import { ask, get, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 4, mix: 'luxos' });
});
afterAll(() => farm.stop());

const at = (index: number): Device => {
  const device = farm.devices[index];
  if (device === undefined) throw new Error('no such device');
  return device;
};
const order = async (device: Device, command: string, parameter: string) =>
  (await ask(device.ip, command, { parameter })).at('STATUS', 0);
const logOn = async (device: Device) => (await ask(device.ip, 'logon')).text('SESSION', 0, 'SessionID');

test('tells at each command what the truth says', async () => {
  for (const device of farm.devices) {
    const truth = device.truth();
    expect((await ask(device.ip, 'summary')).number('SUMMARY', 0, 'GHS 5s') * 1e9).toBe(truth.hashrate);
    expect((await ask(device.ip, 'config')).at('CONFIG', 0)).toMatchObject({
      MACAddr: truth.mac.toLowerCase(),
      SerialNumber: truth.serial_number,
      CurtailMode: 'None',
      Profile: 'default',
    });
    expect((await ask(device.ip, 'power')).at('POWER', 0, 'Watts')).toBe(truth.power);
    const stats = await ask(device.ip, 'stats');
    expect(truth.fans.map(({ index }) => stats.at('STATS', 1, `fan${index + 1}`))).toEqual(
      truth.fans.map(({ rpm }) => rpm),
    );
    expect(stats.number('STATS', 1, 'total_rateideal') * 1e9).toBe(truth.expected_hashrate);
  }
});

test('the last board comes first in devs, under its own id', async () => {
  const devs = await ask(at(0).ip, 'devs');
  expect(devs.list('DEVS').map((row) => row.at('ID'))).toEqual([2, 0, 1]);
  expect(devs.list('DEVS').map((row) => row.at('SerialNumber'))).toEqual(
    [2, 0, 1].map((slot) => at(0).truth().hashboards[slot]?.serial_number),
  );
});

test('the web page names the firmware and nothing else', async () => {
  expect((await get(at(0).ip, '/')).body).toContain('Luxor Firmware');
  expect((await get(at(0).ip, '/cgi-bin/get_system_info.cgi')).status).toBe(404);
});

describe('the session', () => {
  test('there is one, until it is closed', async () => {
    const device = at(1);
    const id = await logOn(device);
    expect((await ask(device.ip, 'session')).at('SESSION', 0, 'SessionID')).toBe(id);
    expect((await ask(device.ip, 'logon')).at('STATUS', 0)).toMatchObject({ STATUS: 'E', Code: 402 });
    expect(await order(device, 'logoff', id)).toMatchObject({ STATUS: 'S' });
    const next = await logOn(device);
    expect(next).not.toBe(id);
    expect(await order(device, 'logoff', next)).toMatchObject({ STATUS: 'S' });
  });

  test('is needed for what changes the machine, and the right one', async () => {
    const device = at(1);
    for (const command of ['ledset', 'curtail', 'profileset', 'rebootdevice', 'resetminer', 'logoff'])
      expect(await order(device, command, 'nobody,red,blink')).toMatchObject({ STATUS: 'E' });
    expect([device.truth().light_on, device.reboots]).toEqual([false, 0]);
  });

  test('ends by itself after a minute without use', async () => {
    const living = await testFarm({ miners: 1, mix: 'luxos', freeze: false, speed: 600 });
    const [device] = living.devices;
    if (device === undefined) throw new Error('a device wanted');
    await logOn(device);
    await expect.poll(() => ask(device.ip, 'logon').then((said) => said.at('STATUS', 0, 'STATUS'))).toBe('S');
    await living.stop();
  });
});

test('light, sleep and profile follow what is ordered', async () => {
  const device = at(2);
  const id = await logOn(device);
  await order(device, 'ledset', `${id},red,blink`);
  await order(device, 'curtail', `${id},sleep`);
  expect(device.truth()).toMatchObject({ light_on: true, mining_mode: 'sleep', is_mining: false, hashrate: 0 });
  expect(await order(device, 'profileset', `${id},default`)).toMatchObject({ STATUS: 'E' });
  await order(device, 'curtail', `${id},wakeup`);
  const low = (await ask(device.ip, 'profiles')).text('PROFILES', 0, 'Profile Name');
  await order(device, 'profileset', `${id},${low}`);
  expect(device.truth()).toMatchObject({ mining_mode: null, uptime: 0 });
  expect(await order(device, 'profileset', `${id},nope`)).toMatchObject({ STATUS: 'E' });
  expect(await order(device, 'ledset', `${id},blue,blink`)).toMatchObject({ STATUS: 'E' });
  await order(device, 'logoff', id);
});

test('pools: neither the last nor the one in use can be removed', async () => {
  const device = at(3);
  const urls = () => device.truth().pools.map(({ url }) => url);
  const [first, second] = urls();
  expect(await order(device, 'addpool', 'stratum+tcp://c.example:1,w,p,0')).toMatchObject({ STATUS: 'S' });
  expect(await order(device, 'removepool', '0')).toMatchObject({ STATUS: 'E' });
  expect(await order(device, 'switchpool', '2')).toMatchObject({ STATUS: 'S' });
  expect(await order(device, 'removepool', '2')).toMatchObject({ STATUS: 'E' });
  expect(urls()).toEqual([first, second, 'stratum+tcp://c.example:1']);
  expect(await order(device, 'removepool', '1')).toMatchObject({ STATUS: 'S' });
  expect(await order(device, 'removepool', '0')).toMatchObject({ STATUS: 'S' });
  expect(urls()).toEqual(['stratum+tcp://c.example:1']);
  expect(await order(device, 'removepool', '0')).toMatchObject({ STATUS: 'E' });
});
