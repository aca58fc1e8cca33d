// New passwords of ePIC firmware.
import { expect, test } from 'vitest';
import * as kit from '../../src/driver/kit/index.ts';
import { acting } from '../../test/contract/acting.ts';
import { passwordsOf } from '../../test/contract/new-password.ts';
import { standing } from '../../test/contract/simulated.ts';
import { epicUmcos as driver } from './index.ts';

const site = standing(driver, { miners: 2, mix: 'epic=1' });

test('is set, and only what opens counts', async () => {
  const { hold, holdUnclear } = passwordsOf(driver, site);
  await hold(site().device(0), 'peer.rejected');
  await holdUnclear(site().device(1));
});

test('has plain characters, 32 at most', () => {
  passwordsOf(driver, site).arePlain(32);
});

test('is proven by a light that stays as it is', async () => {
  const device = site().device(0);
  const miner = acting(driver, site);
  for (const on of [true, false]) {
    await miner.act(device, 'light', { on });
    await miner.ability('password').provesLogin?.(site().link(device.ip), {});
    expect(device.truth().light_on).toBe(on);
  }
});

test('that it does not like is no wrong login', async () => {
  const sent: string[] = [];
  const link = {
    ip: '10.0.0.9',
    send: async (request: kit.MinerRequest) => {
      if (request.via !== 'http') throw new Error('only the web');
      sent.push(request.path);
      if (request.method === 'GET') return { Misc: { 'Locate Miner State': true } };
      const answer = request.path === '/password' ? { result: false, error: 'Password too short' } : { result: true };
      const isRefused = typeof request.auth === 'object' && (await request.auth.isRefused?.(answer));
      if (isRefused) throw new kit.PeerError('peer.auth', 'ask', 'never');
      return answer;
    },
  };
  const { act } = acting(driver, site).ability('password');
  await expect(act(link, { password: 'a' }, {})).rejects.toMatchObject({ code: 'peer.rejected' });
  expect(sent).toEqual(['/summary', '/identify', '/password']);
});

test.each([[{ result: false, error: 'no' }], [{}], ['ok']])('%j is no proof', async (answer) => {
  const sent: unknown[] = [];
  const link = {
    ip: '10.0.0.9',
    send: async (request: kit.MinerRequest) => {
      sent.push(request);
      if (request.via !== 'http' || typeof request.auth !== 'object' || !('carry' in request.auth))
        return { Misc: { 'Locate Miner State': false } };
      return request.auth.isRefused?.(answer);
    },
  };
  expect(await acting(driver, site).ability('password').provesLogin?.(link, {})).toBe(true);
  expect(sent).toHaveLength(2);
});
