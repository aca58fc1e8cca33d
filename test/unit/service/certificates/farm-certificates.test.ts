// A farm's own authority and the leaf of its host: what they are good for, by the judgement of Node and of OpenSSL, how
// they are kept, and when they are replaced.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls, createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../../../src/base/errors.ts';
import { createVault } from '../../../../src/base/storage/vault.ts';
import {
  ensureAuthority,
  openFarmCertificates,
  whyReplaceAuthority,
} from '../../../../src/service/certificates/farm-certificates.ts';
import { authorityFile, leafFile, readAuthority } from '../../../../src/service/certificates/kept-pairs.ts';
import { makeAuthority, makeLeaf } from '../../../../src/service/certificates/make.ts';
import { recordingLog, temporaryFolder } from '../../service-http/rig.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 5, 1);
const RANGES = ['10.31.0.0/22', '192.168.1.0/24'];
const vault = createVault(randomBytes(32));

/** Opened on the files of a folder, with a clock and addresses that the test moves. */
async function openFarm(given: { folder?: string; addresses?: string[]; vault?: typeof vault | undefined } = {}) {
  const { folder = temporaryFolder(), addresses = ['10.31.0.5'] } = given;
  const log = recordingLog();
  const host = { nowMs: NOW_MS, addresses };
  const situation = { name: 'Hall 2', ranges: () => RANGES, addresses: () => host.addresses };
  const place = { folder, vault: 'vault' in given ? given.vault : vault };
  const farm = await openFarmCertificates(place, situation, { nowMs: () => host.nowMs, log });
  const leaf = () => new X509Certificate(farm.material().cert);
  return { farm, host, log, folder, place, situation, leaf };
}

test('a leaf is good for the name and the addresses, for 397 days, and its authority for ten years', async () => {
  const { farm, leaf } = await openFarm({ addresses: ['10.31.0.5', '127.0.0.1', '203.0.113.9'] });
  const authority = new X509Certificate(farm.trusted().pem);
  expect([authority.subject, authority.ca, leaf().ca]).toEqual(['CN=Pithead farm hall-2', true, false]);
  expect(leaf().subjectAltName).toBe('DNS:pithead-hall-2.local, IP Address:10.31.0.5');
  expect(leaf().verify(authority.publicKey)).toBe(true);
  const days = ({ validFromDate, validToDate }: X509Certificate) => (+validToDate - +validFromDate) / DAY_MS;
  expect([days(leaf()), Math.floor(days(authority) / 365)]).toEqual([397, 10]);
  expect(leaf().validFromDate.getTime()).toBe(NOW_MS - DAY_MS);
  expect(farm.trusted().fingerprint).toBe(authority.fingerprint256);
  expect(farm.trusted().der).toEqual(authority.raw);
});

/** Why a client refuses that trusts this authority and asks at an address; undefined = it does not. */
async function failureOf(
  ca: string,
  { cert, key }: { cert: string; key: string },
  asked: { host?: string; name?: string },
) {
  const server = createServer({ cert, key }).on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { host = '127.0.0.1', name } = asked;
  return new Promise<string | undefined>((resolve) => {
    // What the certificate is checked against is the name or, without one, the address.
    const options = { port, host: '127.0.0.1', ca, checkServerIdentity: () => identityProblem(cert, name ?? host) };
    const socket = connectTls(options, () => resolve(undefined));
    socket.on('error', ({ message }) => resolve(message));
    onTestFinished(() => void socket.destroy());
  });
}
function identityProblem(cert: string, asked: string): Error | undefined {
  const leaf = new X509Certificate(cert);
  const fits = /^[\d.]+$/.test(asked) ? leaf.checkIP(asked) : leaf.checkHost(asked);
  return fits === undefined ? new Error('other name') : undefined;
}

const cases: readonly (readonly [string, string, readonly string[], boolean])[] = [
  ['its own name and addresses', 'pithead-x.local', ['10.31.3.255', '192.168.1.1'], true],
  ['an address of no permitted range', 'pithead-x.local', ['10.31.4.0'], false],
  ['a public address', 'pithead-x.local', ['8.8.8.8'], false],
  ['the loopback', 'pithead-x.local', ['127.0.0.1'], false],
  ['an IPv6 address', 'pithead-x.local', ['fd00::1'], false],
  ['another name', 'bank.example', [], false],
  ['a name that only ends like it', 'not-pithead-x.local', [], false],
];

test.each(cases)(
  'Node and OpenSSL think of a leaf for %s as they should',
  async (_what, localName, addresses, isGood) => {
    const authority = await makeAuthority('pithead-x.local', RANGES, Date.now());
    const leaf = await makeLeaf(authority, { localName, addresses, nowMs: Date.now() });
    const asked = isGood ? { host: addresses[0] ?? '' } : { name: localName };
    const failure = await failureOf(authority.certificate, { cert: leaf.certificate, key: leaf.key }, asked);
    expect(failure).toBe(isGood ? undefined : 'permitted subtree violation');
    if (spawnSync('openssl', ['version']).error !== undefined) return;
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'ca.pem'), authority.certificate);
    writeFileSync(join(folder, 'leaf.pem'), leaf.certificate);
    const verify = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ca.pem', 'leaf.pem'];
    const { status, stdout, stderr } = spawnSync('openssl', verify, { cwd: folder, encoding: 'utf8' });
    expect([status, `${stdout}${stderr}`]).toEqual(
      isGood ? [0, 'leaf.pem: OK\n'] : [2, expect.stringContaining('permitted subtree violation')],
    );
    const text = execFileSync('openssl', ['x509', '-in', 'ca.pem', '-noout', '-text'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(text).toMatch(/Basic Constraints: critical\n\s+CA:TRUE, pathlen:0\n/);
    expect(text).toMatch(/Key Usage: critical\n\s+Certificate Sign, CRL Sign\n/);
    expect(text).toMatch(
      /Name Constraints: critical\n\s+Permitted:\n\s+DNS:pithead-x\.local\n\s+IP:10\.31\.0\.0\/255\.255\.252\.0\n\s+IP:192\.168\.1\.0\/255\.255\.255\.0\n/,
    );
  },
);

test('with many ranges the constraints are still read right', async () => {
  const ranges = Array.from({ length: 32 }, (_, index) => `10.${index * 2}.0.0/16`);
  const authority = await makeAuthority('pithead-x.local', ranges, Date.now());
  const judge = async (address: string) => {
    const leaf = await makeLeaf(authority, { localName: 'pithead-x.local', addresses: [address], nowMs: Date.now() });
    return failureOf(authority.certificate, { cert: leaf.certificate, key: leaf.key }, { host: address });
  };
  expect([await judge('10.62.0.9'), await judge('10.61.0.9')]).toEqual([undefined, 'permitted subtree violation']);
});

test('keys are kept for their owner alone, encrypted, and never logged; the next start shows the same', async () => {
  const { farm, folder, log, leaf } = await openFarm();
  expect(readdirSync(folder).toSorted()).toEqual(['farm-authority.json', 'farm-certificate.json']);
  for (const file of [authorityFile(folder), leafFile(folder)]) {
    expect(readFileSync(file, 'utf8')).not.toContain('PRIVATE KEY');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect(JSON.stringify(log.lines)).not.toMatch(/PRIVATE KEY|sealed:/);
  const again = await openFarm({ folder });
  expect(again.leaf().fingerprint256).toBe(leaf().fingerprint256);
  expect(again.farm.trusted()).toEqual(farm.trusted());
  expect(again.log.lines).toEqual([]);
});

test('keys from a time without a vault are encrypted once there is one', async () => {
  const { folder, farm } = await openFarm({ vault: undefined });
  const texts = () => [authorityFile(folder), leafFile(folder)].map((file) => readFileSync(file, 'utf8'));
  for (const text of texts()) expect(text).toContain('PRIVATE KEY');
  const later = await openFarm({ folder });
  expect([later.farm.trusted(), later.farm.material()]).toEqual([farm.trusted(), farm.material()]);
  for (const text of texts()) expect(text).not.toContain('PRIVATE KEY');
});

test('near its end a leaf is renewed, by the same authority, with another key', async () => {
  const { farm, host, leaf } = await openFarm();
  const [before, trusted] = [leaf(), farm.trusted()];
  host.nowMs = +before.validToDate - 31 * DAY_MS;
  expect(await farm.renew()).toBeUndefined();
  host.nowMs += 2 * DAY_MS;
  expect(await farm.renew()).toEqual(farm.material());
  expect(leaf().validToDate.getTime()).toBe(host.nowMs + 396 * DAY_MS);
  expect(leaf().publicKey.equals(before.publicKey)).toBe(false);
  expect(farm.trusted()).toEqual(trusted);
  expect(await farm.renew()).toBeUndefined();
});

test('other addresses of the host: another leaf of the same authority; one that is gone changes nothing', async () => {
  const { farm, host, leaf } = await openFarm();
  const trusted = farm.trusted();
  host.addresses = ['10.31.0.6', '192.168.1.9'];
  expect(await farm.renew()).toBeDefined();
  expect(leaf().subjectAltName).toBe('DNS:pithead-hall-2.local, IP Address:10.31.0.6, IP Address:192.168.1.9');
  expect(farm.trusted()).toEqual(trusted);
  host.addresses = ['192.168.1.9'];
  expect(await farm.renew()).toBeUndefined();
});

test('an address outside the ranges is told once, and the authority stays until a person has it replaced', async () => {
  const { farm, host, log, place, situation, leaf } = await openFarm();
  const trusted = farm.trusted();
  host.addresses = ['10.31.0.5', '10.99.0.1'];
  await farm.renew();
  await farm.renew();
  const told = log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(told).toEqual([
    'the certificate authority of this farm has to be replaced: it is not good for 10.99.0.1, only for 10.31.0.0/22, 192.168.1.0/24. pithead setup --page network',
  ]);
  expect([farm.trusted(), leaf().subjectAltName]).toEqual([trusted, 'DNS:pithead-hall-2.local, IP Address:10.31.0.5']);
  const next = { ...situation, name: 'Other', ranges: () => ['10.99.0.0/24', ...RANGES] };
  const { isNew, authority } = await ensureAuthority(place, next, NOW_MS, { replaceUnfit: true });
  expect([isNew, authority.localName]).toEqual([true, 'pithead-hall-2.local']);
  // The service that runs takes it over.
  expect(await farm.renew()).toBeDefined();
  expect(farm.trusted().fingerprint).toBe(authority.certificate.fingerprint256);
  expect(leaf().checkIP('10.99.0.1')).toBe('10.99.0.1');
  expect(await ensureAuthority(place, next, NOW_MS, { replaceUnfit: true })).toMatchObject({ isNew: false });
});

test('in the last year of an authority its leaves end with it, and a person is told', async () => {
  const { farm, host, leaf, place, log } = await openFarm();
  const ends = new X509Certificate(farm.trusted().pem).validToDate;
  host.nowMs = +ends - 10 * DAY_MS;
  await farm.renew();
  expect(leaf().validToDate).toEqual(ends);
  expect(await farm.renew()).toBeUndefined();
  expect(log.lines.at(-1)?.message ?? '').toContain('this host has a new certificate');
  const kept = readAuthority(place.folder, vault);
  expect(kept && whyReplaceAuthority(kept, { addresses: [], nowMs: host.nowMs })).toMatch(/^it ends on 2036-05-31$/);
});

test('a clock that was never set makes nothing that has ended, and one that went back makes a new leaf', async () => {
  const { host, farm, leaf } = await openFarm();
  host.nowMs = 0;
  expect(await farm.renew()).toBeDefined();
  expect(leaf().validFromDate.toISOString()).toBe('2025-12-31T00:00:00.000Z');
});

test('another key file: what is still good is not served without its key, and the text says what to do', async () => {
  const { folder } = await openFarm();
  const other = createVault(randomBytes(32));
  const error = await openFarm({ folder, vault: other }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${String(error)}`);
  expect(error.problems).toEqual([
    { path: 'listen.tls', message: expect.stringMatching(/put that key file back, or let `pithead setup/) },
  ]);
  const situation = { name: 'x', ranges: () => RANGES, addresses: () => [] };
  const made = await ensureAuthority({ folder, vault: other }, situation, NOW_MS, { replaceUnfit: true });
  expect(made.isNew).toBe(true);
  expect((await openFarm({ folder, vault: other })).farm.trusted().pem).toBe(made.authority.pem);
});

test.each(['', '{}', 'no JSON', '{"certificate":"x","key":"y","local_name":"z","ranges":["10.0.0.0/8"]}'])(
  'a damaged file (%j) is named, and replaced by who wants a new one',
  async (text) => {
    const folder = temporaryFolder();
    writeFileSync(authorityFile(folder), text);
    await expect(openFarm({ folder })).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining(authorityFile(folder)) }],
    });
    const situation = { name: 'x', ranges: () => RANGES, addresses: () => [] };
    expect(await ensureAuthority({ folder, vault }, situation, NOW_MS, { replaceUnfit: true })).toMatchObject({
      isNew: true,
    });
  },
);

test('a damaged leaf is made anew, by the same authority', async () => {
  const { folder, farm } = await openFarm();
  writeFileSync(leafFile(folder), '{"certificate":');
  const { farm: again, leaf } = await openFarm({ folder });
  expect([again.trusted(), leaf().checkIP('10.31.0.5')]).toEqual([farm.trusted(), '10.31.0.5']);
});

test('a host in no private network is told that it needs files', async () => {
  const situation = { name: 'x', ranges: () => [], addresses: () => ['203.0.113.9'] };
  await expect(
    ensureAuthority({ folder: temporaryFolder(), vault }, situation, NOW_MS, { replaceUnfit: false }),
  ).rejects.toMatchObject({ problems: [{ message: expect.stringContaining('listen.tls') }] });
});

test.runIf(process.geteuid?.() === 0)('what root makes belongs to the user of the service', async () => {
  const folder = temporaryFolder();
  chownSync(folder, 61_234, 61_234);
  await openFarm({ folder });
  expect([statSync(authorityFile(folder)).uid, statSync(leafFile(folder)).uid]).toEqual([61_234, 61_234]);
});
