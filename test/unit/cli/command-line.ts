// Runs commands of the program on a database of their own, within this process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { expect, onTestFinished } from 'vitest';
import { toExitCode } from '../../../src/cli/output/exit.ts';
import { buildProgram } from '../../../src/cli/program.ts';

/** Output of a command that is collected; what a terminal can do beyond that is not asked for. */
export function collector(): { stream: NodeJS.WriteStream; text: () => string } {
  const chunks: string[] = [];
  const through = new PassThrough();
  const stream: NodeJS.WriteStream = Object.setPrototypeOf(through, WriteStream.prototype);
  Object.defineProperty(stream, 'write', {
    value: (chunk: string) => {
      chunks.push(chunk);
      return true;
    },
  });
  return { stream, text: () => chunks.join('') };
}

/** A folder of the test, and commands on a database in it. */
export function newDatabase(): { path: string; folder: string; run: (...args: string[]) => Promise<Result> } {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'service.sqlite');
  const run = async (...args: string[]) => {
    const stdout = collector();
    const stderr = collector();
    const program = await buildProgram({
      stdout: stdout.stream,
      stderr: stderr.stream,
      environment: {},
      signal: new AbortController().signal,
    });
    const code = await program.parseAsync(['node', 'pithead', ...args, '--database', path]).then(
      () => 0,
      (error: unknown) => toExitCode(error, stderr.stream),
    );
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  };
  return { path, folder, run };
}
type Result = { code: number; stdout: string; stderr: string };

/** What was printed with --json. */
export const json = ({ stdout, stderr }: Result) => {
  expect(stderr).toBe('');
  return JSON.parse(stdout);
};
