// Simulated Hammers against their protocols: their own keys, the lies, and one truth behind both servers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Device, Farm } from '../../fixtures/farm/farm.ts';
import { ask, askText, challengeOf, jsonPage, ROOT, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 4, mix: 'hammer' });
});
afterAll(() => farm.stop());

function device(nth: number): Device {
  const found = farm.devices[nth];
  if (!found) throw new Error(`the farm has no device ${nth}`);
  return found;
}

test('the realm is that of a Blackminer', async () => {
  expect(await challengeOf(device(0).ip)).toContain('realm="blackMiner Configuration"');
});

test('each sensor key comes four times, the second chip last; the fourth chain is a placeholder', async () => {
  const one = device(0);
  const text = await askText(one.ip, { command: 'stats' });
  expect(text.match(/"temp1":/g)).toHaveLength(4);
  const stats = await ask(one.ip, 'stats');
  expect(Math.max(...[1, 2, 3].map((chain) => stats.number('STATS', 1, `temp${chain}`)))).toBe(one.truth().temp);
  expect(stats.at('STATS', 1)).toMatchObject({ temp4: 0, chain_acn4: 0, chain_rate4: '', fan_num: 4 });
  expect(stats.number('STATS', 1, 'MHS 5s') * 1e6).toBe(one.truth().hashrate);
  const summary = await ask(one.ip, 'summary');
  expect(summary.at('SUMMARY', 0, 'Accepted')).toBe(summary.at('SUMMARY', 0, 'Rejected'));
});

test('the light is told by the code of the switch', async () => {
  const one = device(0);
  const status = async () => (await jsonPage(one.ip, '/cgi-bin/get_blink_status.cgi')).value;
  expect(await status()).toEqual({ code: 'B100' });
  await jsonPage(one.ip, '/cgi-bin/blink.cgi', ROOT, { method: 'POST', body: '{"blink":"true"}' });
  expect(await status()).toEqual({ code: 'B000' });
  expect(one.truth().light_on).toBe(true);
});

test('shares grow although scrypt rates are small', () => {
  expect(device(0).truth().pools[0]?.difficulty_accepted).toBeGreaterThan(0);
});
