// Which addresses a webhook may lead to, in every way of writing them.
import { expect, test } from 'vitest';
import { createAddressPolicy } from '../../../../src/service/webhooks/addresses.ts';

const closed = createAddressPolicy([]);

test.each([
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.127.255.255', '127.0.0.1', '169.254.169.254', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.8', '192.0.2.1', '192.88.99.1', '192.168.255.1', '198.18.0.1', '198.19.255.255'],
  ...['198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:10.0.0.1', '::7f00:1'],
  ...['64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1', '3fff::1'],
  ...['2002:7f00:1::', '2002:a9fe:a9fe::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1'],
  ...['5f00::1', '4000::1', '::ffff:0:127.0.0.1', '', 'localhost', '127.1', '1.2.3.4.5'],
])('%s is refused', (address) => {
  expect(closed.permits(address, 'https:')).toBe(false);
});

test.each([
  ...['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '169.253.0.1', '223.255.0.1'],
  ...['2606:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1', '2001:200::1'],
])('%s is permitted, by https alone', (address) => {
  expect(closed.permits(address, 'https:')).toBe(true);
  expect(closed.permits(address, 'http:')).toBe(false);
});

test('networks that the operator allows are permitted, by http too, and no others', () => {
  const policy = createAddressPolicy(['10.20.0.0/16', 'fd00:1::/32']);
  for (const address of ['10.20.3.4', '::ffff:10.20.3.4', 'fd00:1::5', 'FD00:0001:0::5'])
    for (const protocol of ['http:', 'https:'] as const) expect(policy.permits(address, protocol)).toBe(true);
  for (const address of ['10.21.0.1', '127.0.0.1', 'fd00:2::1']) expect(policy.permits(address, 'https:')).toBe(false);
  expect(policy.permits('8.8.8.8', 'http:')).toBe(false);
});

test.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'example.com/8', '10.0.0.0/8/8', '10.0.0.0/', ''])(
  'the setting does not take %s',
  (network) => {
    expect(() => createAddressPolicy([network])).toThrow('allow the network');
  },
);

test.each([
  ...['http://example.com/', 'ftp://example.com/', 'https://user@example.com/', 'https://:secret@example.com/'],
  ...['https://example.com/#part', 'example.com', '', 'https://', 'file:///etc/passwd', 'https://127.0.0.1/'],
  // Ways of writing 127.0.0.1, 10.0.0.1 and the metadata service of clouds.
  ...['https://2130706433/', 'https://0x7f000001/', 'https://0177.0.0.1/', 'https://127.1/', 'https://0x7f.1/'],
  ...['https://017700000001/', 'https://１２７.0.0.1/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/'],
  ...[
    'https://[::ffff:a00:1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://169.254.169.254/latest/',
    'https://0xa9fea9fe/',
  ],
  ...['https://[fe80::1]/', 'https://0/', 'https://10.0.0.1./'],
])('%s may not be the URL of a webhook', (url) => {
  expect(closed.problemOf(url)).toEqual(expect.any(String));
});

test.each(['https://example.com/', 'https://example.com:8443/a?b=c', 'https://8.8.8.8/', 'https://[2606:4700::1111]/'])(
  '%s may be the URL of a webhook',
  (url) => {
    expect(closed.problemOf(url)).toBeUndefined();
  },
);

test('http may be one where the operator allows networks', () => {
  const policy = createAddressPolicy(['10.20.0.0/16']);
  expect(policy.problemOf('http://10.20.0.1:8080/hook')).toBeUndefined();
  expect(policy.problemOf('http://internal.example/hook')).toBeUndefined();
  expect(policy.problemOf('http://8.8.8.8/hook')).toEqual(expect.any(String));
});
