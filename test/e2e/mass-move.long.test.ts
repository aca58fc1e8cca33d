// A whole farm gets other addresses at once, and half of it the addresses of the others: every miner keeps its
// identity, and none appears twice. A whole site.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { type Site, startSite } from './site.ts';

const NET = loopback(26);
const MINERS = 30;
let site: Site;
let idOf: Map<string, string>;

beforeAll(async () => {
  // Loopback has no neighbours: what the devices tell is all there is.
  site = await startSite({ network: NET.network, miners: MINERS, mix: 'antminer-c', seed: 4, noise: 0 });
  const miners = await site.until(
    () => site.miners(),
    (found) => found.length === MINERS,
  );
  idOf = new Map(miners.map(({ mac, id }) => [mac, id]));
});
afterAll(() => site.stop());

/** Every miner is known by its id at the address where it is. */
async function allAreKnown() {
  const where = () => new Map(site.farm.devices.map((device) => [device.ip, idOf.get(device.truth().mac)]));
  const miners = await site.until(
    () => site.miners(),
    (found) => found.every(({ ip, id }) => where().get(ip) === id),
  );
  expect(miners).toHaveLength(MINERS);
  expect(miners.filter(({ unstable_reason: reason }) => reason !== null)).toEqual([]);
  expect(new Set(miners.map(({ id }) => id))).toEqual(new Set(idOf.values()));
}

test('to new addresses', async () => {
  const free = Array.from({ length: 62 }, (_, n) => NET.ip(n + 1)).filter((ip) => !site.farm.device(ip));
  await Promise.all(site.farm.devices.map((device, n) => site.farm.move(device.ip, free[n] ?? '')));
  await site.stack.agent.scan();
  await allAreKnown();
});

test('in pairs, each to the address of the other', async () => {
  const spare = Array.from({ length: 62 }, (_, n) => NET.ip(n + 1)).find((ip) => !site.farm.device(ip)) ?? '';
  for (let n = 0; n + 1 < MINERS; n += 2) {
    const [a, b] = [site.farm.devices[n]?.ip ?? '', site.farm.devices[n + 1]?.ip ?? ''];
    await site.farm.move(a, spare);
    await site.farm.move(b, a);
    await site.farm.move(spare, b);
  }
  await site.stack.agent.scan();
  await allAreKnown();
});
