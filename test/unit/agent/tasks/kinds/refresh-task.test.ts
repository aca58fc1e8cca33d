// A refresh reads the miner now and reports it; where it cannot, it says why and has it polled soon.
import { expect, test } from 'vitest';
import type { AgentTask, TaskTarget } from '../../../../../src/agent/tasks/contract.ts';
import { createRefreshTask } from '../../../../../src/agent/tasks/kinds/refresh-task.ts';
import { PeerError } from '../../../../../src/base/errors.ts';
import type { VisitOutcome } from '../../../../../src/driver/visit/visit.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

const KEY = 'miner-1';
const TARGET: TaskTarget = { ip: '10.0.0.1', driverId: 'sim', abilities: {} };
const OUTCOME: VisitOutcome = {
  ...{ reading: { hashrateHs: 1e14, powerW: 3_250, tempC: 61 }, answered: ['stats'], failed: [], unparsable: [] },
  ...{ isLoginRefused: false, elapsedMs: 40 },
};
const { signal: never } = new AbortController();

type Parts = Parameters<typeof createRefreshTask>[0];

/** `polled` = what becomes of the reading; by default the fleet takes it. */
function bench(read: Parts['read'], options: { isSilent?: boolean; isOther?: boolean } = {}) {
  const clock = createVirtualClock();
  const polledNow: string[] = [];
  let reading: VisitOutcome['reading'] | undefined;
  const fleet: Parts['fleet'] = {
    get: () => ({
      reading,
      reported: { document: { last_check_succeed: options.isSilent !== true } },
      judgement: { flags: [{ type: 'fan' }] },
    }),
    async polled(_key, outcome) {
      if (options.isOther !== true) reading = outcome.reading;
    },
  };
  const poller = { pollNow: (key: string) => polledNow.push(key) > 0 };
  const task = createRefreshTask({ clock, fleet, poller, read, agentStops: never, observeMs: () => 20_000 });
  const run = (target: TaskTarget | undefined = TARGET, signal = never, reach: Partial<Reach> = {}) =>
    task.run({ taskId: 't', minerKey: KEY, params: {} }, signal, {
      ...{ find: () => target, mayReach: () => true, observe: () => Promise.reject(new Error('reads itself')) },
      ...{ onProgress() {}, ...reach },
    });
  return { clock, task, polledNow, run };
}
type Reach = Parameters<AgentTask['run']>[2];

test('it is read and reported: the outcome says what it showed, and no further poll is asked for', async () => {
  const { run, polledNow } = bench(async () => OUTCOME);
  expect(await run()).toEqual({
    ...{ status: 'succeeded', message: null },
    evidence: { hashrateHs: 1e14, powerW: 3_250, tempC: 61, flags: ['fan'] },
  });
  expect(polledNow).toEqual([]);
});

test('one that was silent is polled in its usual rhythm again', async () => {
  const { run, polledNow } = bench(async () => OUTCOME, { isSilent: true });
  expect((await run()).status).toBe('succeeded');
  expect(polledNow).toEqual([KEY]);
});

test('a refused login is said, and what was read without it counts', async () => {
  const { run } = bench(async () => ({ ...OUTCOME, isLoginRefused: true }));
  expect(await run()).toMatchObject({ status: 'succeeded', message: expect.stringContaining('refuses') });
});

test('another unit at its address, a silent one, one that hangs, one that is not known: each says so', async () => {
  const other = bench(async () => OUTCOME, { isOther: true });
  expect(await other.run()).toMatchObject({ status: 'failed', message: 'another unit answers at its address' });
  const silent = bench(() => Promise.reject(new PeerError('peer.refused', 'connect', 'soon')));
  expect(await silent.run()).toMatchObject({ status: 'failed', message: expect.stringContaining('does not answer') });
  expect(silent.polledNow).toEqual([KEY]);
  const hanging = bench(() => new Promise(() => {}));
  const outcome = hanging.run();
  await hanging.clock.advance(20_000);
  expect(await outcome).toMatchObject({ status: 'failed', message: expect.stringContaining('does not answer') });
  const { run } = bench(() => Promise.reject(new Error('nothing is sent')));
  expect(await run(TARGET, never, { find: () => undefined })).toMatchObject({ status: 'failed' });
  expect(await run(TARGET, never, { mayReach: () => false })).toMatchObject({
    message: 'refused: 10.0.0.1 is outside the networks configured here',
  });
});

test('one that is cancelled while it reads ends so', async () => {
  const { run, clock } = bench(() => new Promise(() => {}));
  const abort = new AbortController();
  const outcome = run(TARGET, abort.signal);
  abort.abort();
  await clock.advance(1);
  expect(await outcome).toMatchObject({ status: 'cancelled' });
});
