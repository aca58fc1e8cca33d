// The baseline version as a process of its own: its source is taken out of git, and runs with the packages of today.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const ROOT = new URL('../..', import.meta.url).pathname;
const START_MS = 30_000;

const { commit } = z
  .object({ commit: z.string() })
  .parse(JSON.parse(readFileSync(join(ROOT, 'test/skew/baseline.json'), 'utf8')));

/** A folder with the baseline, until the test ends. */
export function checkOutBaseline(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-baseline-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const archive = execFileSync('git', ['archive', commit, 'src', 'drivers', 'package.json'], {
    cwd: ROOT,
    maxBuffer: 1024 ** 3,
  });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const environmentOf = (folder: string) => ({ PATH: process.env.PATH ?? '', HOME: folder, XDG_STATE_HOME: folder });

/** What a command of the baseline prints. */
export const runBaseline = (folder: string, ...args: readonly string[]): string =>
  execFileSync(process.execPath, ['src/main.ts', ...args], {
    ...{ cwd: folder, env: environmentOf(folder), encoding: 'utf8', timeout: START_MS },
  });

/**
 * A copy of the service of the sources in `folder`, with its address. Throws with what it wrote when it ends before it
 * listens.
 */
export async function startBaselineService(folder: string, database: string, home = folder) {
  const args = ['src/main.ts', 'service', '--database', database, '--host', '127.0.0.1', '--port', '0'];
  const child = spawn(process.execPath, args, { cwd: folder, env: environmentOf(home) });
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await over;
  });
  let written = '';
  const url = await new Promise<string>((resolve, reject) => {
    const fail = () => reject(new Error(`the baseline service does not start: ${written.slice(-2_000)}`));
    const hear = (bytes: Buffer) => {
      written += bytes.toString();
      const [, found] = /service on (http:\/\/\S+)/.exec(written) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', fail);
    setTimeout(fail, START_MS).unref();
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await over;
    },
  };
}
