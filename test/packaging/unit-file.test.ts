// The sandbox of the system service, scored by systemd's own analysis without booting anything.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UNIT, unitText } from '../../src/update/linux/units.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-unit-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(text: string): string {
  const path = join(folder, UNIT);
  writeFileSync(path, text);
  return path;
}

function exposure(text: string): number {
  const report = execFileSync('systemd-analyze', ['security', '--offline=true', put(text)], { encoding: 'utf8' });
  return Number(/Overall exposure level[^\d]*([\d.]+)/.exec(report)?.[1]);
}

test('the exposure is at most 2.0 of 10, and a door left open would show', () => {
  expect(exposure(unitText())).toBeLessThanOrEqual(2);
  const open = unitText().replace(/^(ProtectSystem|SystemCallFilter|CapabilityBoundingSet|PrivateDevices)=.*$/gm, '');
  expect(exposure(open)).toBeGreaterThan(2);
});

test('systemd knows every setting of it', () => {
  // Its program is not installed here: any that exists stands in for it.
  const path = put(unitText().replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  const said = execFileSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8', stdio: 'pipe' });
  expect(said).toBe('');
});
