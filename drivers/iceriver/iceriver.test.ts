// Iceriver on real sockets: known by its page, read as it is with one request, and told what it can be told through the
// forms of its pages.
import { describe, expect, test } from 'vitest';
import type { FaultName } from '../../fixtures/farm/farm.ts';
import { PeerError } from '../../src/base/errors.ts';
import { acting, returned } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { iceriver as driver } from './index.ts';

const site = standing(driver, { miners: 8, mix: 'iceriver' });

const MODELS = ['KS3M', 'KS5L', 'AL3', 'KS0'] as const;
const { of, look, ability, act, shown, withFault, refusedLogin, readsFault, forbids, findsOut } = acting(driver, site);

const POOLS = {
  pools: [
    { url: 'stratum+tcp://new-a.example:3333', user: 'kaspa:farm.x', password: 'secret&y=1' },
    { url: 'stratum+tcp://new-b.example:443', user: 'kaspa:farm.z', password: 'y' },
  ],
};

test('is known by its web page alone, and has no other server', async () => {
  const found = await site().recognise(of('KS3M').ip);
  expect(found?.known).toEqual({ make: 'Iceriver' });
  expect(found?.evidence.version).toBeUndefined();
});

describe.each(MODELS)('%s', (model) => {
  test('is read as it is, with one request per poll after the login', async () => {
    const device = of(model);
    await look(device);
    const before = device.requests;
    const { reading, failed, unparsable } = await site().read(device.ip);
    expect({ failed, unparsable, requests: device.requests - before }).toEqual({
      failed: [],
      unparsable: [],
      requests: Object.keys(driver.asks).length,
    });
    expect(Object.values(driver.asks).filter(({ every }) => every === 'poll')).toHaveLength(1);
    expectTruth(reading, device);
  });

  test.each<{ readonly fault: FaultName; readonly value?: string | number }>([
    { fault: 'board-dead' },
    { fault: 'fan-stopped' },
    { fault: 'pool-dead' },
    { fault: 'hot' },
    { fault: 'low-hashrate', value: 0.6 },
    { fault: 'duplicate-mac' },
  ])('$fault $value is read as it is', ({ fault, value }) => readsFault(of(model), fault, value));
});

test('what lies is not believed: chips called bad, an ideal of one chip or of nothing', async () => {
  const ks3m = await look(of('KS3M'));
  expect(ks3m.boards?.map(({ chips, badChips }) => [chips, badChips])).toEqual(
    Array.from({ length: 3 }, () => [18, undefined]),
  );
  expect(ks3m.expected).toMatchObject({ hashrateHs: 6e12, boards: 3, chipsPerBoard: 18, fans: 4 });
  const ks0 = await look(of('KS0'));
  expect(ks0.boards?.[0]).not.toHaveProperty('expectedHashrateHs');
  // It has one board of the three that the table gives to the series, and two fans that are no part of it.
  expect(ks0.expected).toEqual({ chipsPerBoard: 18, own: ['chipsPerBoard'], cooling: 'air', hashrateHs: 1e11 });
  expect(ks0.fans).toHaveLength(2);
});

test.each(['reboot', 'light', 'pools', 'log'] as const)('a wrong password is told as such: %s', async (name) => {
  await refusedLogin(of('AL3'), name, { ...POOLS, on: true });
  expect(of('AL3').reboots).toBe(0);
});

describe('reboot', () => {
  test('accepted, and away it goes; the session ends with it and a new one is opened', async () => {
    const device = of('KS5L', 1);
    await look(device);
    expect(await act(device, 'reboot')).toEqual({ kind: 'accepted' });
    await returned(device);
    expect((await look(device)).uptimeS).toBeLessThan(3_600);
  });
  test('refused, or lied about', async () => {
    const device = of('KS3M', 1);
    await forbids(device, 'reboot');
    expect(await withFault(device, 'ignores-reboot', () => act(device, 'reboot'))).toEqual({ kind: 'accepted' });
    expect(device.reboots).toBe(0);
  });
});

describe('light', () => {
  test('goes on and off, and shows', async () => {
    const device = of('KS3M', 1);
    for (const on of [true, false]) {
      expect(await act(device, 'light', { on })).toEqual({ kind: 'accepted' });
      expect(device.truth().light_on).toBe(on);
      expect(await shown(device, 'light', { on })).toBe(true);
    }
  });
  test('refused, or lied about', async () => {
    const device = of('KS3M', 1);
    await forbids(device, 'light', { on: true });
    await findsOut(device, 'light', { on: true });
  });
});

describe('pools', () => {
  test('the whole list is set, the fans stay as they are, and it is not done twice', async () => {
    const device = of('AL3', 1);
    expect(await act(device, 'pools', POOLS)).toEqual({ kind: 'accepted' });
    expect(device.truth().pools.map(({ url, worker_id }) => [url, worker_id])).toEqual(
      POOLS.pools.map(({ url, user }) => [url, user]),
    );
    expect(await shown(device, 'pools', POOLS)).toBe(true);
    expect(device.truth().mining_mode).toBe('normal');
    expect(await act(device, 'pools', POOLS)).toMatchObject({ note: 'they were so already' });
  });
  test('refused, or lied about; four are too many', async () => {
    const device = of('KS0', 1);
    await forbids(device, 'pools', POOLS);
    await findsOut(device, 'pools', POOLS);
    const four = { pools: [...POOLS.pools, ...POOLS.pools] };
    expect(ability('pools').params.safeParse(four).success).toBe(false);
  });
});

test('the log comes as text', async () => {
  const result = await act(of('KS0', 1), 'log');
  expect(result).toMatchObject({ kind: 'accepted', log: expect.stringContaining(' start <miner>\n') });
  expect(result).toMatchObject({ log: expect.stringContaining('100% ready') });
});

test('what it does not answer to is an error of its own, not of the others', async () => {
  const device = of('KS0');
  await withFault(device, 'truncated', () => expect(site().read(device.ip)).rejects.toBeInstanceOf(PeerError));
  await withFault(device, 'garbage', () => expect(site().read(device.ip)).rejects.toBeInstanceOf(PeerError));
  expectTruth(await look(device), device);
});
