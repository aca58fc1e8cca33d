import { expect, test } from 'vitest';
import { commandWords } from '../../../src/model/tasks/command-words.ts';

test.each([
  ['miner.system.reboot', {}, 'reboot'],
  ['miner.pool.update', { pools: [] }, 'pools set'],
  ['miner.power_mode.update', { mode: 'sleep' }, 'sleep'],
  ['miner.power_mode.update', { mode: 'normal' }, 'wake'],
  ['miner.power_mode.update', { mode: 'low' }, 'power low'],
  ['miner.power_mode.update', { preset: '3200W' }, 'power 3200W'],
  ['miner.light.update', { on: true }, 'light on'],
  ['miner.light.update', { on: false }, 'light off'],
  ['miner.pool.lock', { locked: true }, 'pools lock'],
  ['miner.pool.lock', { locked: false }, 'pools unlock'],
  ['miner.rack_location.update', {}, undefined],
])('%s %j is %s', (name, params, words) => {
  expect(commandWords(name, params)).toBe(words);
});

test.each(['miner.power_mode.update', 'miner.light.update', 'miner.pool.lock'])(
  'without params %s may be several commands, and none is guessed',
  (name) => {
    expect(commandWords(name, {})).toBeUndefined();
  },
);
