// `npm run build:deb [-- --target linux-x64] [--fast]`: Debian packages from the executables in dist/, by dpkg-deb,
// reproducible.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { VERSION } from '../../src/base/version.ts';
import { changedSecrets, DEFAULT_CONFIG, newConfig, SECRETS_FILE } from '../../src/cli/setup/config-file.ts';
import { PROGRAM_FOLDER, STATE_FOLDER, UNIT, UPDATE_UNITS, unitText } from '../../src/update/linux/units.ts';

const root = join(import.meta.dirname, '..', '..');
const here = import.meta.dirname;
const ARCHITECTURES = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' } as const;

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true },
    /** Quick and larger, for tests. */
    fast: { type: 'boolean', default: false },
    /** Another version than that of the sources, for tests of upgrades. */
    version: { type: 'string', default: VERSION },
    binary: { type: 'string' },
    /** Where the executables and their licences are, and the packages go to. */
    output: { type: 'string', default: join(root, 'dist') },
  },
});
const dist = resolve(values.output);

function buildDeb(target: keyof typeof ARCHITECTURES): string {
  const architecture = ARCHITECTURES[target];
  const binary = values.binary ?? join(dist, `pithead-${target}`);
  if (!existsSync(binary)) throw new Error(`${binary} is not there: npm run build:binary -- --target ${target}`);
  const tree = join(dist, '.build', `deb-${architecture}`);
  rmSync(tree, { recursive: true, force: true });
  const { version } = values;
  const put = (from: string, to: string, mode: number) => {
    const path = join(tree, to);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(from, path);
    chmodSync(path, mode);
  };
  const write = (text: string, to: string) => {
    const path = join(tree, to);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o644);
  };
  const fill = (name: string, mode: number) => {
    const path = join(tree, 'DEBIAN', name);
    mkdirSync(dirname(path), { recursive: true });
    const text = readFileSync(join(here, 'debian', name), 'utf8');
    writeFileSync(path, text.replaceAll('@VERSION@', version).replaceAll('@ARCH@', architecture));
    chmodSync(path, mode);
  };
  fill('control', 0o644);
  for (const script of ['postinst', 'prerm', 'postrm']) fill(script, 0o755);
  put(binary, `${PROGRAM_FOLDER.slice(1)}/versions/${version}/pithead`, 0o755);
  write(unitText(), `lib/systemd/system/${UNIT}`);
  for (const { name, text } of UPDATE_UNITS) write(text, `lib/systemd/system/${name}`);
  write(newConfig({ networks: [], logins: [] }, STATE_FOLDER), `usr/share/pithead/${DEFAULT_CONFIG}`);
  write(changedSecrets('', {}), `usr/share/pithead/${SECRETS_FILE}`);
  for (const page of readdirSync(join(root, 'packaging', 'handbook')))
    put(join(root, 'packaging', 'handbook', page), `usr/share/doc/pithead/handbook/${page}`, 0o644);
  put(join(root, 'LICENSE'), 'usr/share/doc/pithead/copyright', 0o644);
  put(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'usr/share/doc/pithead/THIRD-PARTY-LICENSES.txt', 0o644);
  mkdirSync(join(tree, 'usr', 'bin'), { recursive: true });
  symlinkSync('../lib/pithead/current/pithead', join(tree, 'usr', 'bin', 'pithead'));
  mkdirSync(join(tree, 'etc', 'pithead'), { recursive: true });
  const output = join(dist, `pithead_${version}_${architecture}.deb`);
  const compression = values.fast ? ['-Zgzip', '-z1'] : ['-Zxz', '-z6'];
  execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', tree, output], {
    // Files get this time, so that the same sources give the same package.
    env: { ...process.env, SOURCE_DATE_EPOCH: process.env.SOURCE_DATE_EPOCH ?? '1767225600' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return output;
}

for (const target of ['linux-x64', 'linux-arm64'] as const) {
  const isWanted =
    values.target === undefined ? existsSync(join(dist, `pithead-${target}`)) : values.target.includes(target);
  if (isWanted) process.stdout.write(`${buildDeb(target)}\n`);
}
