// Proto rigs on real sockets: known by their page, read behind their owner's password, told what they can be told, and
// lied by.
import { describe, expect, test } from 'vitest';
import { acting, NEW_POOL, USUAL_FAULTS } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { fakeLink } from '../../test/unit/drivers/fake-link.ts';
import { proto as driver } from './index.ts';

const site = standing(driver, { miners: 4, mix: 'proto' });
const { look, ability, act, shown, readsFault, forbids, findsOut, withFault, refusedLogin, refusesUnsent, losesReply } =
  acting(driver, site);
const device = (nth: number) => site().device(nth);

const ORDERS = [
  ['powerMode', { mode: 'sleep' }],
  ['pools', NEW_POOL],
] as const;

describe.each([0, 1])('device %i', (nth) => {
  test('is known by each of its servers alone, and read as it is', async () => {
    for (const port of [80]) expect(await site().recognise(device(nth).ip, [port])).toBeDefined();
    const { reading, failed, unparsable } = await site().read(device(nth).ip);
    expect({ failed, unparsable }).toEqual({ failed: [], unparsable: [] });
    expectTruth(reading, device(nth));
  });

  test.each(USUAL_FAULTS)('%s is read as it is', (fault) => readsFault(device(nth), fault));

  test('orders are taken and seen', async () => {
    for (const [name, params] of [
      ...ORDERS,
      ['powerMode', { mode: 'low' }],
      ['powerMode', { preset: '3000 W' }],
      ['powerMode', { mode: 'high' }],
    ] as const) {
      expect((await act(device(nth), name, params)).kind).toBe('accepted');
      expect(await shown(device(nth), name, params), JSON.stringify(params)).toBe(true);
      expectTruth(await look(device(nth)), device(nth));
    }
  });

  test.each(ORDERS)('%s: wrong password, forbidden, and a yes that does nothing', async (name, params) => {
    const other = device(nth + 2);
    await refusedLogin(other, name, params);
    await forbids(other, name, params);
    await findsOut(other, name, params);
  });
});

test('it shows itself when it is told to; the end comes by itself and cannot be ordered', async () => {
  const rig = device(2);
  expect(await act(rig, 'light', { on: true })).toEqual({ kind: 'accepted' });
  expect(ability('light')).not.toHaveProperty('shows');
  await refusedLogin(rig, 'light', { on: true });
  await forbids(rig, 'light', { on: true });
  const { requests } = rig;
  await expect(act(rig, 'light', { on: false })).rejects.toMatchObject({ code: 'peer.unsupported', wasSent: false });
  expect(rig.requests).toBe(requests);
});

test('its log is one text, for its owner only', async () => {
  expect(await act(device(2), 'log')).toEqual({
    kind: 'accepted',
    log: '[INFO] mining driver started\n[INFO] pool connected',
  });
  await refusedLogin(device(2), 'log');
  for (const answer of [{}, { logs: {} }, 'text'])
    await expect(
      ability('log').act(
        fakeLink(() => answer),
        {},
        {},
      ),
    ).rejects.toMatchObject({ code: 'peer.unparsable' });
});

test('firmware is sent as a file and proven by the restart', async () => {
  const rig = device(3);
  const image = (text: string) => ({ name: 'rig.swu', sha256: 'ab'.repeat(32), bytes: new Blob([text]) });
  const link = site().link(rig.ip);
  const { act: update } = ability('firmware');
  const { requests } = rig;
  for (const none of [undefined, image('')])
    await expect(update(link, {}, {}, none)).rejects.toMatchObject({ code: 'peer.unsupported', wasSent: false });
  expect(rig.requests).toBe(requests);
  await withFault(rig, 'wrong-password', () =>
    expect(update(link, {}, {}, image('new'))).rejects.toMatchObject({ code: 'peer.auth', wasSent: false }),
  );
  await withFault(rig, 'write-api-off', () =>
    expect(update(link, {}, {}, image('new'))).rejects.toMatchObject({ code: 'peer.permission' }),
  );
  await withFault(rig, 'ignores-writes', async () => {
    expect((await update(link, {}, {}, image('new'))).kind).toBe('accepted');
    expect(await shown(rig, 'firmware', { version: '1.9.0' })).toBe(false);
  });
  expect(rig.reboots).toBe(0);
  expect((await update(link, {}, {}, image('new'))).kind).toBe('accepted');
  await expect.poll(() => rig.reboots).toBe(1);
});

test('modes and targets that it does not have are refused unsent', () =>
  refusesUnsent('powerMode', { preset: 'fast' }));

test.each([
  ['reboot', {}],
  ['pools', NEW_POOL],
  ['light', { on: true }],
] as const)('a lost answer to %s is left to be seen', (name, params) => losesReply(name, params));
