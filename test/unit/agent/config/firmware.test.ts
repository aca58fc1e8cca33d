// Where firmware images lie and which hosts they may come from.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { ConfigError } from '../../../../src/base/errors.ts';

const firmwareOf = (config: object) =>
  parseConfig(JSON.stringify(config), { baseDir: resolve('/etc/pithead'), environment: {}, name: 'pithead.yaml' })
    .firmware;

test('without a word about it, images lie in the state directory and come from nowhere', () => {
  expect(firmwareOf({ stateDir: 'state' })).toEqual({
    folder: resolve('/etc/pithead/state/firmware'),
    allowedHosts: [],
  });
});

test('a folder is taken from the config file', () => {
  expect(firmwareOf({ firmware: { folder: 'images' } }).folder).toBe(resolve('/etc/pithead/images'));
  expect(firmwareOf({ firmware: { folder: resolve('/srv/images') } }).folder).toBe(resolve('/srv/images'));
});

test.each(['files.example', 'files.example:8443', '10.0.0.5', 'localhost'])('%s is a host', (host) => {
  expect(firmwareOf({ firmware: { allowedHosts: [host] } }).allowedHosts).toEqual([host]);
});

test.each(['https://files.example', '*.example', 'files.example/path', '', 'a:b@files.example', 'files.example:'])(
  '%s is refused by its field',
  (host) => {
    expect(() => firmwareOf({ firmware: { allowedHosts: ['good.example', host] } })).toThrow(ConfigError);
    try {
      firmwareOf({ firmware: { allowedHosts: ['good.example', host] } });
    } catch (error) {
      expect(error instanceof ConfigError && error.problems.map(({ path }) => path)).toEqual([
        'firmware.allowedHosts[1]',
      ]);
    }
  },
);
