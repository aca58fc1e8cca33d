// Avalons on real sockets, A series and home models: read as they are, and what they do when they are told to.
import { describe, expect, test } from 'vitest';
import { renderError } from '../../src/base/errors.ts';
import type { Known } from '../../src/driver/contract.ts';
import { acting } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { avalon } from './index.ts';

const site = standing(avalon, {
  mix: { avalon: 1 },
  miners: 12,
  bootS: 6,
  speed: 40,
});

const A: Known = { generation: 'a' };
const HOME: Known = { generation: 'home' };
const pools = [
  { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'hush-hush' },
  { url: 'stratum+tcp://new-b.example:443', user: 'farm.y', password: 'z' },
];

test('an A10 has two boards, its rate is in summary, and it is asked for that only where it is needed', async () => {
  const { of, look, withFault } = acting(avalon, site, A);
  const a10 = of('Avalon 1047');
  const requests = async (device: typeof a10) => {
    const before = device.requests;
    expectTruth(await look(device), device);
    return device.requests - before;
  };
  expect([await requests(of('Avalon 1246')), await requests(a10)]).toEqual([3, 4]);
  expect((await look(a10)).expected).toMatchObject({ boards: 2, chipsPerBoard: 120 });
  await withFault(a10, 'board-dead', async () => {
    const reading = await look(a10);
    expectTruth(reading, a10);
    const { boards, expected } = reading;
    expect(boards?.map(({ hashrateHs }) => (hashrateHs ?? 0) > 0)).toEqual([true, false]);
    expect(expected?.boards).toBe(2);
  });
});

describe.each([
  ['A series', A, 'Avalon 1246'],
  ['home model', HOME, 'Avalon Q Home'],
])('%s', (_name, known, model) => {
  const isHome = known === HOME;
  const { of, look, act, shown, withFault, ability } = acting(avalon, site, known);

  test('is known by TCP and read as it is', async () => {
    const device = of(model);
    expect((await site().recognise(device.ip, [4028]))?.known).toMatchObject({ ...known, make: 'Avalon', model });
    expectTruth(await look(device), device);
  });

  test('sleeps, wakes and changes its mode, and shows it', async () => {
    const device = of(model);
    for (const mode of ['high', 'sleep', 'normal', ...(isHome ? ['low', 'normal'] : [])]) {
      expect(await act(device, 'powerMode', { mode })).toMatchObject({ kind: 'accepted' });
      await expect.poll(() => shown(device, 'powerMode', { mode })).toBe(true);
      expect(device.truth().mining_mode).toBe(mode);
    }
    expect(await act(device, 'powerMode', { mode: 'normal' })).toMatchObject({ note: 'it was so already' });
  });

  test('what it does not have is refused before anything is sent', async () => {
    const device = of(model);
    const before = device.requests;
    for (const params of isHome ? [{ preset: 'eco' }] : [{ mode: 'low' }, { preset: '2' }]) {
      await expect(act(device, 'powerMode', params)).rejects.toMatchObject({
        code: 'peer.unsupported',
        wasSent: false,
      });
    }
    expect(ability('pools').params.safeParse({ pools: [...pools, ...pools] }).success).toBe(false);
    const comma = [{ url: 'stratum+tcp://a.example:1', user: 'a,b' }];
    expect(ability('pools').params.safeParse({ pools: comma }).success).toBe(false);
    expect(device.requests).toBe(before);
  });

  test('new pools count after the reboot that follows them, and the last fills the places that are left', async () => {
    const device = of(model, 1);
    expect(await shown(device, 'pools', { pools })).toBe(false);
    expect(await act(device, 'pools', { pools })).toMatchObject({ kind: 'accepted' });
    await expect.poll(() => device.reboots).toBe(1);
    await expect.poll(() => device.isUp).toBe(true);
    expect(device.truth().pools.map(({ url }) => url)).toEqual([pools[0]?.url, pools[1]?.url, pools[1]?.url]);
    expect(await shown(device, 'pools', { pools })).toBe(true);
    expect(await shown(device, 'pools', { pools: [pools[0]] })).toBe(false);
    expect(await act(device, 'pools', { pools })).toEqual({ kind: 'accepted', note: 'they were so already' });
  });

  test('pools need the login, and a wrong one is told as such without a word of what was sent', async () => {
    const device = of(model);
    const wanted = { pools: [{ url: 'stratum+tcp://c.example:1', user: 'u', password: 'hush-hush' }] };
    const link = site().linkAs(device.ip, 'root', 'hush-hush-too');
    const error: unknown = await ability('pools')
      .act(link, wanted, known)
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'peer.auth' });
    expect(renderError(error)).not.toContain('hush');
    expect(device.reboots).toBe(0);
  });

  test('a yes that does nothing shows', async () => {
    const device = of(model, 2);
    const orders = [
      ['powerMode', { mode: 'sleep' }],
      ['powerMode', { mode: 'high' }],
      ...(isHome ? ([['powerMode', { preset: '3' }]] as const) : ([['light', { on: true }]] as const)),
    ] as const;
    await withFault(device, 'ignores-writes', async () => {
      for (const [name, params] of orders) {
        expect(await act(device, name, params), name).toMatchObject({ kind: 'accepted' });
        expect(await shown(device, name, params), name).toBe(false);
      }
      await withFault(device, 'ignores-reboot', async () => {
        expect(await act(device, 'pools', { pools })).toMatchObject({ kind: 'accepted' });
        expect(await act(device, 'reboot')).toMatchObject({ kind: 'accepted' });
      });
      expect(await shown(device, 'pools', { pools })).toBe(false);
    });
    expect(device.reboots).toBe(0);
  });

  test('where writing is off, everything is a matter of permission', async () => {
    const device = of(model, 2);
    await withFault(device, 'write-api-off', async () => {
      for (const [name, params] of [
        ['reboot', {}],
        ['powerMode', { mode: 'sleep' }],
        ['pools', { pools }],
      ] as const) {
        await expect(act(device, name, params), name).rejects.toMatchObject({ code: 'peer.permission' });
      }
    });
  });

  test('a reboot takes it away', async () => {
    const device = of(model, 2);
    expect(await act(device, 'reboot')).toMatchObject({ kind: 'accepted' });
    await expect.poll(() => device.reboots).toBe(1);
  });
});

test('the light of the A series goes on and off and is seen; home models have none that could be switched', async () => {
  const a = acting(avalon, site, A);
  const device = a.of('Avalon 1466');
  for (const on of [true, false]) {
    expect(await a.act(device, 'light', { on })).toMatchObject({ kind: 'accepted' });
    expect(await a.shown(device, 'light', { on })).toBe(true);
  }
  const home = acting(avalon, site, HOME);
  const q = home.of('Avalon Q Home');
  await expect(home.act(q, 'light', { on: true })).rejects.toMatchObject({
    code: expect.stringMatching(/peer\.(unsupported|rejected)/),
  });
  expect(await home.shown(q, 'light', { on: true })).toBeUndefined();
});

test('the level of a home model is its preset', async () => {
  const { of, act, shown } = acting(avalon, site, HOME);
  const device = of('Avalon Q Home');
  expect(await act(device, 'powerMode', { preset: '-2' })).toMatchObject({ kind: 'accepted' });
  expect(await shown(device, 'powerMode', { preset: '-2' })).toBe(true);
  expect(await act(device, 'powerMode', { preset: '-2' })).toMatchObject({ note: 'it was so already' });
  await expect(act(device, 'powerMode', { preset: '9' })).rejects.toMatchObject({ code: 'peer.rejected' });
});
