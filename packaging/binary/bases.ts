// The Node binaries that ours are made of: from the registry's packages, checked against the hashes of the lock file,
// without symbols and without the signature, which would be wrong. It fetches only what the lock file names.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_VERSION, type Target } from './targets.ts';
import { withoutSignature } from './windows-signature.ts';

const PACK_TIMEOUT_MS = 300_000;

/**
 * Puts the base of `target` into `folder` and returns its path. `note` gets messages for the reader of the build's
 * output.
 */
export function prepareBase(root: string, folder: string, target: Target, note: (text: string) => void): string {
  const unpacked = unpackNode(root, folder, target);
  const base = join(folder, `base-${target.name}${target.suffix}`);
  if (target.suffix === '.exe') writeFileSync(base, withoutSignature(readFileSync(unpacked)));
  else copyFileSync(unpacked, base);
  chmodSync(base, 0o755);
  // Only before the program goes in: a finished binary does not survive it.
  const strip = target.strip.find(isProgram);
  if (strip !== undefined) execFileSync(strip, [base]);
  else if (target.strip.length > 0)
    note(`${target.name}: no ${target.strip.join(' or ')} here, symbols stay in (about 18 MB)`);
  return base;
}

function unpackNode(root: string, folder: string, target: Target): string {
  const name = `node-${target.name}`;
  const tarball = join(folder, `${name}-${NODE_VERSION}.tgz`);
  if (!existsSync(tarball)) {
    mkdirSync(folder, { recursive: true });
    execFileSync('npm', ['pack', `${name}@${NODE_VERSION}`, '--silent', '--pack-destination', folder], {
      cwd: root,
      timeout: PACK_TIMEOUT_MS,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const wanted = integrityOf(root, name);
  if (found !== wanted) {
    rmSync(tarball);
    throw new Error(`${name}@${NODE_VERSION}: the package has ${found}, the lock file wants ${wanted}`);
  }
  const unpacked = join(folder, name);
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked, `package/${target.binary}`]);
  return join(unpacked, 'package', target.binary);
}

function integrityOf(root: string, name: string): string {
  const lock: { packages: Record<string, { version?: string; integrity?: string }> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const entry = lock.packages[`node_modules/${name}`];
  if (entry?.version !== NODE_VERSION || entry.integrity === undefined) {
    throw new Error(
      `the lock file has no ${name} ${NODE_VERSION}: packaging/binary/targets.ts and package.json must name the same`,
    );
  }
  return entry.integrity;
}

function isProgram(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
