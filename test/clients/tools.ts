// The linters and the generators of clients, with exact versions, in a folder that git does not know: together they are
// larger than everything else that is installed for tests, and only `npm run test:clients` needs them. Needs npm,
// python3 with venv and, the first time, the network.
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = {
  '@redocly/openapi-core': '2.64.0',
  '@stoplight/spectral-core': '1.24.1',
  '@stoplight/spectral-parsers': '1.0.5',
  '@stoplight/spectral-rulesets': '1.23.1',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  // The generator is written with its older programming interface; what compiles the client is our own.
  typescript: '5.9.3',
} as const;
const PYTHON_PACKAGE = 'openapi-python-client==0.29.1';

export const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'generated-clients');
export const modules = (path: string) => join(FOLDER, 'node_modules', path);
export const python = (program: 'python3' | 'pip' | 'openapi-python-client') => join(FOLDER, 'venv', 'bin', program);

/** Ends with the output of the program in the error when it fails. */
export function run(program: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, [...args], { encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}

/** Installs what is not there in these versions. */
export default function prepare(): void {
  const wanted = JSON.stringify({ name: 'clients', private: true, type: 'module', dependencies: PACKAGES });
  mkdirSync(FOLDER, { recursive: true });
  const mark = join(FOLDER, `${hash('sha256', wanted + PYTHON_PACKAGE)}.installed`);
  if (existsSync(mark)) return;
  writeFileSync(join(FOLDER, 'package.json'), wanted);
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'], { cwd: FOLDER });
  run('python3', ['-m', 'venv', join(FOLDER, 'venv')]);
  run(python('pip'), ['install', '--quiet', PYTHON_PACKAGE]);
  writeFileSync(mark, '');
}
