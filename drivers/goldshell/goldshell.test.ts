// Goldshell on real sockets: known by either server, and read by what it tells without a login.
import { describe, expect, test } from 'vitest';
import type { FaultName } from '../../fixtures/farm/farm.ts';
import { acting, withoutTcp } from '../../test/contract/acting.ts';
import { expectTruth, standing } from '../../test/contract/simulated.ts';
import { goldshell as driver } from './index.ts';

const site = standing(driver, { miners: 8, mix: 'goldshell' });

const MODELS = ['KD5', 'KD Box Pro', 'Mini Doge', 'Byte'] as const;
const { of, look } = acting(driver, site);

test.each(MODELS)('%s is known by the web alone and by TCP alone', async (model) => {
  const { ip } = of(model);
  expect((await site().recognise(ip, [80]))?.known).toEqual({ make: 'Goldshell' });
  expect((await site().recognise(ip, [4028]))?.known).toEqual({ make: 'Goldshell' });
});

describe.each(MODELS)('%s', (model) => {
  test('is read as it is', async () => {
    const device = of(model);
    const { reading, failed, unparsable } = await site().read(device.ip);
    expect({ failed, unparsable }).toEqual({ failed: [], unparsable: [] });
    expectTruth(reading, device);
  });

  test.each<{ readonly fault: FaultName; readonly value?: string | number }>([
    { fault: 'board-dead', value: 0 },
    { fault: 'fan-stopped' },
    { fault: 'hot' },
    { fault: 'low-hashrate', value: 0.6 },
  ])('$fault $value is read as it is', async ({ fault, value }) => {
    const device = of(model, 1);
    const before = device.truth();
    device.setFault(fault, true, value);
    expect(device.truth()).not.toEqual(before);
    const truth = device.truth();
    const { tempC, ...reading } = await look(device);
    // A machine whose only board is dead has no temperature at all.
    expect(tempC ?? null).toBe(truth.temp);
    expectTruth({ ...reading, ...(truth.temp !== null && { tempC: truth.temp }) }, device);
    device.setFault(fault, false);
  });
});

test('nothing is sent that needs its login, and nothing can be changed', () => {
  expect(driver.abilities).toEqual({});
  expect(driver.login).toEqual({ kind: 'none' });
  for (const ask of Object.values(driver.asks)) expect('auth' in ask ? ask.auth : 'none').toBe('none');
});

test('with TCP closed it is asked its page without a login: a page that wants one has refused none', async () => {
  const { ip } = of('KD5');
  const { reading, isLoginRefused, unparsable } = await site().read(ip, {}, withoutTcp(site().link(ip)));
  expect({ isLoginRefused, unparsable }).toEqual({ isLoginRefused: false, unparsable: [] });
  expect(reading).toMatchObject({ model: 'KD5' });
  for (const field of ['boards', 'fans', 'isMining', 'hashrateHs'] as const) expect(reading).not.toHaveProperty(field);
});
