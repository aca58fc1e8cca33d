// The pinned compiler on files in a folder of their own, beside the type file: with no library and no setting that is
// not said here, as an editor has them.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeKitTypes } from '../../../../src/driver/load/kit-types.ts';
import { folderWith } from './driver-files.ts';

export const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const run = promisify(execFile);
const COMPILE_MS = 60_000;

/** What the compiler says of these files; empty = nothing. */
export async function compile(
  files: Readonly<Record<string, string>>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const folder = folderWith(files);
  writeKitTypes(folder);
  const compilerOptions = {
    ...{ target: 'es2024', module: 'nodenext', strict: true, noEmit: true, allowJs: true, checkJs: true, types: [] },
    ...more,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*'] }));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    const { stdout } = await run(process.execPath, [tsc, '-p', '.'], { cwd: folder, timeout: COMPILE_MS });
    return stdout;
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}
