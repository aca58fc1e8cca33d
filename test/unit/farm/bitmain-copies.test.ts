// Simulated Elphapex, Hammer and VolcMiner against their protocols: their own units and keys, the lies, and one truth
// behind every server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Device, Farm } from '../../../fixtures/farm/farm.ts';
import { ask, askText, get, getWithLogin, type Json, jsonPage, ROOT, talk, testFarm } from './clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 12, mix: 'elphapex=1,hammer=1,volcminer=1' });
});
afterAll(() => farm.stop());

const DOG = { user: 'root', password: 'ltc@dog' };
const of = (driver: string, test: (one: Device) => boolean = () => true): Device => {
  const found = farm.devices.find((entry) => entry.driver === driver && test(entry));
  if (!found) throw new Error(`no ${driver} in the farm`);
  return found;
};
const home = () => of('elphapex', ({ spec }) => spec.model === 'DG1Home');

test('the realms are their own, and Hammer and VolcMiner share one', async () => {
  const realm = async (driver: string) => String((await get(of(driver).ip, '/')).headers['www-authenticate']);
  expect(await realm('elphapex')).toContain('realm="Daoge');
  expect(await realm('hammer')).toContain('realm="blackMiner Configuration"');
  expect(await realm('volcminer')).toContain('realm="blackMiner Configuration"');
});

test('Elphapex: four slots, the empty ones with the board sensors of the full one; thousandths, and a clock in no unit', async () => {
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

test('Elphapex: the power page has texts, tenths of a degree and its own serial number', async () => {
  const power = await jsonPage(home().ip, '/cgi-bin/get_power.cgi');
  const { psus, power: watts } = home().truth();
  expect(power.value).toEqual({
    power_output: String(watts),
    power_sn: psus[0]?.serial_number,
    power_temp: String((psus[0]?.temperature ?? 0) * 10),
  });
});

test('Elphapex: half a configuration is refused, a whole one restarts the process', async () => {
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

test('Hammer: each sensor key comes four times, the second chip last; the fourth chain is a placeholder', async () => {
  const one = of('hammer');
  const text = await askText(one.ip, { command: 'stats' });
  expect(text.match(/"temp1":/g)).toHaveLength(4);
  const stats = await ask(one.ip, 'stats');
  expect(Math.max(...[1, 2, 3].map((chain) => stats.number('STATS', 1, `temp${chain}`)))).toBe(one.truth().temp);
  expect(stats.at('STATS', 1)).toMatchObject({ temp4: 0, chain_acn4: 0, chain_rate4: '', fan_num: 4 });
  expect(stats.number('STATS', 1, 'MHS 5s') * 1e6).toBe(one.truth().hashrate);
  const summary = await ask(one.ip, 'summary');
  expect(summary.at('SUMMARY', 0, 'Accepted')).toBe(summary.at('SUMMARY', 0, 'Rejected'));
});

test('Hammer: the light is told by the code of the switch', async () => {
  const one = of('hammer');
  const status = async () => (await jsonPage(one.ip, '/cgi-bin/get_blink_status.cgi')).value;
  expect(await status()).toEqual({ code: 'B100' });
  await jsonPage(one.ip, '/cgi-bin/blink.cgi', ROOT, { method: 'POST', body: '{"blink":"true"}' });
  expect(await status()).toEqual({ code: 'B000' });
  expect(one.truth().light_on).toBe(true);
});

test('VolcMiner: its own password, MH/s under the name of GH/s, thousands separators, and one in two not quite JSON', async () => {
  const [plain, sloppy] = farm.devices.filter(({ driver }) => driver === 'volcminer');
  if (!plain || !sloppy) throw new Error('too few in the farm');
  expect((await getWithLogin(plain.ip, '/cgi-bin/get_miner_status.cgi', ROOT)).status).toBe(401);
  const status = await jsonPage(plain.ip, '/cgi-bin/get_miner_status.cgi', DOG);
  expect(status.text('summary', 'ghs5s')).toMatch(/^\d\d,\d{3}\.\d$/);
  expect(Number(status.text('summary', 'ghs5s').replace(',', '')) * 1e6).toBe(plain.truth().hashrate);
  expect(status.list('devs').map((dev) => dev.at('chain_acn'))).toEqual(['105', '105', '105', '0']);
  const broken = (await getWithLogin(sloppy.ip, '/cgi-bin/get_miner_status.cgi', DOG)).body;
  expect(() => JSON.parse(broken)).toThrow();
});

test('VolcMiner: the API is on 8359 where it is open at all, and forgets a comma', async () => {
  const [shut, open] = farm.devices.filter(({ driver }) => driver === 'volcminer');
  if (!shut || !open) throw new Error('too few in the farm');
  await expect(talk(shut.ip, 8359, '{"command":"stats"}')).rejects.toThrow('ECONNREFUSED');
  await expect(talk(open.ip, 4028, '{"command":"stats"}')).rejects.toThrow('ECONNREFUSED');
  const text = (await talk(open.ip, 8359, '{"command":"stats"}')).toString('latin1').replace(/\0$/, '');
  expect(text).toContain('}{"STATS":0');
  const stats: { STATS: Record<string, unknown>[] } = JSON.parse(text.replace('}{', '},{'));
  expect(Number(String(stats.STATS[1]?.['MHS 5s']).replace(',', ''))).toBe((open.truth().hashrate ?? 0) / 1e6);
});

test('shares grow although scrypt rates are small', () => {
  expect(of('hammer').truth().pools[0]?.difficulty_accepted).toBeGreaterThan(0);
});
