// What of a new configuration is taken over while the agent runs, and what is only said to take a restart.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { adopt, ownConfig } from '../../../../src/agent/config/adopt.ts';
import { parseConfig, switchedOff } from '../../../../src/agent/config/config.ts';

const read = (config: Readonly<Record<string, unknown>>, password = 'first') =>
  parseConfig(JSON.stringify(config), { baseDir: '/tmp', environment: { PASSWORD: password }, name: 'test' });

const LOGIN = { credentials: { logins: [{ range: '10.0.0.1', user: 'root', password: 'env:PASSWORD' }] } };

test('sections that can change do so in place, whoever holds them', () => {
  const given = read({ networks: ['10.0.0.0/30'], tasks: { reboot: { concurrency: 5, backS: 60 } }, ...LOGIN });
  const own = ownConfig(given);
  const { ranges, poll, tasks, flags, credentials } = own;
  const next = read(
    { networks: ['10.0.0.0/29'], poll: { interval: '30s' }, tasks: { reboot: { concurrency: 7 } }, ...LOGIN },
    'second',
  );
  expect(adopt(own, next)).toEqual({ changed: ['networks', 'poll', 'credentials', 'tasks'], needsRestart: [] });
  expect(ranges.toProbe).toBe(6);
  expect(poll.interval).toBe(30_000);
  expect(tasks.reboot).toMatchObject({ concurrency: 7 });
  expect(tasks.reboot.backS).toBeUndefined();
  expect(credentials.logins[0]?.login.password.reveal()).toBe('second');
  expect(own).toMatchObject({ ranges, poll, tasks, flags });
  expect(given.poll.interval).toBe(60_000);
});

test('what takes a restart is named and stays as it was', () => {
  const own = ownConfig(read({}));
  const next = read({
    stateDir: 'elsewhere',
    listen: { port: 9_000 },
    poll: { maxInFlight: 3, interval: '2s' },
    tasks: { powerGate: { kw: 4.5 }, reboot: { dailyCap: 2 } },
  });
  const { changed, needsRestart } = adopt(own, next);
  expect(changed).toEqual(['poll', 'tasks']);
  expect(needsRestart).toEqual(['stateDir', 'firmware', 'listen', 'poll.maxInFlight']);
  expect(own.poll).toMatchObject({ maxInFlight: 256, interval: 2_000 });
  expect(own.tasks).toMatchObject({ powerGate: { kw: 4.5 }, reboot: { dailyCap: 2 } });
  expect(own.stateDir).not.toContain('elsewhere');
});

test('all that takes a restart is named, and the handbook names the same', () => {
  const next = read({
    ...{
      stateDir: 'elsewhere',
      name: 'other',
      portMap: { 80: 81 },
      scan: { every: '1h' },
      firmware: { folder: 'images' },
    },
    ...{ update: { allowedHosts: ['a.example'] }, service: { url: 'https://a.example' }, listen: { port: 9_000 } },
    ...{ backup: { keep: 1 }, poll: { maxInFlight: 3 }, credentials: { keyFile: 'other.key' } },
  });
  const { needsRestart } = adopt(ownConfig(read({})), next);
  const page = readFileSync(new URL('../../../../packaging/handbook/configuration.md', import.meta.url), 'utf8');
  const [, named = ''] = /settings that need a restart: ([^.]*(?:\.[a-z][^.]*)*)\./.exec(page) ?? [];
  expect([...named.matchAll(/`([^`]+)`/g)].map(([, key]) => key)).toEqual(needsRestart);
  expect(needsRestart).toHaveLength(11);
});

test('another key file takes a restart, whatever else changes with it: what is sealed stays with the key that it was sealed with', () => {
  const own = ownConfig(read(LOGIN));
  const { keyFile } = own.credentials;
  const next = read({ credentials: { ...LOGIN.credentials, keyFile: 'other.key' } });
  expect(adopt(own, next)).toEqual({ changed: [], needsRestart: ['credentials.keyFile'] });
  const both = read({ credentials: { ...LOGIN.credentials, keyFile: 'other.key' } }, 'second');
  expect(adopt(own, both)).toEqual({ changed: ['credentials'], needsRestart: ['credentials.keyFile'] });
  expect(own.credentials.keyFile).toBe(keyFile);
  expect(own.credentials.logins[0]?.login.password.reveal()).toBe('second');
});

test('what is allowed holds as soon as it is read', () => {
  const own = ownConfig(read({}));
  const { tasks } = own;
  expect(adopt(own, read({ tasks: { control: false, allow: { scan: false } } })).needsRestart).toEqual([]);
  expect(switchedOff(tasks)).toEqual(['tasks.control', 'tasks.allow.scan']);
  adopt(own, read({}));
  expect(switchedOff(tasks)).toEqual([]);
});

test('the same configuration changes nothing', () => {
  const own = ownConfig(read(LOGIN));
  expect(adopt(own, read(LOGIN))).toEqual({ changed: [], needsRestart: [] });
});
