// Simulated VolcMiners against their protocols: their own units and ports, the lies, and one truth behind both servers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Device, Farm } from '../../fixtures/farm/farm.ts';
import { challengeOf, getWithLogin, jsonPage, ROOT, talk, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 4, mix: 'volcminer' });
});
afterAll(() => farm.stop());

const DOG = { user: 'root', password: 'ltc@dog' };
function device(nth: number): Device {
  const found = farm.devices[nth];
  if (!found) throw new Error(`the farm has no device ${nth}`);
  return found;
}

test('the realm is that of a Blackminer, which a Hammer has, too', async () => {
  expect(await challengeOf(device(0).ip)).toContain('realm="blackMiner Configuration"');
});

test('its own password, MH/s under the name of GH/s, thousands separators, and one in two not quite JSON', async () => {
  const [plain, sloppy] = [device(0), device(1)];
  expect((await getWithLogin(plain.ip, '/cgi-bin/get_miner_status.cgi', ROOT)).status).toBe(401);
  const status = await jsonPage(plain.ip, '/cgi-bin/get_miner_status.cgi', DOG);
  expect(status.text('summary', 'ghs5s')).toMatch(/^\d\d,\d{3}\.\d$/);
  expect(Number(status.text('summary', 'ghs5s').replace(',', '')) * 1e6).toBe(plain.truth().hashrate);
  expect(status.list('devs').map((dev) => dev.at('chain_acn'))).toEqual(['105', '105', '105', '0']);
  const broken = (await getWithLogin(sloppy.ip, '/cgi-bin/get_miner_status.cgi', DOG)).body;
  expect(() => JSON.parse(broken)).toThrow();
});

test('the API is on 8359 where it is open at all, and forgets a comma', async () => {
  const [shut, open] = [device(0), device(1)];
  await expect(talk(shut.ip, 8359, '{"command":"stats"}')).rejects.toThrow('ECONNREFUSED');
  await expect(talk(open.ip, 4028, '{"command":"stats"}')).rejects.toThrow('ECONNREFUSED');
  const text = (await talk(open.ip, 8359, '{"command":"stats"}')).toString('latin1').replace(/\0$/, '');
  expect(text).toContain('}{"STATS":0');
  const stats: { STATS: Record<string, unknown>[] } = JSON.parse(text.replace('}{', '},{'));
  expect(Number(String(stats.STATS[1]?.['MHS 5s']).replace(',', ''))).toBe((open.truth().hashrate ?? 0) / 1e6);
});
