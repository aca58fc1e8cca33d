// The Debian package: what is in it and for whom. Installing it needs a booted system: sandbox.test.ts does
// that.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../../src/agent/config/config.ts';
import { VERSION } from '../../src/base/version.ts';
import { ROOT } from '../arch/sources.ts';

const PAGES = readdirSync(join(ROOT, 'packaging', 'handbook')).toSorted();

let folder: string;
let deb: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-deb-'));
  const binary = join(folder, 'program');
  writeFileSync(binary, '#!/bin/sh\n');
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'those of the libraries\n');
  const args = ['--target', 'linux-x64', '--fast', '--binary', binary, '--output', folder];
  deb = execFileSync(process.execPath, [join(ROOT, 'packaging', 'linux', 'deb.ts'), ...args], {
    encoding: 'utf8',
  }).trim();
  execFileSync('dpkg-deb', ['-x', deb, join(folder, 'tree')]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('it holds one program, the unit and a configuration that touches nothing', () => {
  const listed = execFileSync('dpkg-deb', ['-c', deb], { encoding: 'utf8' });
  const files = listed.split('\n').filter((line) => line !== '' && !line.endsWith('/'));
  expect(files.every((line) => / root\/root /.test(line))).toBe(true);
  expect(files.map((line) => line.split(/\s+/).slice(5).join(' ').replace(VERSION, 'VERSION')).toSorted()).toEqual([
    './lib/systemd/system/pithead-databases@.service',
    './lib/systemd/system/pithead-update-recover.service',
    './lib/systemd/system/pithead-update.path',
    './lib/systemd/system/pithead-update.service',
    './lib/systemd/system/pithead.service',
    './usr/bin/pithead -> ../lib/pithead/current/pithead',
    './usr/lib/pithead/versions/VERSION/pithead',
    './usr/share/doc/pithead/THIRD-PARTY-LICENSES.txt',
    './usr/share/doc/pithead/copyright',
    ...PAGES.map((page) => `./usr/share/doc/pithead/handbook/${page}`),
    './usr/share/pithead/pithead.yaml',
    './usr/share/pithead/secrets.yaml',
  ]);
  const text = execFileSync('cat', [join(folder, 'tree/usr/share/pithead/pithead.yaml')], { encoding: 'utf8' });
  const environment = { CREDENTIALS_DIRECTORY: join(folder, 'tree/usr/share/pithead') };
  execFileSync('chmod', ['600', join(environment.CREDENTIALS_DIRECTORY, 'secrets.yaml')]);
  const config = parseConfig(text, { baseDir: '/etc/pithead', environment, name: 'pithead.yaml' });
  expect(config.ranges.toProbe).toBe(0);
  expect(config.stateDir).toBe('/var/lib/pithead');
});

test('its scripts are good shell', () => {
  execFileSync('dpkg-deb', ['-e', deb, join(folder, 'control')]);
  for (const script of ['postinst', 'prerm', 'postrm']) execFileSync('sh', ['-n', join(folder, 'control', script)]);
  const control = execFileSync('cat', [join(folder, 'control', 'control')], { encoding: 'utf8' });
  expect(control).toContain(`Version: ${VERSION}`);
  expect(control).toContain('Architecture: amd64');
});
