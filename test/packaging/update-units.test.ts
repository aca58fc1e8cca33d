// The units that look after updates: systemd knows every line, the sandbox stays as tight as it was, and none of them
// runs a version that has not proven itself.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PROGRAM_FOLDER, UPDATE_UNITS } from '../../src/update/linux/units.ts';

const folder = mkdtempSync(join(tmpdir(), 'pithead-update-units-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Their program is not installed here: any that exists stands in for it. */
for (const { name, text } of UPDATE_UNITS) {
  writeFileSync(join(folder, name), text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
}
const services = UPDATE_UNITS.filter(({ name }) => name.endsWith('.service'));
/** As of the service itself, though root's own may write the programs and read what the agent put down. */
const MOST = 2;

test.each(UPDATE_UNITS.map(({ name }) => name))('systemd knows every setting of %s', (name) => {
  const path = join(folder, name.replace('@.', '@save.'));
  const environment = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` };
  const said = execFileSync('systemd-analyze', ['verify', '--man=no', path], {
    encoding: 'utf8',
    stdio: 'pipe',
    env: environment,
  });
  expect(said).toBe('');
});

test.each(services.map(({ name }) => name))('%s is locked up', (name) => {
  const report = execFileSync('systemd-analyze', ['security', '--offline=true', join(folder, name)], {
    encoding: 'utf8',
  });
  expect(Number(/Overall exposure level[^\d]*([\d.]+)/.exec(report)?.[1])).toBeLessThanOrEqual(MOST);
});

test('updates are made, and undone, by the version that was last seen working', () => {
  expect(services.length).toBeGreaterThan(0);
  for (const { text } of services)
    expect(text).toMatch(new RegExp(`^ExecStart=${PROGRAM_FOLDER}/proven/pithead `, 'm'));
});
