// A login that a person has entered for some addresses: which accepted it is said for each, whatever becomes of the
// scan, and no word of the task holds the password.
import { expect, test } from 'vitest';
import type { GivenShown } from '../../../../../src/agent/device/passwords/given-logins.ts';
import { createLoginTask } from '../../../../../src/agent/tasks/kinds/login-task.ts';
import { CancelledError } from '../../../../../src/base/errors.ts';
import { readRanges } from '../../../../../src/base/net/ranges.ts';
import { scanAccountSchema } from '../../../../../src/model/contact.ts';
import type { Who } from '../../scan/network.ts';

const PASSWORD = 'never-to-be-seen';
const PARAMS = { addresses: ['10.0.0.7', '10.0.0.8'], user: 'root', password: PASSWORD };
const ACCOUNT = scanAccountSchema.parse({
  ...{ addresses: 2, excluded: 0, notReached: 0, elapsedMs: 5, isCancelled: false, likely: {}, byDriver: {} },
  counts: { identified: 2, unknown: 0, login_refused: 0, closed: 0, silent: 0, missing: 0 },
});

type Options = {
  readonly shown?: Readonly<Record<string, GivenShown>>;
  readonly whyNot?: string;
  readonly withheld?: string;
  readonly broken?: boolean;
};

function setUp({ shown = {}, whyNot, withheld, broken = false }: Options = {}) {
  const kept = { name: '', before: undefined, written: { user: 'root', current: PASSWORD, isSet: true, next: null } };
  const ended: string[] = [];
  const task = createLoginTask<Who>({
    configured: () => readRanges(['10.0.0.0/24'], []),
    planFor: (ranges) => ({ ranges, limits: { maxSockets: 60 } }),
    scans: { run: async () => (broken ? Promise.reject(new CancelledError('scan')) : ACCOUNT) },
    describe: () => ({ status: 'identified', advice: null }),
    logins: {
      whyNot: () => whyNot,
      begin: (ip) => ({ ...kept, name: ip }),
      end({ name }) {
        ended.push(name);
        return shown[name] ?? 'taken';
      },
      withheld: () => withheld,
    },
  });
  const run = (params: Readonly<Record<string, unknown>> = PARAMS) =>
    task.run({ taskId: 't', minerKey: 'agent', params }, new AbortController().signal, {
      ...{ find: () => undefined, mayReach: () => true, onProgress: () => {} },
      observe: () => Promise.reject(new Error('it looks at no miner')),
    });
  return { run, ended };
}

test('all have accepted it', async () => {
  expect(await setUp().run()).toMatchObject({ status: 'succeeded', message: '2 of 2 accepted the login' });
});

test('one that refused it, and one that it was not sent to, are named with what to do', async () => {
  const outcome = await setUp({
    ...{ shown: { '10.0.0.7': 'refused', '10.0.0.8': 'untried' }, withheld: 'no person has accepted it yet' },
  }).run();
  expect(outcome).toMatchObject({
    status: 'failed',
    message: '0 of 2 accepted the login; 10.0.0.7: it refuses this login too',
    evidence: {
      addresses: [
        { ip: '10.0.0.7', shown: 'refused' },
        { ip: '10.0.0.8', shown: 'untried', advice: 'no person has accepted it yet' },
      ],
    },
  });
  expect(JSON.stringify(outcome)).not.toContain(PASSWORD);
});

test('a scan that breaks leaves none of them in trial', async () => {
  const { run, ended } = setUp({ broken: true });
  expect(await run()).toMatchObject({ status: 'failed' });
  expect(ended).toEqual(PARAMS.addresses);
});

test.each<[Record<string, unknown>, string]>([
  [{ ...PARAMS, addresses: ['10.9.0.1'] }, 'outside the networks configured here'],
  [{ ...PARAMS, password: `${PASSWORD}\n` }, 'refused: the params do not fit agent.login.update'],
])('nothing is begun: %j', async (params, why) => {
  const { run, ended } = setUp();
  const outcome = await run(params);
  expect(outcome).toMatchObject({ status: 'failed', message: expect.stringContaining(why) });
  expect([JSON.stringify(outcome).includes(PASSWORD), ended]).toEqual([false, []]);
});

test('without a key nothing is begun', async () => {
  const { run, ended } = setUp({ whyNot: 'no key file' });
  expect(await run()).toMatchObject({ status: 'failed', message: 'refused: no key file' });
  expect(ended).toEqual([]);
});
