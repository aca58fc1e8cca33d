// What is installed and what is not: only a whole, newer program for this platform, signed by a key that a pinned root
// vouches for.
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newKey, publicHalf, signManifest } from '../../../../packaging/release/sign.ts';
import { MAGIC, MAX_LINE_BYTES, MAX_PAYLOAD_BYTES, readBundle } from '../../../../src/update/trust/bundle.ts';
import { keyName } from '../../../../src/update/trust/trust.ts';
import { bundleIn, expectations, PROGRAM, root, setOf, signing, tempFolder } from '../release.ts';

const folder = tempFolder();
const into = join(folder, 'out');

/** Refused with this code, and nothing is left behind. */
async function refused(path: string, code: string, expected = expectations()): Promise<void> {
  await expect(readBundle(path, expected, { into })).rejects.toMatchObject({ family: 'refused', code });
  expect(existsSync(into)).toBe(false);
}

/** A copy of the file with its three lines and its program changed. */
function changed(path: string, change: (lines: string[], program: Buffer) => [string[], Buffer]): string {
  const bytes = readFileSync(path);
  const ends = [...bytes.entries()].flatMap(([index, byte]) => (byte === 0x0a ? [index] : [])).slice(0, 3);
  const end = ends.at(-1) ?? 0;
  const lines = bytes.subarray(0, end).toString().split('\n');
  const [newLines, program] = change(lines, bytes.subarray(end + 1));
  writeFileSync(`${path}.changed`, Buffer.concat([Buffer.from(`${newLines.join('\n')}\n`), program]));
  return `${path}.changed`;
}
const withLine = (path: string, index: number, change: (line: string) => string) =>
  changed(path, (lines, program) => [lines.map((line, at) => (at === index ? change(line) : line)), program]);

test('a bundle as it should be gives the program, byte for byte and executable', async () => {
  const manifest = await readBundle(await bundleIn(folder), expectations(), { into: join(folder, 'good') });
  expect(manifest).toMatchObject({ name: 'pithead', version: '1.1.0', size: PROGRAM.length });
  expect(readFileSync(join(folder, 'good'))).toEqual(PROGRAM);
  expect(statSync(join(folder, 'good')).mode & 0o777).toBe(0o755);
});

test('every single byte that differs is found', async () => {
  const path = await bundleIn(folder, {}, { program: Buffer.from('short') });
  const bytes = readFileSync(path);
  for (let index = 0; index < bytes.length; index++) {
    const copy = Buffer.from(bytes);
    copy[index] = (copy[index] ?? 0) ^ 1;
    writeFileSync(`${path}.bit`, copy);
    // Base64 has characters whose lowest bit means nothing: then it is the same signature.
    const outcome = await readBundle(`${path}.bit`, expectations()).then(
      (manifest) => manifest.version,
      (error) => error.family,
    );
    if (outcome !== 'refused') expect(Buffer.from(sameSignatures(copy))).toEqual(Buffer.from(sameSignatures(bytes)));
  }
});
/** The lines with every signature decoded. */
function sameSignatures(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/"([A-Za-z0-9+/]{86}==)"/g, (_, text) => Buffer.from(text, 'base64').toString('hex'));
}

test('a file that is cut anywhere is refused', async () => {
  const path = await bundleIn(folder, {}, { program: Buffer.from('short') });
  for (let size = statSync(path).size - 1; size >= 0; size -= 7) {
    truncateSync(path, size);
    await expect(readBundle(path, expectations())).rejects.toMatchObject({ family: 'refused' });
  }
});

describe('tampered', () => {
  test('the program', async () => {
    const path = await bundleIn(folder);
    await refused(
      changed(path, (lines, program) => [lines, Buffer.from(program).fill(0x41, 0, 1)]),
      'update.payload',
    );
  });
  test('the program, with a byte more', async () => {
    const path = await bundleIn(folder);
    await refused(
      changed(path, (lines, program) => [lines, Buffer.concat([program, Buffer.from('x')])]),
      'update.size',
    );
  });
  test('the manifest', async () => {
    await refused(
      withLine(await bundleIn(folder), 1, (line) => line.replace('1.1.0', '1.2.0')),
      'update.signature',
    );
  });
  test('the set of keys', async () => {
    const path = await bundleIn(folder);
    await refused(
      withLine(path, 2, (line) => line.replace('2031', '2041')),
      'update.root',
    );
  });
  test('the signature of the manifest', async () => {
    const other = JSON.parse(readFileSync(await bundleIn(folder, { version: '1.3.0' }), 'utf8').split('\n')[2] ?? '');
    const path = withLine(await bundleIn(folder), 2, (line) =>
      JSON.stringify({ ...JSON.parse(line), signature: other.signature }),
    );
    await refused(path, 'update.signature');
  });
});

describe('oversize', () => {
  test('a line without an end', async () => {
    const path = join(folder, 'endless');
    writeFileSync(path, `${MAGIC}\n${'x'.repeat(10 * MAX_LINE_BYTES)}`);
    await refused(path, 'update.format');
  });
  test('a line over the cap', async () => {
    await refused(
      withLine(await bundleIn(folder), 1, (line) => `${line}${' '.repeat(MAX_LINE_BYTES)}`),
      'update.format',
    );
  });
  test('a program over the cap, although it is signed', async () => {
    const path = await bundleIn(folder);
    const size = MAX_PAYLOAD_BYTES + 1;
    expect(() =>
      signManifest(
        { name: 'pithead', version: '1.1.0', target: 'linux-x64', size, sha256: 'a'.repeat(64) },
        setOf([signing]),
        signing,
      ),
    ).toThrow();
    // A file of any length, sparse: the signed size decides, and it is looked at before anything is read.
    truncateSync(path, 8 * 1024 ** 3);
    await refused(path, 'update.size');
  });
});

describe('right, but not for here or not now', () => {
  test.each([
    ['an older version', { version: '0.9.9' }, 'update.version'],
    ['the same version', { version: '1.0.0' }, 'update.version'],
    ['a pre-release of the same version', { version: '1.0.0-rc.1' }, 'update.version'],
    ['another platform', { target: 'linux-arm64' }, 'update.target'],
    ['another program', { name: 'pitheads' }, 'update.name'],
    ['an update that is not in force yet', { notBefore: '2030-06-01T00:00:01Z' }, 'update.too-early'],
    ['an update that has expired', { expires: '2030-06-01T00:00:00Z' }, 'update.expired'],
  ])('%s', async (_, about, code) => refused(await bundleIn(folder, about), code));
  test('a version that would be a path is not even signed', async () => {
    await expect(bundleIn(folder, { version: '../../bin' })).rejects.toThrow();
  });
});

describe('signed by the wrong one', () => {
  test('a build without roots takes nothing', async () => {
    await refused(await bundleIn(folder), 'update.no-root', expectations({ roots: [] }));
  });
  test('a stranger for a root', async () => {
    const stranger = newKey();
    await refused(await bundleIn(folder, {}, { set: setOf([signing], [stranger]) }), 'update.root');
  });
  test('a stranger under the name of the root', async () => {
    const stranger = newKey();
    const set = setOf([signing], [stranger]);
    const named = set.rootSignatures.map((entry) => ({ ...entry, key: keyName(publicHalf(root)) }));
    await refused(await bundleIn(folder, {}, { set: { ...set, rootSignatures: named } }), 'update.root');
  });
  test('the root itself signs the manifest', async () => {
    await refused(await bundleIn(folder, {}, { key: root }), 'update.key');
  });
  test('the root itself, in a set that names it', async () => {
    await refused(await bundleIn(folder, {}, { key: root, set: setOf([root, signing]) }), 'update.key');
  });
  test('a signing key signs a set', async () => {
    await refused(await bundleIn(folder, {}, { set: setOf([signing], [signing]) }), 'update.root');
  });
  test('a key that is not in the set', async () => {
    await refused(await bundleIn(folder, {}, { key: newKey() }), 'update.key');
  });
  test('an expired set', async () => {
    const set = setOf([signing], [root], { expires: '2030-01-01T00:00:00Z' });
    await refused(await bundleIn(folder, {}, { set }), 'update.set-expired');
  });
  test('pieces of two updates, each good by itself', async () => {
    const [one, two] = [
      await bundleIn(folder),
      await bundleIn(folder, { version: '1.2.0' }, { program: Buffer.from('b') }),
    ];
    const lines = readFileSync(two, 'latin1').split('\n');
    await refused(
      withLine(one, 1, () => lines[1] ?? ''),
      'update.signature',
    );
    await refused(
      withLine(one, 2, () => lines[2] ?? ''),
      'update.signature',
    );
    await refused(
      changed(one, (own) => [own, Buffer.from('b')]),
      'update.size',
    );
  });
});

describe('keys come and go', () => {
  const next = newKey();
  test('a new signing key is taken, and the old one is revoked from then on', async () => {
    const expected = expectations();
    await readBundle(await bundleIn(folder), expected);
    await readBundle(await bundleIn(folder, {}, { set: setOf([next], [root], { sequence: 2 }), key: next }), expected);
    await refused(await bundleIn(folder), 'update.set-old', expected);
    const mixed = await bundleIn(folder, {}, { set: setOf([next], [root], { sequence: 2 }) });
    await refused(mixed, 'update.key', expected);
  });
  test('a revocation counts even if the update that brings it is refused', async () => {
    const expected = expectations();
    const set = setOf([next], [root], { sequence: 5 });
    await refused(await bundleIn(folder, { version: '0.1.0' }, { set, key: next }), 'update.version', expected);
    await refused(await bundleIn(folder), 'update.set-old', expected);
  });
  test('a set that nobody vouches for revokes nothing', async () => {
    const expected = expectations();
    const set = setOf([next], [newKey()], { sequence: 9 });
    await refused(await bundleIn(folder, {}, { set, key: next }), 'update.root', expected);
    await readBundle(await bundleIn(folder), expected);
  });
  test('a new installation knows the sequence of its own time', async () => {
    const expected = expectations();
    await refused(await bundleIn(folder), 'update.set-old', {
      ...expected,
      pins: { ...expected.pins, minSequence: 2 },
    });
  });
  test('a new root takes over: old builds and new ones take the same update', async () => {
    const nextRoot = newKey();
    const path = await bundleIn(folder, {}, { set: setOf([signing], [root, nextRoot]) });
    for (const roots of [[root], [root, nextRoot], [nextRoot]]) await readBundle(path, expectations({ roots }));
    const later = await bundleIn(folder, {}, { set: setOf([signing], [nextRoot]) });
    await readBundle(later, expectations({ roots: [nextRoot] }));
    await refused(later, 'update.root', expectations({ roots: [root] }));
  });
});
