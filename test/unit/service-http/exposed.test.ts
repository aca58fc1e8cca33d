// A service that listens beyond this host without TLS says in its log what that means; behind a proxy it does not.
import { expect, test } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { EXPOSED_SERVICE } from '../../../src/service/listeners.ts';
import { startRig } from './rig.ts';

test.each([
  ['0.0.0.0', [], 1],
  ['::', [], 1],
  ['0.0.0.0', ['10.0.0.1'], 0],
  ['127.0.0.1', [], 0],
])('at %s with the proxies %j it warns %i times', async (host, trustProxy, times) => {
  const warned: string[] = [];
  const log = { ...silentLog, warn: (_fields: unknown, message: string) => void warned.push(message) };
  await startRig({ host, trustProxy, log });
  expect(warned.filter((message) => message === EXPOSED_SERVICE)).toHaveLength(times);
});
