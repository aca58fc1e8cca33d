// What `setup` says of the web page: the line for the firewall that a host has, and what a person reads.
import { expect, test } from 'vitest';
import { changedConfig, listenHostIn, newConfig } from '../../../src/cli/setup/config-file.ts';
import { firewallLine } from '../../../src/cli/setup/page/firewall.ts';
import { describePage, settingsFor } from '../../../src/cli/setup/page/page-access.ts';

const WINDOWS_RULE = 'netsh advfirewall firewall add rule name="Pithead" dir=in action=allow';
const NFT_RULE = 'sudo nft insert rule inet filter input';

test.each<[string, string[], string | undefined, string | undefined]>([
  ['linux', ['/usr/sbin/ufw', '/usr/sbin/nft'], 'sudo ufw allow 8420/tcp', 'sudo ufw allow 8420/tcp'],
  [
    'linux',
    ['/usr/bin/firewall-cmd', '/usr/sbin/nft'],
    'sudo firewall-cmd --permanent --add-port=8420/tcp && sudo firewall-cmd --reload',
    'sudo firewall-cmd --permanent --add-port=8420/tcp --add-service=mdns && sudo firewall-cmd --reload',
  ],
  [
    'linux',
    ['/usr/sbin/nft'],
    `${NFT_RULE} tcp dport 8420 accept`,
    `${NFT_RULE} tcp dport 8420 accept && ${NFT_RULE} udp dport 5353 accept`,
  ],
  ['linux', [], undefined, undefined],
  [
    'win32',
    [],
    `${WINDOWS_RULE} protocol=TCP localport=8420`,
    `${WINDOWS_RULE} protocol=TCP localport=8420 && ${WINDOWS_RULE} protocol=UDP localport=5353`,
  ],
  ['darwin', [], undefined, undefined],
])('on %s with %j: %s, and with a local name: %s', (platform, programs, line, withName) => {
  const system = { platform, isThere: (path: string) => programs.includes(path) };
  expect([firewallLine(8_420, false, system), firewallLine(8_420, true, system)]).toEqual([line, withName]);
});

const opened = {
  access: 'network',
  url: 'https://10.31.0.5:8420',
  nameUrl: 'https://pithead-x.local:8420',
  fingerprint: 'AA:BB',
  isNewAuthority: true,
  firewall: 'sudo ufw allow 8420/tcp',
} as const;

test('for a network a person reads address, name, firewall, how to trust it, and how to come in first', () => {
  const text = describePage(opened, { isTerminal: false, config: 'p.yaml' }).join('\n');
  for (const part of [
    'https://10.31.0.5:8420',
    'https://pithead-x.local:8420, the same by name',
    'sudo ufw allow 8420/tcp',
    'https://10.31.0.5:8420/trust',
    'AA:BB',
    'It is new',
    'pithead people claim --config p.yaml',
  ])
    expect(text).toContain(part);
  expect(text).not.toMatch(/[█▀▄]/);
  expect(describePage({ ...opened, isNewAuthority: false }, { isTerminal: false, config: 'x' }).join()).not.toContain(
    'new',
  );
});

test('on a terminal the address is a QR code too, no wider than a screen', () => {
  const lines = describePage(opened, { isTerminal: true, config: 'p.yaml' }).filter((line) => /[█▀▄]/.test(line));
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(line.length).toBeLessThan(60);
});

test('an address that was chosen before stays, that of the loopback does not', () => {
  const host = (before: string | undefined) => settingsFor('network', undefined, before).listen?.host;
  expect([host(undefined), host('127.0.0.1'), host('10.31.0.5')]).toEqual(['0.0.0.0', '0.0.0.0', '10.31.0.5']);
  expect(settingsFor('network', { host: '10.31.0.9', port: 1 }, '10.31.0.5').listen?.host).toBe('10.31.0.9');
  expect(settingsFor(undefined, undefined, '10.31.0.5')).toEqual({ listen: undefined });
});

test('a file keeps its comments and what nothing was said of', () => {
  const text = 'listen: { host: 10.31.0.5, drain: 5s } # ours\n';
  expect(listenHostIn(text)).toBe('10.31.0.5');
  const network = changedConfig(text, { networks: [], logins: [], ...settingsFor('network', undefined, '10.31.0.5') });
  expect(network).toContain('listen: { host: 10.31.0.5, drain: 5s, tls: farm } # ours');
  const host = changedConfig(network, { networks: [], logins: [], ...settingsFor('host', undefined, undefined) });
  expect(host).toContain('listen: { host: 127.0.0.1, drain: 5s } # ours');
  expect(host).toContain('enabled: true');
  expect(listenHostIn(newConfig({ networks: [], logins: [] }, undefined))).toBeUndefined();
});
