// How the program learns that it is to stop where no signal reaches it: a Windows service host closes the standard
// input, and npm is killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { MAIN } from './process.ts';
import { until } from './until.ts';

test('the end of the standard input stops it in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-stdin-'));
  writeFileSync(join(folder, 'pithead.yaml'), `listen: { host: ${loopback().ip(1)}, port: 18421 }\n`);
  const args = [MAIN, 'run', '--stop-with-stdin', '--config', join(folder, 'pithead.yaml')];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] });
  try {
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
    await until(
      () => printed,
      (text) => text.includes('service on'),
    );
    child.stdin.end();
    const [code, signal] = await once(child, 'exit');
    expect({ code, signal }).toEqual({ code: 0, signal: null });
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

test.skipIf(process.platform === 'win32')('it ends with the npm that started it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-npm-'));
  writeFileSync(join(folder, 'pithead.yaml'), `listen: { host: ${loopback().ip(1)}, port: 18422 }\n`);
  // As npm does: a shell between, which outlives it.
  const start = `sh -c '"$0" "$@" & echo $!; wait' "$0" "$@"; true`;
  const args = ['-c', start, process.execPath, MAIN, 'run', '--config', join(folder, 'pithead.yaml')];
  const npm = spawn('sh', args, { cwd: folder, env: { ...process.env, npm_lifecycle_event: 'pithead' } });
  let [pid, printed] = ['', ''];
  npm.stdout.setEncoding('utf8').on('data', (text) => {
    pid ||= text.split('\n', 1)[0];
  });
  npm.stderr.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  const isRunning = () => {
    try {
      return process.kill(Number(pid), 0);
    } catch {
      return false;
    }
  };
  try {
    await until(
      () => printed,
      (text) => text.includes('service on'),
    );
    expect(isRunning()).toBe(true);
    npm.kill('SIGKILL');
    await until(isRunning, (is) => !is);
  } finally {
    if (pid !== '' && isRunning()) process.kill(Number(pid), 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
