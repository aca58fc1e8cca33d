// A simulated FutureBit against its protocol, asked without any driver.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Farm } from '../../fixtures/farm/farm.ts';
import { get, testFarm } from '../../test/unit/farm/clients.ts';

let farm: Farm;
beforeAll(async () => {
  farm = await testFarm({ miners: 1, mix: 'futurebit' });
});
afterAll(() => farm.stop());

test('a FutureBit sends everybody on', async () => {
  const ip = farm.devices[0]?.ip ?? '';
  const page = await get(ip, '/');
  expect([page.status, page.headers.location]).toEqual([308, '/overview']);
});
