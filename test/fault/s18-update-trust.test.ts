// What nobody vouches for is not installed: each attack goes the whole way, from the file, or from the host it is
// fetched from, to the folder of programs, and nothing there changes. Keys and roots come and go, and updates go on.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { newKey, publicHalf } from '../../packaging/release/sign.ts';
import { createFetch } from '../../src/agent/firmware/fetch.ts';
import { createSelfUpdate } from '../../src/agent/tasks/kinds/self-update.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { install, type UpdateParts } from '../../src/update/install/install.ts';
import { linkTo, programOf } from '../../src/update/install/layout.ts';
import { openNotes } from '../../src/update/install/notes.ts';
import { authority, good } from '../unit/service-http/certificates.data.ts';
import { bundleIn, NOW, root, setOf, signing, tempFolder } from '../unit/update/release.ts';
import { report } from './table.ts';

const folder = tempFolder();
const nextKey = newKey();
const nextRoot = newKey();
const stranger = newKey();

let hosts = 0;

/** A host with 1.0.0; `touched` = how often its service was asked for anything. */
function hostWith(roots: readonly string[]) {
  const own = join(folder, `host-${++hosts}`);
  const places = {
    ...{ system: 'linux' as const, programs: join(own, 'lib') },
    ...{ notes: join(own, 'notes'), requests: join(own, 'requests') },
  };
  mkdirSync(join(places.programs, 'versions', '1.0.0'), { recursive: true });
  writeFileSync(programOf(places, '1.0.0'), 'old');
  for (const link of ['current', 'proven']) linkTo(places, join(places.programs, link), '1.0.0');
  let touched = 0;
  const touch = async () => {
    touched++;
  };
  const parts: UpdateParts = {
    places,
    notes: openNotes(places.notes),
    host: {
      ...{ start: touch, stop: touch, tryProgram: touch, saveDatabases: touch, restoreDatabases: touch },
      unit: async () => ({ active: 'active', sub: 'running', restarts: 0, pid: 7 }),
      isServing: async () => true,
    },
    clock: { ...systemClock, nowMs: () => NOW },
    patience: { readyMs: 1_000, stableMs: 0 },
    pins: { roots: roots.map(publicHalf), minSequence: 0 },
    target: 'linux-x64',
    onStep() {},
  };
  return {
    install: (bundle: string) => install(parts, { bundle, taskId: null }),
    /** What is there, and what leads where. */
    installed: () => ({
      versions: readdirSync(join(places.programs, 'versions')).toSorted(),
      current: readlinkSync(join(places.programs, 'current')),
      program: readFileSync(programOf(places, '1.0.0'), 'utf8'),
      touched,
    }),
  };
}

/** A good one with something changed. */
async function changed(change: (bytes: Buffer) => Buffer, about = {}): Promise<string> {
  const path = await bundleIn(folder, about);
  writeFileSync(path, change(readFileSync(path)));
  return path;
}
const replaced = (what: string, by: string) => (bytes: Buffer) =>
  Buffer.from(bytes.toString('latin1').replace(what, by), 'latin1');
const lineOf = (path: string, index: number) => readFileSync(path, 'latin1').split('\n')[index] ?? '';

async function mixed(): Promise<string> {
  const other = await bundleIn(folder, { version: '1.2.0' }, { program: Buffer.from('another program') });
  return changed((bytes) => replaced(bytes.toString('latin1').split('\n')[1] ?? '', lineOf(other, 1))(bytes));
}

async function longer(size: number): Promise<string> {
  const path = await bundleIn(folder);
  truncateSync(path, size);
  return path;
}

/** In the words of the bar; `after` is installed before, by the same host. */
const ATTACKS: readonly { what: string; make: () => Promise<string>; after?: () => Promise<string> }[] = [
  {
    what: 'tampered program',
    make: () => changed((bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from('!')])),
  },
  { what: 'tampered manifest', make: () => changed(replaced('"1.1.0"', '"1.9.0"')) },
  { what: 'tampered list of keys', make: () => changed(replaced('2031', '2041')) },
  { what: 'truncated', make: async () => longer(statSync(await bundleIn(folder)).size - 1) },
  { what: 'truncated in its head', make: () => longer(100) },
  { what: 'oversize', make: () => longer(8 * 1024 ** 3) },
  { what: 'oversize line', make: () => changed(replaced('\n', `${'x'.repeat(1_000_000)}\n`)) },
  { what: 'older', make: () => bundleIn(folder, { version: '0.9.9' }) },
  { what: 'same version', make: () => bundleIn(folder, { version: '1.0.0' }) },
  { what: 'wrong platform', make: () => bundleIn(folder, { target: 'linux-arm64' }) },
  { what: 'wrong program', make: () => bundleIn(folder, { name: 'another' }) },
  {
    what: 'revoked key',
    after: () =>
      bundleIn(folder, { version: '0.1.0' }, { set: setOf([nextKey], [root], { sequence: 2 }), key: nextKey }),
    make: () => bundleIn(folder),
  },
  {
    what: 'expired list',
    make: () => bundleIn(folder, {}, { set: setOf([signing], [root], { expires: '2030-05-31T00:00:00Z' }) }),
  },
  { what: 'expired update', make: () => bundleIn(folder, { expires: '2030-05-31T00:00:00Z' }) },
  { what: 'mixed pieces', make: mixed },
  { what: 'key of a stranger', make: () => bundleIn(folder, {}, { key: stranger }) },
  { what: 'list of a stranger', make: () => bundleIn(folder, {}, { set: setOf([signing], [stranger]) }) },
  { what: 'signed by the root itself', make: () => bundleIn(folder, {}, { key: root }) },
  { what: 'no update at all', make: () => changed(() => Buffer.alloc(100_000, 0x41)) },
];

/** What is wrong with how it went, in words; undefined when it was refused and nothing has changed. */
async function wrongWith({ make, after }: (typeof ATTACKS)[number]): Promise<string | undefined> {
  const host = hostWith([root]);
  if (after !== undefined) await host.install(await after());
  const before = JSON.stringify(host.installed());
  const { result, message } = await host.install(await make());
  if (result !== 'refused') return `${result}: ${message}`;
  const now = JSON.stringify(host.installed());
  return now === before ? undefined : `refused, but ${before} became ${now}`;
}

/** A host that answers with a file without an end. `pauseMs`: between two pieces. */
async function endlessHost(pauseMs: number): Promise<string> {
  const piece = Buffer.alloc(pauseMs === 0 ? 65_536 : 16, 0x41);
  const send = (answer: ServerResponse) => {
    if (answer.destroyed) return;
    const next = () => void setTimeout(() => send(answer), pauseMs);
    if (answer.write(piece)) next();
    else answer.once('drain', next);
  };
  const server = createServer(good, (_, answer) => send(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

/** What the agent makes of it; it must end by itself, and leave nothing for root to find. */
async function wrongWithEndless(pauseMs: number): Promise<string | undefined> {
  const host = await endlessHost(pauseMs);
  const requests = join(folder, `requests-${pauseMs}`);
  const task = createSelfUpdate({
    ...{ clock: systemClock, log: silentLog, version: '1.0.0', target: 'linux-x64', requests },
    notes: join(folder, 'notes-of-none'),
    pins: { roots: [publicHalf(root)], minSequence: 0 },
    allowedHosts: [host],
    fetchTo: createFetch(systemClock, { deadlineMs: 3_000, maxBytes: 4 * 1024 ** 2 }, authority),
  });
  const signal = AbortSignal.timeout(20_000);
  const request = { taskId: 't-1', minerKey: 'agent', params: { url: `https://${host}/x.bundle` } };
  const outcome = await task.run(request, signal, {
    ...{ find: () => undefined, mayReach: () => true, onProgress() {} },
    observe: () => Promise.reject(new Error('an update looks at no miner')),
  });
  if (outcome.status !== 'failed' || !/refused: .*(more than|within)/.test(outcome.message ?? ''))
    return `${outcome.status}: ${outcome.message}`;
  const left = existsSync(requests) ? readdirSync(requests) : [];
  return left.length === 0 ? undefined : `left behind: ${left.join(', ')}`;
}

/** Each row is one update on a host with these roots; all must go in, one after the other. */
async function rotations(): Promise<string[]> {
  const problems: string[] = [];
  const mustBe = async (what: string, wanted: string, outcome: Promise<{ result: string; message: string }>) => {
    const { result, message } = await outcome;
    if (result !== wanted) problems.push(`${what}: ${result}, ${message}`);
  };
  const host = hostWith([root]);
  await mustBe('the first key', 'updated', host.install(await bundleIn(folder)));
  const second = { set: setOf([nextKey], [root], { sequence: 2 }), key: nextKey };
  await mustBe('the next key', 'updated', host.install(await bundleIn(folder, { version: '1.2.0' }, second)));
  await mustBe('the first key again', 'refused', host.install(await bundleIn(folder, { version: '1.3.0' })));

  const both = { set: setOf([signing], [root, nextRoot]) };
  const ofNext = { set: setOf([signing], [nextRoot], { sequence: 2 }) };
  for (const roots of [[root], [root, nextRoot], [nextRoot]]) {
    const one = hostWith(roots);
    await mustBe('a list of both roots', 'updated', one.install(await bundleIn(folder, { version: '1.2.0' }, both)));
    const later = one.install(await bundleIn(folder, { version: '1.3.0' }, ofNext));
    await mustBe('a list of the next root', roots.includes(nextRoot) ? 'updated' : 'refused', later);
  }
  return problems;
}

test('nothing is installed that nobody vouches for, and keys can be replaced', async () => {
  const problems: string[] = [];
  for (const attack of ATTACKS) {
    const wrong = await wrongWith(attack);
    if (wrong !== undefined) problems.push(`${attack.what}: ${wrong}`);
  }
  for (const pauseMs of [0, 50]) {
    const wrong = await wrongWithEndless(pauseMs);
    if (wrong !== undefined) problems.push(`endless download, ${pauseMs} ms between pieces: ${wrong}`);
  }
  const installed = problems.length;
  problems.push(...(await rotations()));
  for (const problem of problems) process.stdout.write(`S18: ${problem}\n`);
  report({
    id: 'S18',
    value: `${ATTACKS.length + 2} attacks, two downloads without an end among them: ${installed} not refused whole; keys and roots replaced: ${problems.length - installed} problems`,
    bar: '0 installed; root and signing key rotation pass',
    isMet: problems.length === 0,
  });
});
