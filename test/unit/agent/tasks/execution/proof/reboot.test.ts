// The transitions of the proof of a reboot, without a clock and without a device.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Look } from '../../../../../../src/agent/tasks/execution/proof/proof.ts';
import { rebootProof } from '../../../../../../src/agent/tasks/execution/proof/reboot.ts';
import { taskSettingsSchema } from '../../../../../../src/agent/tasks/settings.ts';
import type { Reading } from '../../../../../../src/model/reading.ts';
import { executionOf, follow, type More, ruleOf } from './executions.ts';

const DAY_S = 86_400;
const RATE = { hashrateHs: 100e12 };
const BASELINE = { uptimeS: DAY_S, ...RATE };

const proofOf = (more: More) =>
  rebootProof({
    execution: executionOf({ ability: 'reboot', baseline: BASELINE, ...more }),
    settings: taskSettingsSchema.parse({}).reboot,
  });
const watch = (lookAt: (atS: number) => Look, more: More = {}, fromS = 0) => follow(proofOf(more), lookAt, fromS);

const RUNS_ON = (atS: number): Reading => ({ uptimeS: DAY_S + 1 + atS, ...RATE });
/** Away from 3 s to 90 s, then with the uptime of a start at 80 s and what `told` says. */
const restarts =
  (told: (atS: number) => Reading) =>
  (atS: number): Look => {
    if (atS < 3) return RUNS_ON(atS);
    return atS < 90 ? 'away' : { uptimeS: atS - 80, ...told(atS) };
  };

describe('a restart', () => {
  test('is proven by a clock that went back, and then the miner hashes', () => {
    const { outcome, uses } = watch(restarts((atS) => ({ hashrateHs: atS < 200 ? 0 : 99e12 })));
    expect(outcome).toEqual({
      status: 'succeeded',
      message: null,
      evidence: {
        uptimeBeforeS: DAY_S,
        uptimeAfterS: 10,
        awayS: 85,
        hashrateBeforeHs: 100e12,
        hashrateAfterHs: 99e12,
        proof: 'uptime',
        backAfterS: 90,
        hashingAfterS: 210,
      },
    });
    expect(uses).toEqual([{ use: 'back', atS: 90 }]);
  });

  test('is all that a miner has to show that did not hash before', () => {
    const { outcome, atS } = watch(
      restarts(() => ({ hashrateHs: 0 })),
      { baseline: { uptimeS: DAY_S, hashrateHs: 0 } },
    );
    expect([outcome.status, outcome.evidence.hashrateAfterHs, atS]).toEqual(['succeeded', 0, 90]);
  });

  test('of a miner that told no clock before is proven when it was away and is back', () => {
    const lookAt = (atS: number): Look => (atS > 20 && atS < 90 ? 'away' : RATE);
    expect(watch(lookAt, { baseline: RATE }).outcome).toMatchObject({
      status: 'succeeded',
      evidence: { proof: 'away and back', uptimeAfterS: null },
    });
    expect(watch(lookAt, { baseline: BASELINE }).outcome).toMatchObject({
      status: 'failed',
      message: 'the miner answers, but nothing that it tells proves a restart',
    });
  });

  test('is proven too where the reply was lost after a minute in which the miner has already come back', () => {
    const lookAt = (atS: number): Look => ({ uptimeS: atS - 10, ...RATE });
    const { outcome } = watch(lookAt, { isReplyLost: true }, 60);
    expect(outcome).toMatchObject({ status: 'succeeded', evidence: { replyLost: true, proof: 'uptime' } });
  });
});

describe('no restart', () => {
  test.each([
    ['the miner accepted the reboot but did not restart', {}],
    ['the reply to the reboot was lost and the miner did not restart', { isReplyLost: true }],
    ['interrupted by a restart of the agent: the miner did not restart', { isRecovered: true }],
  ])('is told after the grace, and not before: %s', (message, more) => {
    const { outcome, atS, uses } = watch(RUNS_ON, more);
    expect(outcome).toMatchObject({ status: 'failed', message, evidence: { uptimeAfterS: DAY_S + 121 } });
    expect(outcome.mayHaveHappened).toBeUndefined();
    expect([atS, uses]).toEqual([120, []]);
  });

  test('can be told where no clock is told and it was never away', () => {
    const { outcome, atS, uses } = watch(() => RATE, { baseline: RATE });
    expect(outcome).toMatchObject({
      status: 'failed',
      message: 'the miner answers, but nothing that it tells proves a restart',
      mayHaveHappened: true,
    });
    expect([atS, uses]).toEqual([600, [{ use: 'unproven', atS: 120 }]]);
  });

  test('can be told of looks of which nothing can be said', () => {
    expect(watch(() => 'unclear').outcome).toMatchObject({ status: 'failed', evidence: { awayS: 0 } });
  });
});

test('a miner that stays away is a timeout; others may go before it is', () => {
  const { outcome, atS, uses } = watch(() => 'away');
  expect(outcome).toMatchObject({
    status: 'timeout',
    message: 'the miner did not come back within 10m',
    mayHaveHappened: true,
  });
  expect([atS, uses]).toEqual([600, [{ use: 'unproven-away', atS: 180 }]]);
});

test('a look of which nothing can be said leaves a miner that is away where it is', () => {
  const { outcome } = watch((atS) => (atS < 300 ? 'away' : 'unclear'));
  expect(outcome.status).toBe('timeout');
});

test('a family that is away for long has the time for it', () => {
  const { atS, uses } = watch(() => 'away', { rule: ruleOf({ offlineS: [60, 900] }) });
  expect([atS, uses]).toEqual([1_200, [{ use: 'unproven-away', atS: 900 }]]);
});

describe('after a crash of the agent', () => {
  const recovered = { isRecovered: true };

  test('the restart that happened meanwhile is proven', () => {
    const { outcome } = watch((atS) => ({ uptimeS: atS - 80, ...RATE }), recovered, 5_000);
    expect(outcome).toMatchObject({ status: 'succeeded', evidence: { interrupted: true, proof: 'uptime' } });
  });

  test('so is that of a miner that was young already and is older now than it was', () => {
    const baseline = { uptimeS: 20, ...RATE };
    const lookAt = (atS: number) => ({ uptimeS: atS - 100, ...RATE });
    expect(watch(lookAt, { ...recovered, baseline }, 200).outcome).toMatchObject({
      status: 'succeeded',
      evidence: { uptimeBeforeS: 20, uptimeAfterS: 100 },
    });
    expect(watch(lookAt, { baseline }, 200).outcome.status).toBe('failed');
  });

  test('the miner is looked at for two minutes more, however long ago the command was sent', () => {
    const { outcome, atS } = watch(() => 'away', recovered, 5_000);
    expect([outcome.status, atS]).toEqual(['timeout', 5_120]);
  });

  test('so it is for hashing, from the proof of the restart on', () => {
    const { outcome, atS } = watch((atS) => ({ uptimeS: atS - 80, hashrateHs: 0 }), recovered, 5_000);
    expect(outcome).toMatchObject({ status: 'failed', message: expect.stringContaining('does not hash after') });
    expect(atS).toBeGreaterThanOrEqual(5_120);
    expect(atS).toBeLessThan(5_140);
  });

  test('a miner that did not restart has had its grace', () => {
    expect(watch((atS) => ({ uptimeS: DAY_S + atS }), recovered, 5_000)).toMatchObject({ atS: 5_000 });
  });
});

describe('hashing after the restart', () => {
  const pools = (accepted: number) => [{ index: 0, url: 'stratum+tcp://pool.example:3333', user: 'w', accepted }];

  test.each([
    ['a hashrate', (atS: number) => (atS < 700 ? {} : RATE), 705],
    [
      'accepted shares that grow, where no hashrate is told',
      (atS: number) => ({ pools: pools(atS < 300 ? 7 : 8) }),
      300,
    ],
  ])('is proven by %s', (_what, told, afterS) => {
    const { outcome } = watch(restarts(told));
    expect(outcome).toMatchObject({ status: 'succeeded', message: null });
    expect(Math.abs(Number(outcome.evidence.hashingAfterS) - afterS)).toBeLessThan(15);
  });

  test('is not proven by shares from before the restart, nor by shares beside a hashrate of 0', () => {
    expect(watch(restarts(() => ({ pools: pools(7) }))).outcome.status).toBe('failed');
    const growing = restarts((atS) => ({ hashrateHs: 0, pools: pools(Math.round(atS)) }));
    expect(watch(growing).outcome.message).toMatch(/but does not hash after 20m$/);
  });

  test.each([
    ['succeeded', 'says that it mines, but tells no hashrate after 20m', { isMining: true }],
    ['failed', 'but does not hash after 20m', { isMining: false }],
    ['failed', 'but does not hash after 20m', { hashrateHs: 0, isMining: true }],
    ['failed', 'but tells no hashrate after 20m, and nothing else shows that it hashes', {}],
  ])('at the end of the window: %s, %s', (status, words, told) => {
    const { outcome, atS } = watch(restarts(() => told));
    expect(outcome).toMatchObject({ status, message: `restarted (uptime 18m40s), ${words}` });
    expect(outcome.evidence).not.toHaveProperty('hashingAfterS');
    expect([atS, outcome.mayHaveHappened]).toEqual([1_200, status === 'failed' ? true : undefined]);
  });

  test('a miner that went away again is not said to be hashing or not', () => {
    const lookAt = (atS: number): Look => (atS < 1_000 ? restarts(() => ({ hashrateHs: 0 }))(atS) : 'away');
    expect(watch(lookAt).outcome.message).toMatch(/^restarted \(uptime .*\), but is away again$/);
  });
});

test('it ends for every row of looks', () => {
  const look: fc.Arbitrary<Look> = fc.oneof(
    fc.constant<Look>('away'),
    fc.constant<Look>('unclear'),
    fc.record(
      { uptimeS: fc.integer({ min: 0, max: 2_000 }), hashrateHs: fc.constantFrom(0, 1e12), isMining: fc.boolean() },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(fc.array(look, { minLength: 1 }), fc.boolean(), fc.nat(9_999), (row, isRecovered, fromS) => {
      let nth = 0;
      const { atS } = watch(() => row[nth++ % row.length] ?? 'away', { isRecovered }, fromS);
      expect(atS - fromS).toBeLessThanOrEqual(1_200 + 60);
    }),
  );
});
