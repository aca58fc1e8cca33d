// The lock between processes: one holds it, others are told so, and what a killed one held is free.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { isLocked, takeLock } from '../../../../src/base/storage/lock.ts';

function newPlace(): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, 'agent.lock') };
}

test('one holds it, others are told so, and it leaves nothing but an empty file of its owner', () => {
  const { folder, path } = newPlace();
  expect(isLocked(path)).toBe(false);
  expect(isLocked(join(path, 'nowhere'))).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  const release = takeLock(path);
  expect([takeLock(path), isLocked(path)]).toEqual([undefined, true]);
  expect(readdirSync(folder)).toEqual(['agent.lock']);
  expect(statSync(path)).toMatchObject({ size: 0, mode: 0o100600 });
  release?.();
  expect(isLocked(path)).toBe(false);
  const again = takeLock(path);
  expect(again).toBeDefined();
  again?.();
});

test('what another process holds is held here too, and free as soon as that is killed', async () => {
  const { folder, path } = newPlace();
  const lock = fileURLToPath(new URL('../../../../src/base/storage/lock.ts', import.meta.url));
  const script = `const { takeLock } = await import(${JSON.stringify(lock)});
    const release = takeLock(${JSON.stringify(path)}); console.log('held'); setInterval(() => release, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(holder.stdout, 'data');
  expect([takeLock(path), isLocked(path)]).toEqual([undefined, true]);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect([isLocked(path), readdirSync(folder)]).toEqual([false, ['agent.lock']]);
  takeLock(path)?.();
});

test('whatever a failing disk made of the file, it can be locked', () => {
  const { path } = newPlace();
  writeFileSync(path, 'no lock at all '.repeat(500));
  expect(isLocked(path)).toBe(false);
  const release = takeLock(path);
  expect([takeLock(path), isLocked(path)]).toEqual([undefined, true]);
  release?.();
});
