// ePIC's firmware on real sockets: known by its page or by the HTTP behind port 4028, read as it is, told what it can
// be told, and lied by.
import { describe, expect, test } from 'vitest';
import { acting, NEW_POOL, USUAL_FAULTS } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { fakeLink, lostAfterSending } from '../../test/unit/drivers/fake-link.ts';
import { epicUmcos as driver } from './index.ts';

const site = standing(driver, { miners: 4, mix: 'epic' });
const { of, look, ability, act, shown, readsFault, forbids, findsOut, withFault, refusedLogin } = acting(driver, site);

const ORDERS = [
  ['light', { on: true }],
  ['powerMode', { mode: 'sleep' }],
  ['pools', NEW_POOL],
] as const;

describe.each(['S21', 'BlockMiner 720i'])('%s', (model) => {
  test('is known by the web alone and by port 4028 alone', async () => {
    const { ip, spec } = of(model);
    expect(await site().recognise(ip, [80])).toBeDefined();
    expect((await site().recognise(ip, [4028]))?.known).toEqual({ make: spec.make, model });
  });

  test('is read as it is, with two requests per poll', async () => {
    const device = of(model);
    const { reading, failed, unparsable } = await site().read(device.ip);
    expect({ failed, unparsable }).toEqual({ failed: [], unparsable: [] });
    expectTruth(reading, device);
    expect(Object.values(driver.asks).filter(({ every }) => every === 'poll')).toHaveLength(2);
  });

  test.each(USUAL_FAULTS)('%s is read as it is', (fault) => readsFault(of(model, 1), fault));

  test('light, sleep and pools are taken and seen', async () => {
    const device = of(model);
    for (const [name, params] of ORDERS) {
      expect(await act(device, name, params)).toEqual({ kind: 'accepted' });
      expect(await shown(device, name, params), name).toBe(true);
    }
    expectTruth(await look(device), device);
    await act(device, 'powerMode', { mode: 'normal' });
    expect(await shown(device, 'powerMode', { mode: 'normal' })).toBe(true);
    await act(device, 'light', { on: false });
    expectTruth(await look(device), device);
  });

  test.each(ORDERS)('%s: wrong password, forbidden, and a yes that does nothing', async (name, params) => {
    const device = of(model, 1);
    const before = device.truth();
    await refusedLogin(device, name, params, 'along');
    expect(device.truth()).toEqual(before);
    await forbids(device, name, params, 'peer.rejected');
    await findsOut(device, name, params);
  });
});

test('a target is set within the bounds of the tuner, other modes are refused unsent', async () => {
  const device = of('S21');
  expect(await act(device, 'powerMode', { preset: '180 TH/s' })).toEqual({ kind: 'accepted' });
  expect(await shown(device, 'powerMode', { preset: '180TH' })).toBe(true);
  expectTruth(await look(device), device);
  for (const params of [{ mode: 'high' }, { preset: '900 TH/s' }, { preset: '3000 W' }, { preset: 'fast' }])
    await expect(act(device, 'powerMode', params)).rejects.toMatchObject({ code: 'peer.unsupported' });
});

test('the log is read; firmware is sent with its sum if it is a zip file', async () => {
  const device = of('S21', 1);
  expect(await act(device, 'log')).toMatchObject({ log: expect.stringContaining('umcOS') });
  const image = (text: string) => ({ name: 'a.zip', sha256: 'ab'.repeat(32), bytes: new Blob([text]) });
  const { act: update } = ability('firmware');
  await expect(update(site().link(device.ip), {}, {}, image('no zip'))).rejects.toMatchObject({
    code: 'peer.unsupported',
  });
  const zip = image('PK\u0003\u0004zip');
  const link = site().link(device.ip);
  await withFault(device, 'wrong-password', () =>
    expect(update(link, {}, {}, zip)).rejects.toMatchObject({ code: 'peer.auth', wasSent: undefined }),
  );
  await withFault(device, 'write-api-off', () =>
    expect(update(link, {}, {}, zip)).rejects.toMatchObject({ code: 'peer.rejected' }),
  );
  await withFault(device, 'ignores-writes', async () =>
    expect((await update(link, {}, {}, zip)).kind).toBe('accepted'),
  );
  expect(device.reboots).toBe(0);
  expect(await update(link, {}, {}, zip)).toEqual({ kind: 'accepted' });
  await expect.poll(() => device.reboots).toBe(1);
});

test('a lost answer is left to be seen', async () => {
  const link = fakeLink((request) => {
    if ('json' in request) throw lostAfterSending();
    return { Software: 'x' };
  });
  for (const [name, params] of [['reboot', {}], ...ORDERS] as const)
    expect(await ability(name).act(link, params, {}), name).toEqual({ kind: 'lost-reply' });
});
