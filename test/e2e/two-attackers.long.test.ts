// Two devices work together to be taken for a miner that is away, on a routed network where only devices say who they
// are: one takes its address and another one shows its facts elsewhere, or both show everything. Neither is it, and a
// person gives the miner back what it had. A whole site, real sockets.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Device, FaultName } from '../../fixtures/farm/farm.ts';
import { findRunningAgent } from '../../src/agent/control/control-client.ts';
import { loopback } from '../support/loopback.ts';
import { type Site, startSite } from './site.ts';

const NET = loopback(23);
/** Where each half of it begins. */
const [INSIDE, OUTSIDE] = [0, 256];
const MIX = { 'antminer-c': 5, axeos: 3 };
const MINERS = MIX['antminer-c'] + MIX.axeos;
const EVERYTHING = ['duplicate-mac', 'duplicate-serial', 'duplicate-boards'] as const satisfies readonly FaultName[];
/** Polls that come with jitter, and three looks before a unit is one of its own. */
const ENOUGH_POLLS = 12;

let site: Site;
let idOf: ReadonlyMap<string, string>;
let keyOf: ReadonlyMap<string, string>;

const device = (driver: string, index: number): Device => {
  const found = site.farm.devices.filter((one) => one.driver === driver)[index];
  if (found === undefined) throw new Error('the farm is too small');
  return found;
};
const antminer = (index: number) => device('antminer-stock', index);
/** It tells a MAC and no serial number. */
const axe = (index: number) => device('axeos', index);
const keyAt = (ip: string) => [...site.stack.agent.fleet.all()].find(({ target }) => target.ip === ip)?.key ?? '';
const placesIn = (half: number) => Array.from({ length: 254 }, (_, n) => NET.ip(half + n + 1));
const freeIn = (half: number) => placesIn(half).find((ip) => !site.farm.device(ip)) ?? '';
const suspects = async () => {
  const found = await findRunningAgent(site.stateDir);
  if (found.kind !== 'running') throw new Error(`the agent cannot be asked: ${found.kind}`);
  const { suspects: all } = await found.agent.state().finally(() => found.agent.close());
  return all.map(({ ip }) => ip);
};
async function settle(ip: string) {
  const found = await findRunningAgent(site.stateDir);
  if (found.kind !== 'running') throw new Error(`the agent cannot be asked: ${found.kind}`);
  const request = { units: [ip], dry_run: false, by: 'test' };
  return found.agent.settle(request, AbortSignal.timeout(60_000)).finally(() => found.agent.close());
}
/** So many more answers of every address of these. */
async function polled(ips: readonly string[], times = ENOUGH_POLLS) {
  const readAt = () =>
    ips.map((ip) => [...site.stack.agent.fleet.all()].find(({ target }) => target.ip === ip)?.readAt?.elapsedMs);
  for (let n = 0; n < times; n++) {
    const before = readAt();
    await site.until(readAt, (now) => now.every((at, index) => at !== undefined && at !== before[index]));
  }
}

beforeAll(async () => {
  site = await startSite(
    { network: NET.network, miners: MINERS, mix: MIX, seed: 12, noise: 0, bootS: 3, warmUpS: 1 },
    { networks: [NET.part(INSIDE, 24)], poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' } },
  );
  const strangers = [antminer(3), antminer(4), axe(1), axe(2)];
  for (const one of site.farm.devices) {
    const isStranger = strangers.includes(one);
    const half = isStranger ? OUTSIDE : INSIDE;
    if (!placesIn(half).includes(one.ip)) await site.farm.move(one.ip, freeIn(half));
  }
  await site.stack.agent.scan();
  const own = () => site.farm.devices.filter((one) => !strangers.includes(one));
  const miners = await site.until(
    () => site.miners(),
    (found) => own().every(({ ip }) => found.some((miner) => miner.ip === ip && miner.mac !== '')),
  );
  idOf = new Map(miners.map(({ ip, id }) => [ip, id]));
  keyOf = new Map(own().map(({ ip }) => [ip, keyAt(ip)]));
});
afterAll(() => site.stop());

test('one takes the address of a miner, another one shows its MAC: neither is it, and the miner is again by a word', async () => {
  const [victim, taker, copier] = [axe(0), axe(1), axe(2)];
  const home = victim.ip;
  const [id, key] = [idOf.get(home), keyOf.get(home) ?? ''];
  await site.farm.move(home, freeIn(OUTSIDE));
  await site.farm.move(taker.ip, home);
  await site.until(
    () => keyAt(home),
    (now) => now !== key && now !== '',
  );
  copier.setFault('duplicate-mac', true, victim.ip);
  await site.farm.move(copier.ip, freeIn(INSIDE));
  await site.stack.agent.scan();
  await site.until(suspects, (ips) => ips.includes(copier.ip));
  await polled([home, copier.ip]);
  expect([keyAt(home), keyAt(copier.ip)]).not.toContain(key);
  const shown = await site.miners();
  expect(shown.filter((miner) => miner.id === id && miner.ip !== home)).toEqual([]);
  const order = { name: 'miner.system.reboot', minerKey: keyAt(copier.ip), params: { force: true } };
  expect(await site.stack.agent.tasks.runLocal(order).outcome).toMatchObject({ status: 'failed' });
  expect(copier.reboots).toBe(0);

  // It is back at a third address, and in doubt as long as the other one shows the same.
  await site.farm.move(victim.ip, freeIn(INSIDE));
  copier.setFault('duplicate-mac', true, victim.ip);
  await site.stack.agent.scan();
  await site.until(suspects, (ips) => ips.includes(victim.ip));
  expect(await settle(victim.ip)).toMatchObject([{ outcome: 'settled', key, from: home, rejected: [copier.ip] }]);
  const back = await site.until(
    () => site.miners(),
    (miners) =>
      miners.some((miner) => miner.id === id && miner.ip === victim.ip && miner.unstable_reason === 'sn_empty'),
  );
  expect(back.filter((miner) => miner.id === id)).toHaveLength(1);
  expect(await suspects()).toEqual([copier.ip]);
});

test('two show everything of a miner that is away: neither is it, both are named, and the miner is itself when it is back', async () => {
  const [victim, one, two] = [antminer(0), antminer(3), antminer(4)];
  const home = victim.ip;
  const [id, key] = [idOf.get(home), keyOf.get(home) ?? ''];
  for (const copier of [one, two]) for (const fault of EVERYTHING) copier.setFault(fault, true, victim.ip);
  await site.farm.move(home, freeIn(OUTSIDE));
  // What they copy is found by the address.
  for (const copier of [one, two]) for (const fault of EVERYTHING) copier.setFault(fault, true, victim.ip);
  for (const copier of [one, two]) await site.farm.move(copier.ip, freeIn(INSIDE));
  await site.stack.agent.scan();
  await site.until(suspects, (ips) => [one, two].every(({ ip }) => ips.includes(ip)));
  await polled([one.ip, two.ip]);
  expect([keyAt(one.ip), keyAt(two.ip)]).not.toContain(key);
  await site.farm.move(victim.ip, home);
  for (const copier of [one, two]) for (const fault of EVERYTHING) copier.setFault(fault, true, home);
  await polled([home], 3);
  expect(keyAt(home)).toBe(key);
  const shown = await site.miners();
  expect(shown.filter((miner) => miner.id === id).map(({ ip }) => ip)).toEqual([home]);
});

test('one that shows its own facts and those of a miner by turns takes nothing from it, and is named', async () => {
  const [victim, turner] = [antminer(1), antminer(2)];
  const [id, key] = [idOf.get(victim.ip), keyOf.get(victim.ip) ?? ''];
  const turns = setInterval(() => {
    isCopying = !isCopying;
    for (const fault of EVERYTHING) turner.setFault(fault, isCopying, victim.ip);
  }, 6_000);
  let isCopying = false;
  try {
    await site.until(suspects, (ips) => ips.includes(turner.ip));
    await polled([victim.ip], 40);
  } finally {
    clearInterval(turns);
  }
  expect(keyAt(victim.ip)).toBe(key);
  expect((await site.miners()).filter((miner) => miner.id === id).map(({ ip }) => ip)).toEqual([victim.ip]);
  expect(await suspects()).toContain(turner.ip);
});
