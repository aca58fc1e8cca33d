// The transitions of the proof of everything but a reboot, without a clock and without a device.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectProof } from '../../../../../../src/agent/tasks/execution/proof/effect.ts';
import type { Look } from '../../../../../../src/agent/tasks/execution/proof/proof.ts';
import { executionOf, follow, type More, ruleOf } from './executions.ts';

const LIGHT = ruleOf({ effect: 'repeatable', shows: ({ isLightOn }) => isLightOn });
const light = (lookAt: (atS: number) => Look, more: More = {}, fromS = 0) =>
  follow(effectProof(executionOf({ ability: 'light', rule: LIGHT, ...more })), lookAt, fromS);

describe('a setting', () => {
  test('is proven by the first look that shows it', () => {
    const { outcome, looks } = light((atS) => ({ isLightOn: atS >= 9 }), { note: 'ok' });
    expect(outcome).toEqual({
      status: 'succeeded',
      message: 'ok',
      evidence: { proof: 'read back', seen: { lightOn: true }, looks: 3, shownAfterS: 10 },
    });
    expect(looks).toEqual([2, 5, 10]);
  });

  test.each([
    ['the miner answered success but shows lightOn false', {}],
    ['the reply was lost and the miner shows lightOn false', { isReplyLost: true }],
    ['interrupted by a restart of the agent: the miner shows lightOn false', { isRecovered: true }],
  ])('that it never shows has failed: %s', (message, more) => {
    expect(light(() => ({ isLightOn: false }), more).outcome).toMatchObject({
      status: 'failed',
      message,
      mayHaveHappened: true,
    });
  });

  test.each([
    ['succeeded', null, {}],
    ['failed', 'the reply to light was lost: it may have been done; it is not sent again', { isReplyLost: true }],
    [
      'failed',
      'interrupted by a restart of the agent: it may have been done, and is not done again',
      { isRecovered: true },
    ],
  ])('that no reading can tell: %s, %s', (status, message, more) => {
    const { outcome } = light(() => ({}), more);
    expect(outcome).toMatchObject({ status, message });
    expect(outcome.evidence.proof).toBe(status === 'succeeded' ? 'answer only' : undefined);
  });

  test('keeps the last answer of a miner that tells nothing of it any more', () => {
    expect(light((atS) => (atS < 20 ? { isLightOn: false } : {})).outcome.status).toBe('failed');
  });

  test('for which a device always goes away is not believed before it could have', () => {
    const rule = { ...LIGHT, offlineS: [30, 90] as const };
    const here = light(() => ({ isLightOn: true }), { rule });
    expect(here.outcome).toMatchObject({ status: 'succeeded', evidence: { shownAfterS: 30 } });
    const back = light((atS) => (atS < 6 ? 'away' : { isLightOn: true }), { rule });
    expect(back.outcome).toMatchObject({ status: 'succeeded', evidence: { wasAway: true, shownAfterS: 10 } });
  });
});

describe('the window', () => {
  test('is a minute from the reply, or what the driver says', () => {
    expect(light(() => 'away').atS).toBe(60);
    expect(light(() => 'away', {}, 40).atS).toBe(100);
    expect(light(() => 'away', { rule: { ...LIGHT, shownWithinS: 150 } }).atS).toBe(150);
    expect(light(() => 'away', { rule: { ...LIGHT, offlineS: [0, 300] } }).atS).toBe(330);
  });

  test('is two minutes at least after a crash of the agent', () => {
    const { outcome, atS } = light(() => 'away', { isRecovered: true }, 5_000);
    expect([outcome.status, outcome.message, atS]).toEqual([
      'timeout',
      'the miner did not come back within 1h25m20s',
      5_120,
    ]);
  });

  test('ends with a miner that is away, also where nothing can be said of the last looks', () => {
    expect(light((atS) => (atS < 30 ? 'away' : 'unclear')).outcome.status).toBe('timeout');
  });
});

describe('a firmware', () => {
  const firmware = (lookAt: (atS: number) => Look, more: More = {}, wanted: string | null = '2.0') =>
    follow(
      effectProof(
        executionOf(
          {
            ability: 'firmware',
            rule: ruleOf({ offlineS: [60, 600] }),
            baseline: { uptimeS: 86_400, firmwareVersion: '1.0' },
            ...more,
          },
          wanted === null ? {} : { version: wanted },
        ),
      ),
      lookAt,
    );
  const old = (atS: number) => ({ uptimeS: 86_401 + atS, firmwareVersion: '1.0' });
  const started = (firmwareVersion: string) => (atS: number) =>
    atS < 100 ? old(atS) : { uptimeS: 5, firmwareVersion };

  test('is proven by the version that the task names', () => {
    expect(firmware(started(' 2.0 ')).outcome).toMatchObject({
      status: 'succeeded',
      evidence: { proof: 'read back', firmwareBefore: '1.0', hasRestarted: true, seen: { firmware: ' 2.0 ' } },
    });
  });

  test('that showed before it was sent is proven by the restart only', () => {
    expect(firmware(old, {}, '1.0').outcome).toMatchObject({
      status: 'failed',
      message: 'the miner took the file, but did not restart',
    });
    const { outcome, atS } = firmware(started('1.0'), {}, '1.0');
    expect([outcome.status, outcome.evidence.proof]).toEqual(['succeeded', 'read back']);
    expect(atS).toBeGreaterThanOrEqual(100);
  });

  test('without a version to compare is proven by a restart, by a clock or, without one, by having been away', () => {
    expect(firmware(started('1.7'), {}, null).outcome.evidence.proof).toBe('restarted');
    const unclocked = (atS: number): Look => (atS > 60 && atS < 100 ? 'away' : { firmwareVersion: '1.0' });
    expect(firmware(unclocked, {}, null).outcome.evidence.proof).toBe('restarted');
  });

  test('that the miner took without a restart has failed', () => {
    expect(firmware(old, {}, null).outcome).toMatchObject({
      status: 'failed',
      message: 'the miner took the file, but did not restart',
      mayHaveHappened: true,
    });
  });

  test('with another version than the task names has failed with that', () => {
    expect(firmware(started('1.9')).outcome).toMatchObject({
      status: 'failed',
      message: 'the miner answered success but shows firmware 1.9',
    });
  });
});

test('it ends for every row of looks', () => {
  const look: fc.Arbitrary<Look> = fc.oneof(
    fc.constant<Look>('away'),
    fc.constant<Look>('unclear'),
    fc.record({ isLightOn: fc.boolean() }, { requiredKeys: [] }),
  );
  fc.assert(
    fc.property(fc.array(look, { minLength: 1 }), fc.boolean(), fc.nat(9_999), (row, isRecovered, fromS) => {
      let nth = 0;
      const { atS } = light(() => row[nth++ % row.length] ?? 'away', { isRecovered }, fromS);
      expect(atS - fromS).toBeLessThanOrEqual(120);
    }),
  );
});
