// Simulated Elphapex against their protocol: their own units and keys, the lies, and one truth behind the pages.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Device, Farm } from '../../fixtures/farm/farm.ts';
import { challengeOf, type Json, jsonPage, ROOT, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 4, mix: 'elphapex' });
});
afterAll(() => farm.stop());

function device(isWanted: (one: Device) => boolean = () => true): Device {
  const found = farm.devices.find(isWanted);
  if (!found) throw new Error('no such Elphapex in the farm');
  return found;
}
const home = () => device(({ spec }) => spec.model === 'DG1Home');

test('the realm is its own', async () => {
  expect(await challengeOf(device().ip)).toContain('realm="Daoge');
});

test('four slots, the empty ones with the board sensors of the full one; thousandths, and a clock in no unit', async () => {
  const stats = await jsonPage(home().ip, '/cgi-bin/stats.cgi');
  const chain = stats.list('STATS', 0, 'chain');
  expect(chain.map((slot) => slot.at('asic_num'))).toEqual([0, 0, 0, 120]);
  expect(chain[0]?.at('temp_chip')).toEqual(['', '', '', '']);
  expect(chain[0]?.at('temp_pcb')).toEqual(chain[3]?.at('temp_pcb'));
  expect(chain[3]?.at('freq_avg')).toBe(62_000);
  const chips = chain[3]?.list('temp_chip').map((sensor) => sensor.number() / 1_000) ?? [];
  expect(Math.max(...chips)).toBe(home().truth().temp);
  expect(stats.number('STATS', 0, 'rate_5s') * 1e6).toBe(home().truth().hashrate);
  expect(stats.number('STATUS', 'when')).toBeLessThan(1e8);
});

test('the power page has texts, tenths of a degree and its own serial number', async () => {
  const power = await jsonPage(home().ip, '/cgi-bin/get_power.cgi');
  const { psus, power: watts } = home().truth();
  expect(power.value).toEqual({
    power_output: String(watts),
    power_sn: psus[0]?.serial_number,
    power_temp: String((psus[0]?.temperature ?? 0) * 10),
  });
});

test('half a configuration is refused, a whole one restarts the process', async () => {
  const one = home();
  const conf = (await jsonPage(one.ip, '/cgi-bin/get_miner_conf.cgi')).value;
  const write = (body: object): Promise<Json> =>
    jsonPage(one.ip, '/cgi-bin/set_miner_conf.cgi', ROOT, { method: 'POST', body: JSON.stringify(body) });
  expect((await write({ 'fc-work-mode': 1 })).at('stats')).toBe('error');
  expect(one.truth().mining_mode).toBe('normal');
  expect((await write({ ...Object(conf), 'fc-work-mode': 1 })).at('code')).toBe('M000');
  expect(one.truth()).toMatchObject({ mining_mode: 'sleep', uptime: 0, hashrate: 0, is_mining: false });
  expect((await write({ ...Object(conf), 'fc-work-mode': 0 })).at('code')).toBe('M000');
});
