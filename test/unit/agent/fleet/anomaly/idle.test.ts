// A miner that is idle on purpose is not low, stopped or broken; what it is kept from is said in its state.
import { describe, expect, test } from 'vitest';
import { anomalySettingsSchema } from '../../../../../src/agent/fleet/anomaly/settings.ts';
import { type Change, createBench, put } from './fixture.ts';

const still: Change = (reading) =>
  put({
    hashrateHs: 0,
    hashrateSettledHs: 0,
    fans: (reading.fans ?? []).map((fan) => ({ ...fan, rpm: 0 })),
    boards: (reading.boards ?? []).map((board) => ({ ...board, hashrateHs: 0, isAlive: false })),
    pools: (reading.pools ?? []).map((pool) => ({ ...pool, isAlive: false })),
  })(reading);
const asleep: Change = (reading) => put({ miningMode: 'sleep', isMining: false })(still(reading));

describe('idle on purpose', () => {
  test('sleep raises nothing, and says so', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(120, asleep);
    expect(bench.types()).toEqual([]);
    expect(bench.judgement?.history.idle).toBe('sleep');
  });

  test('sleep drops at once what it suppresses', () => {
    const bench = createBench();
    bench.polls(10, (reading) => put({ isMining: true })(still(reading)));
    expect(bench.types()).toEqual(['hashboard', 'low_hashrate', 'pool']);
    expect(bench.poll(asleep).flags).toEqual([]);
  });

  test('averages from the sleep do not make a woken miner low', () => {
    const bench = createBench();
    bench.polls(5);
    bench.polls(60, asleep);
    bench.polls(29, put({ hashrateSettledHs: 20e12 }));
    expect(bench.types()).toEqual([]);
    bench.polls(5, put({ hashrateSettledHs: 20e12 }));
    expect(bench.types()).toEqual(['low_hashrate']);
  });

  test('maintenance suppresses the same, but not silence', () => {
    const bench = createBench();
    bench.polls(20, still, { opsMaintenance: true });
    expect(bench.types()).toEqual([]);
    bench.fail(1, 'peer.timeout', { opsMaintenance: true });
    bench.fail(2, 'peer.timeout', { opsMaintenance: true });
    expect(bench.types()).toEqual(['network']);
  });

  test('our own reboot raises nothing, silence included', () => {
    const bench = createBench();
    bench.polls(5);
    for (let poll = 1; poll <= 10; poll++) bench.fail(poll, 'peer.refused', { isRebooting: true });
    bench.polls(3, still, { isRebooting: true });
    expect(bench.types()).toEqual([]);
  });

  test('a reboot that never ends in an answer becomes silence when the task gives up', () => {
    const bench = createBench();
    bench.polls(5);
    for (let poll = 1; poll <= 10; poll++) bench.fail(poll, 'peer.timeout', { isRebooting: true });
    bench.fail(11);
    expect(bench.types()).toEqual(['network']);
  });

  test('a dead board stays flagged while its miner restarts', () => {
    const bench = createBench();
    const dead: Change = (reading) => put({ boards: (reading.boards ?? []).slice(0, 2) })(reading);
    bench.polls(5, dead);
    expect(bench.types()).toEqual(['hashboard']);
    bench.fail(1, 'peer.refused', { isRebooting: true });
    const start = bench.minute;
    const fresh: Change = (reading) => ({ ...dead(still(reading)), uptimeS: (bench.minute - start) * 60 });
    for (let poll = 0; poll < 15; poll++) {
      bench.poll(poll < 10 ? fresh : (reading) => ({ ...dead(reading), uptimeS: (bench.minute - start) * 60 }));
      expect(bench.types()).toEqual(['hashboard']);
    }
  });

  test('the first ten minutes of a process raise no fan, board, pool, power or hashrate flag, but heat always counts', () => {
    const bench = createBench();
    const fresh: Change = (reading) => ({
      ...put({ powerW: 0 })(still(reading)),
      isMining: true,
      uptimeS: bench.minute * 60,
    });
    bench.polls(10, fresh);
    expect(bench.types()).toEqual([]);
    const hot = createBench();
    hot.polls(2, (reading) => ({
      ...put({ boards: (reading.boards ?? []).map((board) => ({ ...board, chipTempMaxC: 101 })) })(reading),
      uptimeS: hot.minute * 60,
    }));
    expect(hot.types()).toEqual(['temperature']);
  });

  test('low hashrate waits for half an hour of process age', () => {
    const bench = createBench();
    bench.polls(30, (reading) => ({ ...put({ hashrateSettledHs: 20e12 })(reading), uptimeS: bench.minute * 60 }));
    expect(bench.types()).toEqual([]);
    bench.polls(3, (reading) => ({ ...put({ hashrateSettledHs: 20e12 })(reading), uptimeS: bench.minute * 60 }));
    expect(bench.types()).toEqual(['low_hashrate']);
  });

  test('without a process age, half an hour of answers does', () => {
    const bench = createBench();
    bench.polls(30, put({ hashrateSettledHs: 20e12, uptimeS: undefined }));
    expect(bench.types()).toEqual([]);
    bench.polls(3, put({ hashrateSettledHs: 20e12, uptimeS: undefined }));
    expect(bench.types()).toEqual(['low_hashrate']);
  });
});

describe('cooling', () => {
  const noFans: Change = (reading) => put({ fans: (reading.fans ?? []).map((fan) => ({ ...fan, rpm: 0 })) })(reading);

  test('a liquid-cooled miner has no fans to stop', () => {
    const bench = createBench();
    bench.polls(10, (reading) =>
      put({ expected: { ...reading.expected, cooling: 'liquid', fans: 0 } })(noFans(reading)),
    );
    expect(bench.types()).toEqual([]);
  });

  test('nor has one that stands in oil on a site that says so', () => {
    const bench = createBench(anomalySettingsSchema.parse({ fan: { isExpected: false } }));
    bench.polls(10, noFans);
    expect(bench.types()).toEqual([]);
  });
});

describe('limits of the model', () => {
  const chipsAt =
    (tempC: number, model: string): Change =>
    (reading) =>
      put({ model, boards: (reading.boards ?? []).map((board) => ({ ...board, chipTempMaxC: tempC })) })(reading);

  test('a healthy S21 runs hotter than others may', () => {
    const bench = createBench();
    bench.polls(3, chipsAt(97, 'Antminer S21 Pro'));
    expect(bench.types()).toEqual([]);
    bench.polls(3, chipsAt(100, 'Antminer S21 Pro'));
    expect(bench.flag('temperature')?.limit).toBe(100);
    const other = createBench();
    other.polls(3, chipsAt(97, 'S210'));
    expect(other.types()).toEqual(['temperature']);
  });

  test('the operator has the last word', () => {
    const bench = createBench(
      anomalySettingsSchema.parse({ temperature: { models: { 's21 pro': { chipMaxC: 90 } } } }),
    );
    bench.polls(3, chipsAt(91, 'Antminer S21 Pro'));
    expect(bench.flag('temperature')?.limit).toBe(90);
  });
});

describe('codes of the device', () => {
  test('a state is no fault', () => {
    const bench = createBench();
    bench.polls(10, put({ errors: [{ code: 'TUNED', category: 'state' }] }));
    expect(bench.types()).toEqual([]);
  });

  test('a miner that does its work with an old code on record is degraded, not failed', () => {
    const bench = createBench();
    bench.polls(3, put({ errors: [{ code: '203', category: 'psu', severity: 'critical' }] }));
    expect(bench.flag('power')).toMatchObject({ value: '203', severity: 'minor' });
  });

  test('a low hashrate that names a board is that board too', () => {
    const bench = createBench();
    bench.polls(3, put({ errors: [{ code: '2310', category: 'hashrate', index: 1 }] }));
    expect(bench.types()).toEqual(['hashboard', 'low_hashrate']);
  });

  test('hostile text in a code reaches no message', () => {
    const bench = createBench();
    bench.polls(
      3,
      put({ errors: [{ code: '\u001b]0;x\u0007', message: `\u202e${'a'.repeat(400)}`, category: 'unknown' }] }),
    );
    const flag = bench.flag('unknown');
    expect(`${flag?.value}${flag?.message}${flag?.source}`).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(flag?.message.length).toBeLessThan(300);
  });
});
