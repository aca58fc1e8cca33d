// Installs the two foreign clients in a folder that git does not know: a virtual environment with pyasic, a small
// program built with asic-rs. Needs python3 with venv, cargo and the network; the versions of the clients are pinned in
// the files beside.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

export type Program = { readonly file: string; readonly args: readonly string[] };
export type Programs = { readonly pyasic: Program; readonly 'asic-rs': Program };

const here = import.meta.dirname;

export const DEFAULT_FOLDER = join(here, '..', '..', '..', 'node_modules', '.cache', 'foreign-clients');

export const programsIn = (folder: string): Programs => ({
  pyasic: { file: join(folder, 'venv', 'bin', 'python3'), args: [join(here, 'pyasic', 'read_miners.py')] },
  'asic-rs': { file: join(folder, 'target', 'release', 'read-miners'), args: [] },
});

/** The clients that are not installed there. */
export const missingIn = (folder: string): string[] =>
  Object.entries(programsIn(folder)).flatMap(([name, { file }]) => (existsSync(file) ? [] : [name]));

/** False when a step failed; its output went to standard error. */
export function prepare(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  const venv = join(folder, 'venv');
  // cargo writes its lock file beside the sources.
  const sources = join(folder, 'asic-rs');
  cpSync(join(here, 'asic-rs'), sources, { recursive: true });
  const manifest = join(sources, 'Cargo.toml');
  const steps: readonly (readonly [string, readonly string[]])[] = [
    ['python3', ['-m', 'venv', venv]],
    [join(venv, 'bin', 'pip'), ['install', '--quiet', '--no-deps', '-r', join(here, 'pyasic', 'requirements.txt')]],
    ['cargo', ['build', '--release', '--manifest-path', manifest, '--target-dir', join(folder, 'target')]],
  ];
  return steps.every(([program, args]) => {
    process.stderr.write(`${program} ${args.join(' ')}\n`);
    const { status, error } = spawnSync(program, [...args], { stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0) process.stderr.write(`${program} failed${error ? `: ${error.message}` : ''}\n`);
    return status === 0;
  });
}
