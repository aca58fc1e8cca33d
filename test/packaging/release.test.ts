// What people who release do: keys, a set, a build that trusts the root, a bundle that this build takes.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBundle } from '../../src/update/trust/bundle.ts';
import { pinsSchema } from '../../src/update/trust/trust.ts';
import { ROOT } from '../arch/sources.ts';
import { report } from '../fault/table.ts';

let folder: string;
const at = (name: string) => join(folder, name);
const release = (...words: string[]) =>
  execFileSync(process.execPath, [join(ROOT, 'packaging', 'release', 'main.ts'), ...words], {
    cwd: folder,
    encoding: 'utf8',
  });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-release-'));
  release('key', '--out', 'root.pem');
  release('key', '--out', 'signing.pem');
  release('pins', '--root', 'root.pem.pub', '--min-sequence', '3', '--out', 'pins.json');
  const set = ['--root', 'root.pem', '--key', 'signing.pem.pub', '--expires', '2099-01-01', '--out', 'set.json'];
  release('set', '--sequence', '3', ...set);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BUNDLE = ['--version', '9.9.9', '--target', 'linux-x64', '--set', 'set.json', '--out', 'x.bundle'];

test('a bundle is made that a build with these pins takes', async () => {
  release('bundle', '--binary', process.execPath, '--key', 'signing.pem', ...BUNDLE);
  const pins = pinsSchema.parse(JSON.parse(readFileSync(at('pins.json'), 'utf8')));
  const seen = { read: () => 0, remember() {} };
  const expected = { target: 'linux-x64', installed: '1.0.0', pins, seen, nowMs: Date.now() };
  const manifest = await readBundle(at('x.bundle'), expected, { into: at('out') });
  expect(manifest).toMatchObject({ version: '9.9.9', size: statSync(process.execPath).size });
  const isWhole = readFileSync(at('out')).equals(readFileSync(process.execPath));
  const bytes = readFileSync(at('x.bundle'));
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(at('altered.bundle'), bytes);
  const altered = await readBundle(at('altered.bundle'), expected, {}).then(
    () => 'taken',
    (error) => String(error.code),
  );
  report({
    id: 'S21',
    value: `a release of the tool is ${isWhole ? 'taken whole' : 'not whole'} by who trusts its root; with one bit changed: ${altered}`,
    bar: 'signed release',
    isMet: isWhole && altered === 'update.payload',
  });
});

test('private keys are for their owner alone and are never written over', () => {
  expect(statSync(at('root.pem')).mode & 0o777).toBe(0o600);
  expect(() => release('key', '--out', 'root.pem')).toThrow();
});

test.each([
  [['bundle', '--binary', process.execPath, '--key', 'root.pem', ...BUNDLE], '--key is not in the set'],
  [['set', '--out', 'y'], '--sequence is missing'],
  [['sing'], 'accepted are key, pins, set, bundle'],
])('what is wrong is said, with the usage', (words, message) => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'packaging', 'release', 'main.ts'), ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('a program says which roots it trusts, and that it trusts none', () => {
  const build = (...words: string[]) => {
    const args = [join(ROOT, 'packaging', 'binary', 'build.ts'), '--target', 'linux-x64', '--output', folder, ...words];
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'ignore' });
    return JSON.parse(execFileSync(at('pithead-linux-x64'), ['update', '--status', '--json'], { encoding: 'utf8' }));
  };
  expect(build()).toMatchObject({ roots: [] });
  const trusting = build('--update-root', at('pins.json'), '--version-override', '9.9.9');
  expect(trusting).toMatchObject({ program: '9.9.9', roots: [expect.stringMatching(/^[0-9a-f]{16}$/)] });
});
