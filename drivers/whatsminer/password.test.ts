// New passwords of Whatsminers: each proven by the one request that needs a login and changes nothing.
import { describe, expect, test } from 'vitest';
import { acting } from '../../test/contract/acting.ts';
import { passwordsOf } from '../../test/contract/new-password.ts';
import { standing } from '../../test/contract/simulated.ts';
import { fakeLink, refusalOf } from '../../test/unit/drivers/fake-link.ts';
import { whatsminer as driver } from './index.ts';

const site = standing(driver, { miners: 8, mix: 'whatsminer-2=1,whatsminer-3=1' });
/** Each test has its own: they give out a few tokens in half an hour. */
const of = (family: string, nth = 0) => {
  const device = site().farm.devices.filter((each) => each.family === family)[nth];
  if (device === undefined) throw new Error(`no ${family} in the farm`);
  return device;
};

test.each([
  ['whatsminer-2', 'api2'],
  ['whatsminer-3', 'api3'],
])('is set on %s, and only what opens counts', async (family, generation) => {
  const { hold, holdUnclear } = passwordsOf(driver, site, { generation });
  await hold(of(family));
  await holdUnclear(of(family, 1));
});

describe('the device says no', () => {
  const [via, cmd] = ['whatsminer2-write', 'update_pwd'] as const;
  test('to more than eight bytes, and to another old one, and neither is a wrong login', async () => {
    const device = of('whatsminer-2', 2);
    const now = device.login?.password ?? '';
    const carry = () => ({ old: now });
    for (const request of [
      { via, cmd, params: { new: 'nine-byte' }, carry },
      { via, cmd, params: { new: 'short' }, carry: () => ({ old: 'other' }) },
    ])
      expect(await refusalOf(site().link(device.ip).send(request))).toBe('peer.rejected');
    expect(device.login?.password).toBe(now);
  });
  test('and no password goes to firmware that takes no commands', async () => {
    const link = fakeLink(() => ({}));
    const act = acting(driver, site).ability('password').act(link, { password: 'n3w-Pa55' }, { generation: 'api1' });
    expect(await refusalOf(Promise.resolve(act))).toBe('peer.unsupported');
    expect(link.sent).toEqual([]);
  });
});

test('is not proven by putting out a light', async () => {
  const device = of('whatsminer-3');
  const { act, ability } = acting(driver, site, { generation: 'api3' });
  await act(device, 'light', { on: true });
  const proof = ability('password').provesLogin?.(site().link(device.ip), { generation: 'api3' });
  await expect(proof).rejects.toMatchObject({ code: 'peer.busy' });
  expect(device.truth().light_on).toBe(true);
});

test('has eight plain characters at most', () => {
  passwordsOf(driver, site).arePlain(8);
});
