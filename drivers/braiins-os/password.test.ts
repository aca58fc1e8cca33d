// New passwords of Braiins OS over REST, and that a device without a password proves none.
import { expect, test } from 'vitest';
import { acting } from '../../test/contract/acting.ts';
import { passwordsOf } from '../../test/contract/new-password.ts';
import { standing } from '../../test/contract/simulated.ts';
import { braiinsOs as driver } from './index.ts';

const site = standing(driver, { miners: 6, mix: 'braiins-rest=2,braiins-graphql=1' });
const of = (family: string, nth = 0) => {
  const device = site().farm.devices.filter((each) => each.family === family)[nth];
  if (device === undefined) throw new Error(`no ${family} in the farm`);
  return device;
};
const { set, opens, hold, holdUnclear } = passwordsOf(driver, site);

test('is set, and only what opens counts', async () => {
  const device = of('braiins-rest');
  expect(await set(device, 'first-0ne')).toEqual({ kind: 'accepted' });
  await hold(device);
  await holdUnclear(device);
});

test('is not proven by a device that lets in with any', async () => {
  const device = of('braiins-rest', 1);
  expect(device.login?.password).toBe('');
  expect(await opens(device, 'any')).toBe(false);
  device.setFault('keeps-password', true);
  expect(await set(device, 'n3w-Pa55')).toEqual({ kind: 'accepted' });
  expect(await opens(device, 'n3w-Pa55')).toBe(false);
});

test('goes to no version without REST', async () => {
  const device = of('braiins-graphql');
  await expect(set(device, 'n3w-Pa55')).rejects.toMatchObject({ code: 'peer.unsupported', wasSent: false });
  expect(device.login?.password).toBe('');
});

test('has only characters that every console takes', () => {
  const { params } = acting(driver, site).ability('password');
  const fits = (password: string) => params.safeParse({ password }).success;
  expect(['a$b"c', 'x'.repeat(64)].filter(fits)).toHaveLength(2);
  expect(['', 'a b', 'é', 'x'.repeat(65)].filter(fits)).toEqual([]);
});
