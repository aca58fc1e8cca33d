// Strangers come to a farm and show the facts of its miners, before, during and after a restart of each: none is taken
// for one, none proves a restart, none gets an order. And the farm moves to other addresses as a whole: every miner is
// known again. A whole site, real sockets.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Device } from '../../fixtures/farm/farm.ts';
import { loopback } from '../support/loopback.ts';
import { neighbourAt } from '../support/neighbours.ts';
import { type Site, startSite } from './site.ts';

const CLAIMS = {
  MAC: ['duplicate-mac'],
  serial: ['duplicate-serial'],
  'MAC and serial': ['duplicate-mac', 'duplicate-serial'],
} as const;
const PHASES = ['before', 'during', 'for good', 'after'] as const;
const ENTRIES = ['own', 'none'] as const;
const CASES = PHASES.flatMap((phase) =>
  (['MAC', 'serial', 'MAC and serial'] as const).flatMap((claim) => ENTRIES.map((entry) => ({ phase, claim, entry }))),
);
const NET = loopback(23);
/** A stranger hashes so little that its readings are known anywhere. */
const LITTLE = 0.01;
/** A miner that warms up hashes as little, but hardly ever just as much. */
const LITTLE_WITHIN = 0.05;

let site: Site;
/** Addresses that the network says nothing of. */
const unseen = new Set<string>();
type Pair = (typeof CASES)[number] & { victim: Device; stranger: Device; key: string; id: string };
let pairs: Pair[];
let watching: NodeJS.Timeout;
const foreignReadings = new Set<string>();

const agent = () => site.stack.agent;
const keyAt = (ip: string) => [...agent().fleet.all()].find(({ target }) => target.ip === ip)?.key ?? '';
const readingAt = (key: string) => agent().fleet.get(key)?.reading?.hashrateHs ?? 0;
const isOf = (stranger: Device, hashrateHs: number) =>
  Math.abs(hashrateHs / (stranger.spec.hashrateHs * LITTLE) - 1) < LITTLE_WITHIN;
const within = (phase: Pair['phase']) => pairs.filter((pair) => pair.phase === phase);
const reboot = (key: string) => agent().tasks.runLocal({ name: 'miner.system.reboot', minerKey: key }).outcome;

/** Strangers begin to show their victims' facts, and come to an address of the farm. */
async function arrive(strangers: readonly Pair[]) {
  for (const { victim, stranger, claim, entry } of strangers) {
    stranger.setFault('low-hashrate', true, LITTLE);
    for (const fault of CLAIMS[claim]) stranger.setFault(fault, true, victim.ip);
    const to = Array.from({ length: 253 }, (_, n) => NET.ip(n + 2)).find((ip) => !site.farm.device(ip));
    if (entry === 'none') unseen.add(to ?? '');
    await site.farm.move(stranger.ip, to ?? '');
  }
  await agent().scan();
}

beforeAll(async () => {
  const count = 2 * CASES.length;
  site = await startSite(
    { network: NET.network, miners: count, mix: 'antminer-c', seed: 3, noise: 0, bootS: 4, warmUpS: 2 },
    {
      networks: [NET.part(0, 24)],
      poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
      tasks: {
        reboot: { concurrency: 50, backS: 20, hashS: 60, graceS: 10, checkEveryS: 0.2 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    },
    (farm, ip) => (unseen.has(ip) ? undefined : neighbourAt(farm, ip)),
  );
  const miners = await site.until(
    () => site.miners(),
    (found) => found.length === CASES.length,
  );
  const [here, outside] = [site.farm.devices.slice(0, CASES.length), site.farm.devices.slice(CASES.length)];
  pairs = CASES.flatMap((kind, index) => {
    const [victim, stranger] = [here[index], outside[index]];
    const id = miners.find(({ ip }) => ip === victim?.ip)?.id;
    if (victim === undefined || stranger === undefined || id === undefined) throw new Error('the farm is too small');
    return [{ ...kind, victim, stranger, key: keyAt(victim.ip), id }];
  });
  watching = setInterval(() => {
    for (const { phase, claim, entry, key, victim, stranger } of pairs) {
      const ip = agent().fleet.get(key)?.target.ip ?? victim.ip;
      if (isOf(stranger, readingAt(key)) || ip !== victim.ip)
        foreignReadings.add(`${phase} ${claim} ${entry}: ${victim.ip} at ${ip} reads ${readingAt(key)} H/s`);
    }
  }, 50);
});
afterAll(async () => {
  clearInterval(watching);
  await site.stop();
});

test('a stranger that comes before a restart is found out, and neither is restarted', async () => {
  await arrive(within('before'));
  const contested = await site.until(
    () => within('before').filter(({ key }) => agent().fleet.get(key)?.reported?.document.unstable_reason != null),
    (found) => found.length === within('before').length,
  );
  for (const { victim, stranger, key } of contested) {
    const [own, other] = await Promise.all([reboot(key), reboot(keyAt(stranger.ip))]);
    expect(own).toMatchObject({ status: 'failed', message: expect.stringContaining(stranger.ip) });
    expect(other).toMatchObject({ status: 'failed', message: expect.stringContaining(victim.ip) });
    expect([victim.reboots, stranger.reboots]).toEqual([0, 0]);
  }
});

test('one that comes while its victim restarts proves nothing: the miner itself does, or nobody', async () => {
  const going = [...within('during'), ...within('for good')];
  for (const { victim } of within('for good')) victim.setFault('never-returns', true);
  const outcomes = going.map(({ key }) => reboot(key));
  await site.until(
    () => going.filter(({ victim }) => victim.isUp).length,
    (up) => up === 0,
  );
  await arrive(going);
  const ends = await Promise.all(outcomes);
  for (const [index, { phase, victim, stranger }] of going.entries()) {
    expect(ends[index]?.status, JSON.stringify(ends[index])).toBe(phase === 'during' ? 'succeeded' : 'timeout');
    expect([victim.reboots, stranger.reboots]).toEqual([1, 0]);
  }
  for (const { victim } of within('for good')) victim.setFault('never-returns', false);
});

test('one that comes after a restart is found out, too', async () => {
  const ends = await Promise.all(within('after').map(({ key }) => reboot(key)));
  expect(ends.map(({ status }) => status)).toEqual(within('after').map(() => 'succeeded'));
  await arrive(within('after'));
});

test('in the end each miner has its identity and its history, each stranger one of its own, and both are flagged', async () => {
  const shown = await site.until(
    () => site.miners(),
    (miners) => {
      const flagged = new Set(miners.flatMap(({ ip, unstable_reason: reason }) => (reason === null ? [] : ip)));
      return pairs.every(({ victim, stranger }) => flagged.has(victim.ip) && flagged.has(stranger.ip));
    },
  );
  for (const { phase, claim, entry, victim, stranger, key, id } of pairs) {
    const what = `${claim} ${entry} ${phase}`;
    const at = (ip: string) => shown.find((miner) => miner.ip === ip);
    expect(at(victim.ip)?.id, what).toBe(id);
    expect(keyAt(victim.ip), what).toBe(key);
    expect([undefined, id], what).not.toContain(at(stranger.ip)?.id);
    expect(isOf(stranger, readingAt(keyAt(stranger.ip))), `${what}: a reading of the stranger is known`).toBe(true);
    expect(at(victim.ip)?.unstable_reason, what).toMatch(claim === 'serial' ? /sn_duplicate/ : /duplicate|all_invalid/);
  }
  expect(shown).toHaveLength(2 * CASES.length);
  expect([...foreignReadings].join('\n')).toBe('');
});

test('nothing that changes either, or holds a secret, is sent to any of them', async () => {
  const pools = [{ url: 'stratum+tcp://new.example:3333', user: 'a.b', password: 'secret' }];
  for (const { victim, stranger } of pairs) {
    for (const device of [victim, stranger]) {
      const before = device.truth();
      const order = { name: 'miner.pool.update', minerKey: keyAt(device.ip), params: { pools } };
      const { status, message } = await agent().tasks.runLocal(order).outcome;
      expect([status, message]).toEqual(['failed', expect.stringContaining('refused')]);
      expect(device.truth().pools).toEqual(before.pools);
    }
  }
});
