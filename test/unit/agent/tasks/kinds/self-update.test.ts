// An update that the service asks for: fetched, checked, handed over once, and ended with what root says, however often
// the agent is killed.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newKey, publicHalf } from '../../../../../packaging/release/sign.ts';
import type { Fetch } from '../../../../../src/agent/firmware/fetch.ts';
import { createSelfUpdate } from '../../../../../src/agent/tasks/kinds/self-update.ts';
import { RefusedError } from '../../../../../src/base/errors.ts';
import { silentLog } from '../../../../../src/base/log.ts';
import { type Outcome, openNotes } from '../../../../../src/update/install/notes.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';
import { bundleIn, NOW, root, setOf, signing, tempFolder } from '../../../update/release.ts';

const URL_OF_IT = 'https://updates.example/pithead.bundle';

async function setUp({ roots = [root], bundle }: { roots?: string[]; bundle?: string } = {}) {
  const folder = tempFolder();
  const [requests, notes] = [join(folder, 'update'), join(folder, 'notes')];
  const source = bundle ?? (await bundleIn(folder));
  const clock = createVirtualClock(NOW);
  let fetches = 0;
  const fetchTo: Fetch = async (path, url, allowed) => {
    fetches++;
    if (!allowed.includes(url.host)) throw new RefusedError('fetch.host', `fetch update from ${url.host}: not allowed`);
    copyFileSync(source, path);
    return { bytes: 1, sha256: 'a'.repeat(64) };
  };
  mkdirSync(notes);
  const task = () =>
    createSelfUpdate({
      ...{ clock, log: silentLog, version: '1.0.0', target: 'linux-x64', fetchTo, requests, notes },
      pins: { roots: roots.map(publicHalf), minSequence: 0 },
      allowedHosts: ['updates.example'],
    });
  const stop = new AbortController();
  const reach = {
    find: () => undefined,
    mayReach: () => true,
    observe: () => Promise.reject(new Error('an update looks at no miner')),
    onProgress() {},
  };
  const run = (params: Record<string, unknown> = { url: URL_OF_IT }, signal = stop.signal) =>
    task().run({ taskId: 't-1', minerKey: 'agent', params }, signal, reach);
  const request = join(requests, 'request.json');
  /** What root does: notes that it begins, takes the request, then says what came of it. */
  const take = () => {
    const taken: unknown = JSON.parse(readFileSync(request, 'utf8'));
    openNotes(notes).setJournal({
      ...{ step: 'verifying', from: '1.0.0', to: null, sha256: null, task_id: 't-1' },
      ...{ started_ms: 0, switched_ms: null, reason: null },
    });
    rmSync(request);
    return taken;
  };
  const say = (result: Outcome['result'], message = '') =>
    openNotes(notes).setOutcome({
      ...{ result, message, from: '1.0.0', to: '1.1.0', sha256: 'x', task_id: 't-1', without_proof_ms: null },
      ...{ started_at: '', finished_at: '' },
    });
  const handedOver = async () => {
    while (!existsSync(request)) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, run, take, say, request, requests, notes, handedOver, source, fetches: () => fetches };
}

test('it is handed over whole, and succeeds when root says so', async () => {
  const host = await setUp();
  const running = host.run();
  await host.handedOver();
  expect(readFileSync(join(host.requests, 'wanted.bundle'))).toEqual(readFileSync(host.source));
  expect(host.take()).toEqual({ task_id: 't-1' });
  host.say('updated');
  expect(await host.clock.finish(running)).toMatchObject({
    status: 'succeeded',
    evidence: { from: '1.0.0', to: '1.1.0' },
  });
});

test('a version that was taken back fails the task with the reason', async () => {
  const host = await setUp();
  const running = host.run();
  await host.handedOver();
  host.take();
  host.say('rolled-back', 'it ended and had to be restarted');
  expect(await host.clock.finish(running)).toMatchObject({
    status: 'failed',
    message: 'rolled-back: it ended and had to be restarted',
  });
});

test('the agent is stopped for the update and ends the task afterwards, without asking again', async () => {
  const host = await setUp();
  const stop = new AbortController();
  const running = host.run(undefined, stop.signal);
  await host.handedOver();
  host.take();
  stop.abort();
  expect(await host.clock.finish(running)).toMatchObject({ status: 'cancelled' });
  const again = host.run();
  await host.clock.settle();
  host.say('updated');
  expect(await host.clock.finish(again)).toMatchObject({ status: 'succeeded' });
  expect(await host.run()).toMatchObject({ status: 'succeeded' });
  expect(host.fetches()).toBe(1);
  expect(existsSync(host.request)).toBe(false);
});

test('killed before root could see the request, it is asked for again', async () => {
  const host = await setUp();
  mkdirSync(host.requests, { recursive: true });
  writeFileSync(join(host.requests, 'asked.json'), JSON.stringify({ task_id: 't-1' }));
  const running = host.run();
  await host.handedOver();
  host.take();
  host.say('updated');
  expect(await host.clock.finish(running)).toMatchObject({ status: 'succeeded' });
  expect(host.fetches()).toBe(1);
});

test('given up before root took it, it is withdrawn', async () => {
  const host = await setUp();
  const stop = new AbortController();
  const running = host.run(undefined, stop.signal);
  await host.handedOver();
  stop.abort();
  expect(await host.clock.finish(running)).toMatchObject({
    status: 'cancelled',
    message: 'given up before it was begun',
  });
  expect(existsSync(host.request)).toBe(false);
});

test('where nothing installs updates the task ends soon, and leaves nothing to be found later', async () => {
  const host = await setUp();
  const running = host.run();
  await host.handedOver();
  const outcome = await host.clock.finish(running, 60_000);
  expect(outcome).toMatchObject({ status: 'failed', message: expect.stringContaining('nothing on this host') });
  expect(existsSync(host.request)).toBe(false);
});

const stranger = newKey();
test.each([
  ['an address that is not allowed', { params: { url: 'https://elsewhere.example/x' } }, 'not allowed'],
  ['no address', { params: {} }, 'no url'],
  ['an address without encryption', { params: { url: 'http://updates.example/x' } }, 'do not fit'],
  ['another hash', { params: { url: URL_OF_IT, sha256: 'b'.repeat(64) } }, 'another SHA-256'],
  ['another version', { params: { url: URL_OF_IT, version: '1.2.0' } }, 'not 1.2.0'],
  ['a stranger for a signer', { of: { set: setOf([signing], [stranger]) } }, 'no root of this build'],
  ['an older version', { about: { version: '0.9.0' } }, 'only newer'],
  ['another platform', { about: { target: 'linux-arm64' } }, 'linux-arm64'],
  ['a build without roots', { roots: [] }, 'no root key'],
])(
  '%s is refused before root hears of it',
  async (_, { params = { url: URL_OF_IT }, of, about, roots }: Case, message) => {
    const host = await setUp({
      bundle: await bundleIn(tempFolder(), about, of),
      ...(roots === undefined ? {} : { roots }),
    });
    const outcome = await host.run(params);
    expect(outcome).toMatchObject({ status: 'failed', message: expect.stringContaining(message) });
    expect(outcome.message).toMatch(/^refused: /);
    expect(existsSync(host.request)).toBe(false);
  },
);
type Case = {
  params?: Record<string, unknown>;
  of?: Parameters<typeof bundleIn>[2];
  about?: Parameters<typeof bundleIn>[1];
  roots?: string[];
};

test('what root has found to be broken, or revoked, is not even handed over', async () => {
  const host = await setUp();
  const notes = openNotes(host.notes);
  notes.seen.remember(2);
  expect(await host.run()).toMatchObject({ status: 'failed', message: expect.stringContaining('has replaced it') });
  writeFileSync(join(host.notes, 'memory.json'), JSON.stringify({ sequence: 1 }));
  const manifest = JSON.parse(readFileSync(host.source, 'utf8').split('\n')[1] ?? '');
  notes.setBroken({ sha256: manifest.sha256, version: '1.1.0', reason: 'it crashes', at: '2030-01-01' });
  expect(await host.run()).toMatchObject({ status: 'failed', message: expect.stringContaining('it crashes') });
});
