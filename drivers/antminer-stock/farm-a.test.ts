// Simulated Antminers from before 2020 against their protocol, asked without any driver: its lies and traps.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Device, Farm } from '../../fixtures/farm/farm.ts';
import { ask, askText, getWithLogin, Json, jsonPage, ROOT, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 8, mix: 'antminer-a' });
});
afterAll(() => farm.stop());

const of = (family: string, model: string): Device => {
  const found = farm.devices.find((entry) => entry.family === family && entry.spec.model === model);
  if (!found) throw new Error(`no ${family} ${model} in the farm`);
  return found;
};

/** With the comma that the device forgets. */
const statsOf = async ({ ip }: Device) =>
  new Json(JSON.parse((await askText(ip, { command: 'stats' })).replace('}{', '},{')));

test('an S9 counts boards from 6, has its fans in places 3 and 6, and forgets a comma', async () => {
  const device = of('antminer-a', 'S9');
  expect(await askText(device.ip, { command: 'stats' })).toContain('}{"STATS":0');
  const stats = await statsOf(device);
  expect([stats.at('STATS', 1, 'chain_acn1'), stats.at('STATS', 1, 'chain_acn6')]).toEqual([0, 63]);
  expect([1, 2, 3, 6].map((place) => stats.number('STATS', 1, `fan${place}`) > 0)).toEqual([false, false, true, true]);
  expect(stats.at('STATS', 1, 'chain_rate1')).toBe('');
});

test('an L3+ writes MH/s where its keys say GH/s', async () => {
  const device = of('antminer-a', 'L3+');
  const stats = await statsOf(device);
  expect(Number(stats.at('STATS', 1, 'GHS 5s')) * 1e6).toBe(device.truth().hashrate);
});

test('old web: pages of the web of 2020 are missing, and `devdetails` is refused', async () => {
  const { ip } = of('antminer-a', 'S17');
  for (const page of ['summary.cgi', 'stats.cgi', 'get_blink_status.cgi'])
    expect((await getWithLogin(ip, `/cgi-bin/${page}`, ROOT)).status).toBe(404);
  expect((await jsonPage(ip, '/cgi-bin/get_miner_conf.cgi')).at('bitmain-work-mode')).toBe('0');
  expect((await ask(ip, 'devdetails')).at('STATUS', 0, 'Code')).toBe(45);
});
