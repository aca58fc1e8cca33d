// Where miner passwords come from, and what is said when they cannot be had: a file of the owner's, the environment, or
// a service manager.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { ConfigError } from '../../../../src/base/errors.ts';
import { openOrCreateVault } from '../../../../src/base/storage/vault.ts';

let baseDir: string;
beforeAll(() => {
  baseDir = mkdtempSync(join(tmpdir(), 'pithead-config-'));
  write('mine.yaml', 'antminer: from-the-file', 0o600);
  write('open.yaml', 'antminer: for-all-to-see', 0o644);
  mkdirSync(join(baseDir, 'handed-over'));
  write('handed-over/mine.yaml', 'antminer: from-the-manager', 0o400);
});
afterAll(() => rmSync(baseDir, { recursive: true, force: true }));

function write(name: string, text: string, mode: number): void {
  writeFileSync(join(baseDir, name), text);
  chmodSync(join(baseDir, name), mode);
}

const config = (credentials: object, environment: Record<string, string> = {}) =>
  parseConfig(JSON.stringify({ credentials }), { baseDir, environment, name: 'pithead.yaml' });

const login = (password: string) => ({ logins: [{ family: 'antminer-stock', user: 'root', password }] });
const passwordOf = ({ credentials }: ReturnType<typeof config>) => credentials.logins[0]?.login.password.reveal();

function problemsOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test('a password comes from the secrets file, from the environment, or from what the service manager hands over', () => {
  const fromFile = { secretsFile: 'mine.yaml', ...login('secret:antminer') };
  expect(passwordOf(config(fromFile))).toBe('from-the-file');
  expect(passwordOf(config(login('env:ANT'), { ANT: 'from-the-environment' }))).toBe('from-the-environment');
  const CREDENTIALS_DIRECTORY = join(baseDir, 'handed-over');
  expect(passwordOf(config(fromFile, { CREDENTIALS_DIRECTORY }))).toBe('from-the-manager');
  expect(passwordOf(config(fromFile, { CREDENTIALS_DIRECTORY: join(baseDir, 'nowhere') }))).toBe('from-the-file');
});

test('a secrets file that others may read is refused, and the way out is said', () => {
  const problems = problemsOf(() => config({ secretsFile: 'open.yaml', ...login('secret:antminer') }));
  expect(problems.map(({ path }) => path)).toEqual(['credentials.secretsFile']);
  expect(problems[0]?.message).toMatch(/can be read by others: chmod 600/);
});

test('each reference that leads nowhere is named, none of them shows a password', () => {
  const problems = problemsOf(() =>
    config({
      secretsFile: 'mine.yaml',
      logins: [
        { family: 'whatsminer', user: 'root', password: 'secret:whatsminer' },
        { range: '10.0.0.1', user: 'root', password: 'env:NOT_SET' },
        { user: 'root', password: 'secret:antminer', range: '10.0.0.9-3' },
      ],
    }),
  );
  expect(problems.map(({ path }) => path)).toEqual([
    'credentials.logins[0].password',
    'credentials.logins[1].password',
    'credentials.logins[2].range',
  ]);
  expect(JSON.stringify(problems)).not.toContain('from-the-file');
});

test('a password written into the configuration itself is refused', () => {
  const problems = problemsOf(() => config(login('hunter2')));
  expect(problems).toEqual([
    { path: 'credentials.logins[0].password', message: expect.stringContaining('a reference') },
  ]);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});

test('a encrypted password is opened with the key, and named when it cannot be', () => {
  const vault = openOrCreateVault(join(baseDir, 'pithead.key'));
  write('encrypted.yaml', `antminer: "${vault?.encrypt('from-the-vault')}"`, 0o600);
  const encrypted = { secretsFile: 'encrypted.yaml', ...login('secret:antminer') };
  expect(passwordOf(config(encrypted))).toBe('from-the-vault');
  expect(problemsOf(() => config({ ...encrypted, keyFile: 'no.key' }))).toMatchObject([
    { path: 'credentials.secretsFile', message: expect.stringContaining("'antminer'") },
  ]);
});

test('a key that the service manager hands over is the one beside the configuration; other files stay other files, also by its name', () => {
  const CREDENTIALS_DIRECTORY = join(baseDir, 'handed-keys');
  const handed = join(CREDENTIALS_DIRECTORY, 'pithead.key');
  openOrCreateVault(handed);
  const read = (text: object) =>
    parseConfig(JSON.stringify(text), { baseDir, environment: { CREDENTIALS_DIRECTORY }, name: 'pithead.yaml' });
  for (const keyFile of [undefined, 'pithead.key', join(baseDir, 'pithead.key')])
    expect(read({ credentials: { ...(keyFile && { keyFile }) } }).credentials.keyFile).toBe(handed);
  const shared = '/srv/shared/pithead.key';
  const config = read({ listen: { sealKeyFile: shared }, credentials: { keyFile: '/srv/own/pithead.key' } });
  expect([config.listen.sealKeyFile, config.credentials.keyFile]).toEqual([shared, '/srv/own/pithead.key']);
  expect(read({ listen: { sealKeyFile: 'pithead.key' } }).listen.sealKeyFile).toBe(join(baseDir, 'pithead.key'));
});
