// Changes of passwords through the queue: one miner goes first whoever asks, nobody is shown the new one, and a kill at
// any step ends in a proof and never in a second request.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PasswordShown } from '../../../../src/agent/device/passwords/password-changes.ts';
import type { TaskDeps } from '../../../../src/agent/tasks/contract.ts';
import { createTaskQueue, type TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { taskSettingsSchema } from '../../../../src/agent/tasks/settings.ts';
import { type PeerCode, PeerError } from '../../../../src/base/errors.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { createVault } from '../../../../src/base/storage/vault.ts';
import * as kit from '../../../../src/driver/kit/index.ts';
import { createBench, keyOf } from './test-queue.ts';

const NEW = 'the-new-word-of-the-farm';
const name = 'miner.password.update';
const params = { password: NEW };
const vault = createVault(randomBytes(32));

/** When it takes it over, seconds; `never` = it says yes all the same. */
type Way = { readonly takesS?: number; readonly never?: true; readonly says?: PeerCode };

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue | undefined;
/** Requests that reached the miners, and what is kept of each: as the device client does it. */
let sent: number[];
let kept: Map<string, { takenMs: number; isRefused: boolean; isSettled: boolean }>;
let ways: Map<string, Way>;
let whyNot: (key: string) => string | undefined;
let sealedOnly: boolean;

beforeEach(() => {
  bench = createBench();
  [sent, kept, ways, whyNot, sealedOnly] = [[], new Map(), new Map(), () => undefined, false];
  for (const number of [1, 2, 3]) bench.farm.add(keyOf(number));
});
afterEach(async () => {
  if (gate !== undefined) await bench.clock.finish(gate.stop());
  gate = undefined;
  bench.remove();
});

const ability = kit.password({ offlineS: [0, 0], set: () => Promise.reject(new Error('it goes through deps.act')) });

function start(): TaskQueue {
  const { clock, farm } = bench;
  const deps: TaskDeps = {
    ...farm.deps,
    find: (key) => ({ ip: farm.miners.get(key)?.ip ?? '', driverId: 'sim', abilities: { password: ability } }),
    async act(key, _name, _params, signal) {
      const { takesS = 0, never, says } = ways.get(key) ?? {};
      const takenMs = never ? Number.POSITIVE_INFINITY : clock.elapsedMs() + takesS * 1_000;
      if (says === undefined) kept.set(key, { takenMs, isRefused: false, isSettled: false });
      if (sealedOnly) return new Promise(() => {});
      sent.push(Number(key.slice(-12)));
      await clock.sleep(200, signal);
      if (says !== undefined) throw new PeerError(says, `set the password: '${NEW}' is too plain`, 'never');
      return { kind: 'accepted' };
    },
    passwords: {
      whyNot: (key) => whyNot(key),
      async shown(key): Promise<PasswordShown> {
        const found = kept.get(key);
        if (found === undefined) return 'none';
        // The look before has logged in.
        found.isSettled ||= !found.isRefused && clock.elapsedMs() >= found.takenMs;
        if (found.isSettled) return 'new';
        const before = found.isRefused;
        found.isRefused = true;
        return before ? 'old' : 'refused';
      },
      tryAgain(key) {
        const found = kept.get(key);
        if (found !== undefined) found.isRefused = false;
      },
    },
  };
  const settings = taskSettingsSchema.parse({ allow: { password: true } });
  gate = createTaskQueue(bench.db(), { clock, log: silentLog, settings, deps, vault });
  gate.start();
  return gate;
}
const orders = (rollout?: { canary: number }) =>
  [1, 2, 3].map((number) => bench.order(keyOf(number), { name, params, rollout, expiresInS: 14_400 }));

test.each([undefined, { canary: 3 }])('ordered with the rollout %j, the first goes alone', async (rollout) => {
  ways.set(keyOf(1), { takesS: 30 });
  start().acceptAll(orders(rollout));
  await bench.clock.advance(30_000);
  expect(sent).toEqual([1]);
  await bench.clock.advance(600_000);
  expect(sent).toEqual([1, 2, 3]);
  expect(bench.farm.finals().map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
});

test('asked for on site, the first goes alone, and the others not at all when it fails', async () => {
  ways.set(keyOf(1), { never: true });
  const commands = [1, 2, 3].map((number) => ({ name, minerKey: keyOf(number), params }));
  const { runs } = start().runLocalBatch(commands, 'b', { canary: 0 });
  await bench.clock.advance(600_000);
  const ends = await Promise.all(runs.map(({ outcome }) => outcome));
  expect(ends.map(({ status }) => status)).toEqual(['failed', 'cancelled', 'cancelled']);
  expect(ends[0]?.message).toBe('the miner answered success but kept its password');
  expect(sent).toEqual([1]);
});

test('nobody is shown the new one, while it waits, while it runs and afterwards', async () => {
  ways.set(keyOf(1), { takesS: 30 });
  const queue = start();
  queue.acceptAll(orders());
  const seen: string[] = [];
  for (let look = 0; look < 20; look++) {
    const rows = bench.db().prepare('SELECT * FROM tasks_journal').all();
    seen.push(JSON.stringify([queue.batch(keyOf(999)), queue.list(), queue.open(), rows]));
    await bench.clock.advance(20_000);
  }
  expect(bench.farm.finals()).toHaveLength(3);
  expect(seen.join('')).toContain('sealed:1:');
  expect(seen.join('') + JSON.stringify(bench.farm.records)).not.toContain(NEW);
});

test('a miner that says no has failed, and what it quotes of the password is hidden', async () => {
  ways.set(keyOf(1), { says: 'peer.rejected' });
  const { outcome } = start().runLocal({ name, minerKey: keyOf(1), params });
  await bench.clock.advance(10_000);
  const { status, message } = await outcome;
  expect([status, message]).toEqual(['failed', expect.stringMatching(/^refused by the miner .* is too plain/)]);
  expect(message).not.toContain(NEW);
});

test('what may not be changed is left out of the outlook, and refused before anything is sent', async () => {
  whyNot = (key) => (key === keyOf(2) ? 'no person has accepted it yet' : undefined);
  const queue = start();
  const commands = [1, 2].map((number) => ({ name, minerKey: keyOf(number), params }));
  expect(await queue.outlook(commands)).toMatchObject({
    selected: [{ minerKey: keyOf(1) }],
    leftOut: [{ minerKey: keyOf(2), reason: 'refused: no person has accepted it yet' }],
  });
  const { outcome } = queue.runLocal({ name, minerKey: keyOf(2), params });
  await bench.clock.advance(10_000);
  expect(await outcome).toMatchObject({ status: 'failed', message: 'refused: no person has accepted it yet' });
  expect(sent).toEqual([]);
});

test.each([
  ['before anything was kept', 'sealed', 'failed', 'before anything was sent'],
  ['between the seal and the request', 'kept', 'failed', 'kept its password'],
  ['between the request and the proof', 'sent', 'succeeded', null],
])('killed %s, it ends in a proof and is not sent again', async (_, when, status, message) => {
  sealedOnly = when !== 'sent';
  const queue = start();
  queue.acceptAll(orders().slice(0, 1));
  await bench.clock.advance(1_000);
  bench.crash();
  void queue.stop();
  await bench.clock.settle();
  if (when === 'sealed') kept.clear();
  if (when === 'kept') kept.set(keyOf(1), { takenMs: Number.POSITIVE_INFINITY, isRefused: false, isSettled: false });
  bench.farm.records.length = 0;
  sealedOnly = false;
  start();
  await bench.clock.advance(600_000);
  expect(sent).toEqual(when === 'sent' ? [1] : []);
  expect(bench.farm.finals()).toMatchObject([
    { status, evidence: { interrupted: true }, message: message === null ? null : expect.stringContaining(message) },
  ]);
});
