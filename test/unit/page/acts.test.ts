// An act that is asked for again: what the service does not show of it has to be asked for once more.
import { expect, test } from 'vitest';
import { ACTS, actOfTask } from '../../../src/page/screens/act/acts.ts';

test('the params tell acts of one task apart', () => {
  expect(actOfTask('miner.light.update', { on: false })).toBe(ACTS.lightOff);
  expect(actOfTask('miner.power_mode.update', { mode: 'normal' })).toBe(ACTS.wake);
  expect(actOfTask('miner.power_mode.update', { preset: '3200 W' })).toBeUndefined();
});

test('a saved set and an image are known; pools that were written, and passwords, are asked for again', () => {
  const pools = [{ url: 'stratum+tcp://pool.example:3333', user: 'farm', password: '***' }];
  expect(actOfTask('miner.pool.update', { pool_set: 'main', pools })).toEqual({
    ...ACTS.pools,
    params: { pool_set: 'main' },
  });
  expect(actOfTask('miner.pool.update', { pools })).toEqual(ACTS.pools);
  expect(actOfTask('miner.firmware.update', { file: 'S19.tar.gz' })?.params).toEqual({ file: 'S19.tar.gz' });
  expect(actOfTask('miner.password.update', { password: '***' })).toEqual(ACTS.password);
});
