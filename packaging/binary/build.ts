// `npm run build:binary [-- --target linux-x64 …]`: single executables in dist/, with checksums, a bill of materials
// and the licences of what is in them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { takeLock } from '../../src/base/storage/lock.ts';
import { pinsSchema } from '../../src/update/trust/trust.ts';
import { buildWindowsHost } from '../windows/host.ts';
import { prepareBase } from './bases.ts';
import { bundle } from './bundle.ts';
import { makeExecutable } from './executable.ts';
import { notices } from './notices.ts';
import { TARGETS, type Target } from './targets.ts';

const root = join(import.meta.dirname, '..', '..');
const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true },
    /** Root keys whose updates the build takes (`npm run release:sign -- pins`). */
    'update-root': { type: 'string' },
    /** For tests of updates. */
    'version-override': { type: 'string' },
    prepend: { type: 'string' },
    output: { type: 'string', default: join(root, 'dist') },
  },
});
const dist = resolve(values.output);
// What is fetched and unpacked is shared by all builds of this folder.
const work = join(root, 'dist', '.build');

const WAIT_MS = 200;
const MOST_WAIT_MS = 600_000;

const say = (text: string) => void process.stderr.write(`${text}\n`);

function chosen(): readonly Target[] {
  const unknown = (values.target ?? []).filter((name) => !TARGETS.some((target) => target.name === name));
  if (unknown.length > 0) {
    say(`--target ${unknown.join(', ')}: accepted are ${TARGETS.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  return TARGETS.filter(({ name }) => values.target === undefined || values.target.includes(name));
}

const billSchema = z.looseObject({
  serialNumber: z.unknown(),
  metadata: z.looseObject({ timestamp: z.unknown(), component: z.looseObject({}) }),
  components: z.array(
    z.looseObject({ 'bom-ref': z.string(), properties: z.array(z.looseObject({ name: z.string() })) }),
  ),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});
/** npm's word for what only developers need. */
const FOR_DEVELOPERS = 'cdx:npm:package:development';

/**
 * CycloneDX, of what the program is bundled from. Without time, serial number and folder name (npm takes that for the
 * name of the program): they would make each build different. What is for developers is left out here: told to omit it,
 * npm omits what they and the program have in common too.
 */
function billOfMaterials(): string {
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 32 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { serialNumber: _, metadata, components: all, dependencies, ...rest } = billSchema.parse(JSON.parse(text));
  const { timestamp: __, component, ...about } = metadata;
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const product = { ...component, type: 'application', name, version: values['version-override'] ?? version };
  const components = all.filter(({ properties }) => !properties.some((property) => property.name === FOR_DEVELOPERS));
  const leftOut = new Set(all.filter((entry) => !components.includes(entry)).map((entry) => entry['bom-ref']));
  const between = dependencies
    .filter(({ ref }) => !leftOut.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => !leftOut.has(other)) }));
  const bill = { ...rest, metadata: { ...about, component: product }, components, dependencies: between };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

const megabytes = (path: string) => `${(statSync(path).size / 1e6).toFixed(1)} MB`;

function pins(): string | undefined {
  const path = values['update-root'];
  if (path === undefined) {
    say('no --update-root: these programs take no updates');
    return undefined;
  }
  return JSON.stringify(pinsSchema.parse(JSON.parse(readFileSync(path, 'utf8'))));
}

/** Two builds at once would unpack over each other. */
async function waitForOthers(): Promise<() => void> {
  const endMs = Date.now() + MOST_WAIT_MS;
  for (;;) {
    const release = takeLock(join(work, 'lock'));
    if (release !== undefined) return release;
    if (Date.now() > endMs) throw new Error(`build in ${work}: another build has not ended within 10 minutes`);
    await setTimeout(WAIT_MS);
  }
}

const targets = chosen();
mkdirSync(work, { recursive: true });
mkdirSync(dist, { recursive: true });
const release = await waitForOthers();
const program = await bundle(root, join(dist, '.build'), {
  pins: pins(),
  version: values['version-override'],
  prepend: values.prepend === undefined ? undefined : readFileSync(values.prepend, 'utf8'),
});
say(`bundle ${megabytes(program)}`);
const made: string[] = [];
for (const target of targets) {
  const output = join(dist, `pithead-${target.name}${target.suffix}`);
  makeExecutable(root, work, target, prepareBase(root, work, target, say), program, output);
  say(`${basename(output)} ${megabytes(output)}`);
  made.push(output);
}
const windowsHost = join(dist, 'pithead-service.exe');
if (targets.some(({ name }) => name === 'win-x64') && buildWindowsHost(windowsHost, say)) made.push(windowsHost);
const bill = join(dist, 'pithead.cdx.json');
writeFileSync(bill, billOfMaterials());
const licences = join(dist, 'THIRD-PARTY-LICENSES.txt');
writeFileSync(licences, notices(root, readFileSync(program.replace(/\.cjs$/, '.meta.json'), 'utf8')));
const sums = [...made, bill, licences].map(
  (path) => `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${basename(path)}\n`,
);
writeFileSync(join(dist, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));
release();
