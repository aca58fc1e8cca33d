// The units that are shipped: systemd knows every line, its own analysis finds each sandbox tight without booting
// anything (S19), what a unit leaves open it says why, and no update is made by a version that has not proven itself.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PROGRAM_FOLDER, UNIT, UPDATE_UNITS, unitText } from '../../src/update/linux/units.ts';
import { report } from '../fault/table.ts';

const folder = mkdtempSync(join(tmpdir(), 'pithead-units-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const UNITS = [{ name: UNIT, text: unitText() }, ...UPDATE_UNITS];
const services = UNITS.filter(({ name }) => name.endsWith('.service'));
const MOST = 2;

/** Their program is not installed here: any that exists stands in for it. */
function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  return path;
}
for (const { name, text } of UNITS) put(name, text);

function exposure(path: string): number {
  const said = execFileSync('systemd-analyze', ['security', '--offline=true', path], { encoding: 'utf8' });
  return Number(/Overall exposure level[^\d]*([\d.]+)/.exec(said)?.[1]);
}

/** What a unit has, or says why it has not. */
const WANTED = [
  ...[/^DynamicUser=yes$/m, /^CapabilityBoundingSet=$/m, /^ProtectSystem=strict$/m, /^NoNewPrivileges=yes$/m],
  ...[/^ProtectHome=yes$/m, /^PrivateDevices=yes$/m, /^PrivateTmp=yes$/m, /^PrivateUsers=yes$/m],
  ...[/^PrivateNetwork=yes$/m, /^RestrictNamespaces=yes$/m, /^MemoryDenyWriteExecute=yes$/m],
  ...[/^SystemCallFilter=@system-service$/m, /^SystemCallFilter=~.*@privileged/m, /^SystemCallFilter=~.*@resources/m],
  ...[/^SystemCallFilter=~.*@keyring/m, /^SystemCallArchitectures=native$/m, /^ProtectProc=invisible$/m],
] as const;

/** What is neither there nor explained in a comment; of capabilities, each that is kept. */
function unexplained(text: string): string[] {
  const comments = text
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .join('\n');
  const isExplained = (name: string) => comments.includes(name);
  return WANTED.flatMap((wanted) => {
    if (wanted.test(text)) return [];
    if (wanted.source.includes('CapabilityBoundingSet')) {
      const kept = /^CapabilityBoundingSet=(.+)$/m.exec(text)?.[1] ?? 'CAP_*';
      return kept.split(' ').filter((name) => !isExplained(name));
    }
    const name = /@\w+/.exec(wanted.source)?.[0] ?? /\w+(?==)/.exec(wanted.source)?.[0] ?? wanted.source;
    return isExplained(name) ? [] : [name];
  });
}

test.each(UNITS.map(({ name }) => name))('systemd knows every setting of %s', (name) => {
  const path = join(folder, name.replace('@.', '@save.'));
  const environment = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` };
  const said = execFileSync('systemd-analyze', ['verify', '--man=no', path], {
    encoding: 'utf8',
    stdio: 'pipe',
    env: environment,
  });
  expect(said).toBe('');
});

test('each sandbox is tight, and what it leaves open is explained', () => {
  const found = services.map(({ name, text }) => ({
    ...{ name, exposure: exposure(join(folder, name)), unexplained: unexplained(text) },
  }));
  const told = found.map((unit) =>
    [`${unit.name} ${unit.exposure}`, ...unit.unexplained.map((what) => `no word about ${what}`)].join(', '),
  );
  report({
    id: 'S19',
    value: told.join('; '),
    bar: `exposure <= ${MOST.toFixed(1)} each; no capabilities, dynamic user, read-only system, or the file says why`,
    isMet: found.length === 4 && found.every((unit) => unit.exposure <= MOST && unit.unexplained.length === 0),
  });
});

test('a door left open would show', () => {
  const open = unitText().replace(/^(ProtectSystem|SystemCallFilter|CapabilityBoundingSet|PrivateDevices)=.*$/gm, '');
  expect(exposure(put('open.service', open))).toBeGreaterThan(MOST);
  expect(unexplained(open)).toEqual(expect.arrayContaining(['CAP_*', 'ProtectSystem', 'PrivateDevices', '@keyring']));
});

test('updates are made, and undone, by the version that was last seen working', () => {
  const ofUpdates = UPDATE_UNITS.filter(({ name }) => name.endsWith('.service'));
  expect(ofUpdates.length).toBeGreaterThan(0);
  for (const { text } of ofUpdates)
    expect(text).toMatch(new RegExp(`^ExecStart=${PROGRAM_FOLDER}/proven/pithead `, 'm'));
});
