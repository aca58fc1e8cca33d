// Devices that come to an address of another one, or call themselves another one, while nobody looks: they are sent no
// login, no session and no order.
import { expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import type { Act } from './actor.ts';
import { CANARY, collector, innosilicon, playedSite, ruleFor, secretsIn } from './played-site.ts';
import { sightingsOf } from './sightings.ts';

const NET = loopback();
const RULE = ruleFor(NET);
const site = (credentials: object) => playedSite(NET, credentials);

test('a device with another MAC at the address of a miner, of whose coming nothing was seen, gets neither login nor session', async () => {
  const { actor, macs, meet, poll } = await site({ trust: 'network', ...RULE });
  const device = await actor(2, innosilicon);
  macs.set(device.ip, '02:00:00:00:00:01');
  const target = await meet(device.ip);
  await poll(target);
  expect(secretsIn(device.heard())).not.toEqual([]);

  device.act = collector;
  device.forget();
  macs.set(device.ip, '02:00:00:00:00:66');
  for (let times = 0; times < 3; times++) await poll(target);
  expect(device.heard()).toContain('getAll');
  expect(secretsIn(device.heard())).toEqual([]);
});

/** Says its MAC and serial number to anybody, as the one that it copies. */
const avalon = (mac: string): Act => ({
  tcp: (text) =>
    text.includes('version')
      ? JSON.stringify({
          STATUS: [{ STATUS: 'S' }],
          VERSION: [{ API: '3.7', PROD: 'AvalonMiner 1246', MAC: mac, DNA: 'abcd1234ef' }],
        })
      : JSON.stringify({ STATUS: [{ STATUS: 'S', Msg: 'done' }] }),
});

test('behind a router, a copy of an accepted miner at another address gets no order: not before the miner was asked, and not beside it', async () => {
  const { client, actor, meet, trust, signal } = await site(RULE);
  const [miner, copy] = [await actor(3, avalon('02:00:00:00:00:03')), await actor(4, avalon('02:00:00:00:00:03'))];
  const target = await meet(miner.ip);
  trust.record.accept(trust.record.devices());
  const pools = [{ url: 'stratum+tcp://pool.example:3333', user: 'farm.1', password: 'canary-of-a-pool' }];
  const set = (of: typeof target) => client.act(of, 'pools', { pools }, signal);
  await expect(set(await meet(copy.ip))).rejects.toMatchObject({ code: 'peer.auth', wasSent: false });
  // Refused, for it plays no more than its name: that it was sent is what counts.
  await set(target).catch(() => undefined);
  await expect(set(await meet(copy.ip))).rejects.toMatchObject({ code: 'peer.auth', wasSent: false });
  const secrets = { ...CANARY, pool: 'canary-of-a-pool' };
  expect(sightingsOf(secrets, { miner: miner.heard() })).toHaveLength(3);
  expect(sightingsOf(secrets, { copy: copy.heard() })).toEqual([]);
});

test.each([
  ['a minute after', false],
  ['after a silence of', true],
] as const)(
  'behind a router, what comes %s an accepted miner to its address, and proves nothing, gets no login',
  async (_, isSilent) => {
    const { actor, meet, poll, trust, passMinute } = await site(RULE);
    const miner = await actor(5, innosilicon);
    const target = await meet(miner.ip);
    trust.record.accept(trust.record.devices());
    await poll(target);
    expect(secretsIn(miner.heard())).toHaveLength(3);
    await miner.stop();
    if (isSilent) await poll(target);
    else passMinute();
    const stranger = await actor(5, collector);
    for (let times = 0; times < 3; times++) await poll(target);
    expect(stranger.heard()).toContain('getAll');
    expect(sightingsOf({ user: CANARY.user, password: CANARY.password }, { stranger: stranger.heard() })).toEqual([]);
  },
);

const SILENCES = {
  'hangs up': { raw: '' },
  'breaks off': { raw: 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"jw' },
  'is at a loss': { status: 500 },
  'knows no login': { status: 404 },
  'is busy': { status: 503 },
} as const;

test.each(Object.entries(SILENCES))(
  'a device that %s at a login gets the factory login once, and a configured one once a visit',
  async (_, reply) => {
    const act: Act = { ...innosilicon, web: ({ path }) => (path === '/api/auth' ? reply : { body: '{}' }) };
    const countsOf = async (last: number, credentials: object) => {
      const { actor, meet, poll } = await site(credentials);
      const device = await actor(last, act);
      const counts: number[] = [];
      const count = () => {
        counts.push((device.heard().match(/POST \/api\/auth/g) ?? []).length);
        device.forget();
      };
      const target = await meet(device.ip);
      count();
      for (let times = 0; times < 2; times++) {
        await poll(target);
        count();
      }
      return counts;
    };
    expect(await countsOf(6, {})).toEqual([1, 0, 0]);
    const perVisit = await countsOf(7, { trust: 'network', ...RULE });
    expect([perVisit[0], Math.max(...perVisit)]).toEqual([1, 1]);
  },
);
