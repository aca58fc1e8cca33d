// How a Windows service host stops the program, which works on every platform: it closes the standard input and waits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN } from './process.ts';
import { until } from './until.ts';

test('the end of the standard input stops it in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-stdin-'));
  writeFileSync(join(folder, 'pithead.yaml'), 'listen: { host: 127.54.0.1, port: 18421 }\n');
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
