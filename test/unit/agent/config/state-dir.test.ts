// Where the state of a configuration lies, also for whoever may not read its secrets.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig, stateDirOf } from '../../../../src/agent/config/config.ts';
import { ConfigError } from '../../../../src/base/errors.ts';

function written(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-state-dir-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'pithead.yaml');
  writeFileSync(path, text);
  return { folder, path };
}

test.each(['{}', 'stateDir: elsewhere', 'stateDir: /var/lib/pithead', 'networks: [10.0.0.0/24]'])(
  'it is where the whole configuration says: %s',
  (text) => {
    const { folder, path } = written(text);
    const { stateDir } = parseConfig(text, { baseDir: folder, environment: {}, name: 'test' });
    expect(stateDirOf(path)).toBe(stateDir);
  },
);

test('a login whose password is not here does not matter', () => {
  const { folder, path } = written("credentials: { logins: [{ user: root, password: 'env:NOT_HERE' }] }");
  expect(stateDirOf(path)).toBe(join(folder, 'pithead-state'));
});

test.each(['', '# nothing', 'stateDir: [', 'stateDir: 7', '- a list', 'a: *nowhere'])(
  '%s is an error of the configuration',
  (text) => {
    expect(() => stateDirOf(written(text).path)).toThrow(ConfigError);
  },
);

test('so is a file that is not there', () => {
  expect(() => stateDirOf('/nowhere/pithead.yaml')).toThrow(ConfigError);
});
