// A simulated Sealminer against its protocol, asked without any driver.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Farm } from '../../fixtures/farm/farm.ts';
import { ask, get, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 1, mix: 'sealminer' });
});
afterAll(() => farm.stop());

test('a Sealminer shows the login form to whoever asks, with status 200', async () => {
  const ip = farm.devices[0]?.ip ?? '';
  for (const path of ['/', '/cgi-bin/get_system_info.php']) {
    const page = await get(ip, path);
    expect([page.status, page.body.includes('origin_pwd')]).toEqual([200, true]);
  }
  const stats = await ask(ip, 'stats');
  // One number in front, two things behind it.
  expect([stats.number('STATS', 0, '0 Speed') > 1_000, stats.number('STATS', 0, '0 Freq')]).toEqual([true, 585]);
});
