// The proof of a new password, without a clock: only a login proves it, the new one is tried twice at most, and then it
// ends.
import { expect, test } from 'vitest';
import type { PasswordShown } from '../../../../../../src/agent/device/passwords/password-changes.ts';
import type { Execution } from '../../../../../../src/agent/tasks/execution/execution.ts';
import { passwordProof } from '../../../../../../src/agent/tasks/execution/proof/password.ts';
import type { Look } from '../../../../../../src/agent/tasks/execution/proof/proof.ts';
import { newRow } from '../../../../../../src/agent/tasks/queue/admission.ts';

const row = { taskId: 't', batchId: null, name: 'miner.password.update', minerKey: 'm', params: {} };
const task = newRow({ ...row, source: 'local', uplink: null, expiresMs: 1 }, 0);
const EXECUTION: Execution = {
  ...{ task, ability: 'password', rule: undefined, params: {}, actedMs: 0, isRecovered: false, isReplyLost: false },
};

/** Each look shows the next of these; the last one again and again. */
function run(
  shown: readonly PasswordShown[],
  { look = {}, more = {} }: { look?: Look; more?: Partial<Execution> } = {},
) {
  let now: PasswordShown = 'open';
  const left = [...shown];
  const proof = passwordProof({ ...EXECUTION, ...more }, () => now);
  let waiting = proof.begin(0.5);
  let [atS, again] = [0.5, 0];
  for (let looks = 1; looks < 100; looks++) {
    if (waiting.triesAgain) again++;
    atS += waiting.waitS + 0.1;
    now = left.shift() ?? now;
    const next = proof.step(waiting.state, look, atS);
    if ('status' in next) return { ...next, atS, again, looks };
    waiting = next;
  }
  throw new Error('it does not end');
}

test('a login with it proves it at once', () => {
  expect(run(['new'])).toMatchObject({ status: 'succeeded', evidence: { proof: 'login' }, again: 0, looks: 1 });
});

test('refused at first it is tried once more at the end of the window, and not in between', () => {
  const late = run(['refused', 'refused', 'new']);
  expect(late).toMatchObject({ status: 'succeeded', again: 1, looks: 3 });
  expect(late.atS).toBeGreaterThan(60);
});

test('refused twice, the one before it decides', () => {
  expect(run(['refused', 'refused', 'refused', 'old'])).toMatchObject({
    ...{ status: 'failed', message: 'the miner answered success but kept its password' },
    ...{ mayHaveHappened: true, again: 1 },
  });
  expect(run(['refused'])).toMatchObject({
    ...{ status: 'failed', message: 'nothing shows which password it has; both are kept' },
    ...{ mayHaveHappened: true, again: 1 },
  });
  const lost = run(['old'], { more: { isReplyLost: true } });
  expect(lost).toMatchObject({ message: 'the reply was lost and the miner kept its password', again: 1 });
});

test('a miner that is away, or lets everybody in, proves nothing', () => {
  expect(run(['open'], { look: 'away' })).toMatchObject({
    ...{ status: 'timeout', message: expect.stringContaining('did not come back'), mayHaveHappened: true },
  });
  expect(run(['open'])).toMatchObject({ status: 'failed', message: expect.stringContaining('both are kept') });
});

test('after a restart of the agent it goes on; what was never kept was never sent', () => {
  expect(run(['none'], { more: { isRecovered: true } })).toMatchObject({
    ...{ status: 'failed', message: expect.stringContaining('before anything was sent') },
  });
  expect(run(['none'], { more: { isRecovered: true } }).mayHaveHappened).toBeUndefined();
  expect(run(['refused', 'new'], { more: { isRecovered: true } })).toMatchObject({
    ...{ status: 'succeeded', evidence: { interrupted: true } },
  });
});
