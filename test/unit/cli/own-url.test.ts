// How the service of a configuration is reached from its own host, and which TLS it gets.
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/agent/config/config.ts';
import { ownAddress } from '../../../src/agent/host/networks.ts';
import { silentLog } from '../../../src/base/log.ts';
import { ownUrl, pageUrl, serviceOptions } from '../../../src/cli/run/local-service.ts';

const FILES = '{ certFile: a.pem, keyFile: b.pem }';
const read = (listen: string) =>
  parseConfig(`listen: { ${listen} }`, { baseDir: '/nowhere', environment: {}, name: 'test' });

test.each([
  ['host: 127.0.0.1', 'http://127.0.0.1:8420'],
  ['host: 0.0.0.0', 'http://127.0.0.1:8420'],
  ['host: 10.31.0.5', 'http://10.31.0.5:8420'],
  ['host: 10.31.0.5, tls: farm', 'http://127.0.0.1:8420'],
  ['host: 0.0.0.0, tls: farm', 'http://127.0.0.1:8420'],
  ['host: 127.0.0.1, tls: farm', 'http://127.0.0.1:8420'],
  [`host: 0.0.0.0, tls: ${FILES}`, 'http://127.0.0.1:8420'],
  [`host: 127.0.0.1, tls: ${FILES}`, 'https://127.0.0.1:8420'],
])('%s is reached at %s', (listen, url) => expect(ownUrl(read(listen).listen)).toBe(url));

test.each([
  ['host: 127.0.0.1', 'http://127.0.0.1:8420'],
  ['host: 0.0.0.0', 'http://127.0.0.1:8420'],
  ['host: 10.31.0.5, tls: farm', 'https://10.31.0.5:8420'],
  ['host: 127.0.0.1, tls: farm', 'http://127.0.0.1:8420'],
  [`host: 10.31.0.5, tls: ${FILES}`, 'https://10.31.0.5:8420'],
  ['host: 0.0.0.0, publicUrl: https://farm.example/', 'https://farm.example'],
])('%s: people open the page at %s', (listen, url) => expect(pageUrl(read(listen).listen)).toBe(url));

test('at every address with TLS people open the page at that of this host', () => {
  expect(pageUrl(read('host: 0.0.0.0, tls: farm').listen)).toBe(`https://${ownAddress()}:8420`);
});

test('certificates of the farm are for addresses beyond this host, also for one of the command line', () => {
  const tls = (listen: string, host?: string) => serviceOptions(read(listen), { host, log: silentLog }).tls;
  expect(tls('tls: farm')).toBeUndefined();
  expect(tls('host: 10.31.0.5, tls: farm', '127.0.0.1')).toBeUndefined();
  const farm = tls('tls: farm', '10.31.0.5');
  if (farm === undefined || !('farm' in farm)) throw new Error('expected certificates of the farm');
  expect(farm.farm.links()).toEqual([{ address: '10.31.0.5', first: 0x0a1f0005, last: 0x0a1f0005 }]);
  expect(farm.farm.networks()).toContainEqual(expect.objectContaining({ first: 0x0a1f0005, last: 0x0a1f0005 }));
});
