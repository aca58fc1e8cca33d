// What cannot be true is taken out before rules, averages and documents see it; the flag keeps what the device said.
import { describe, expect, test } from 'vitest';
import { toMinerDocument } from '../../../../../src/model/document.ts';
import type { Reading } from '../../../../../src/model/reading.ts';
import { type Bench, type Change, createBench, NAMEPLATE_HS, put, same } from './fixture.ts';

const documentOf = ({ believed, judgement }: Bench) =>
  toMinerDocument({
    reading: believed,
    isMining: undefined,
    ip: '10.0.0.1',
    driverId: 'antminer-stock',
    isLastCheckOk: true,
    unstableReason: null,
    flags: judgement?.flags ?? [],
    hashrate24hHs: undefined,
    lastReadingAtMs: 0,
  }).document;

const board =
  (fields: Partial<NonNullable<Reading['boards']>[number]>): Change =>
  (reading) =>
    put({ boards: (reading.boards ?? []).map((it) => (it.slot === 1 ? { ...it, ...fields } : it)) })(reading);
const pool = (fields: Partial<NonNullable<Reading['pools']>[number]>): Change => {
  return (reading) => put({ pools: (reading.pools ?? []).map((it) => ({ ...it, ...fields })) })(reading);
};
/** A model that no row knows: nothing is expected. */
const nameless: Change = put({ model: 'X1', expected: undefined, boards: undefined });
const both =
  (first: Change, second: Change): Change =>
  (reading) =>
    second(first(reading));

const ROWS: readonly (readonly [name: string, change: Change, source: string, value: number])[] = [
  ['a rate of 2.9e17 H/s', put({ hashrateHs: 2.9e17 }), 'hashrateHs', 2.9e17],
  ['the same of a model that no row knows', both(nameless, put({ hashrateHs: 2.9e17 })), 'hashrateHs', 2.9e17],
  ['a settled rate in a wrong unit', put({ hashrateSettledHs: NAMEPLATE_HS * 1_000 }), 'hashrateSettledHs', 1.1e17],
  ['a daily rate in a wrong unit', put({ hashrate24hHs: NAMEPLATE_HS * 1_000 }), 'hashrate24hHs', 1.1e17],
  ['a board that does the work of nine', board({ hashrateHs: 330e12 + 1 }), 'boards[1].hashrateHs', 330e12 + 1],
  ['a chip that glows', board({ chipTempMaxC: 199 }), 'boards[1].chipTempMaxC', 199],
  ['a sensor that is not there', board({ boardTempsC: [60, 199] }), 'boards[1].boardTempsC', 199],
  ['an inlet of steam', put({ inletTempC: 160 }), 'inletTempC', 160],
  ['a power supply that melts', put({ psus: [{ isOk: true, tempC: 199 }] }), 'psus[0].tempC', 199],
  ['the power of a village', put({ powerW: 65_535 }), 'powerW', 65_535],
  ['a start before all miners', put({ uptimeS: 1.78e9 }), 'uptimeS', 1.78e9],
  ['a fan like a turbine', put({ fans: [{ index: 0, rpm: 29_000 }] }), 'fans[0].rpm', 29_000],
  ['a share above every network', pool({ difficultyAccepted: 1e25 }), 'pools[0].difficultyAccepted', 1e25],
];

describe('what cannot be true', () => {
  test.each(ROWS)('%s is null everywhere, and its flag keeps the value', (_, change, source, value) => {
    const bench = createBench();
    bench.polls(5, change);
    expect(bench.flag('unknown')).toMatchObject({ source, value, severity: 'major' });
    expect(JSON.stringify(bench.believed)).not.toContain(String(value));
    expect(JSON.stringify({ ...documentOf(bench), anomaly_flags: 0 })).not.toContain(String(value));
    expect(bench.types()).toEqual(['unknown']);
    bench.polls(5, same);
    expect(bench.types()).toEqual([]);
  });

  test('nothing is made of it: no efficiency of a rate that is not believed', () => {
    const bench = createBench();
    bench.poll(put({ hashrateHs: 2.9e17 }));
    expect(documentOf(bench)).toMatchObject({ hashrate: null, efficiency: null });
    bench.poll(put({ powerW: 0 }));
    expect(documentOf(bench)).toMatchObject({ power: null, efficiency: null });
  });

  test('a thousand times the learned hashrate is not believed where nothing else is expected', () => {
    const bench = createBench();
    bench.polls(90, nameless);
    bench.polls(3, both(nameless, put({ hashrateHs: 4e15 * 0.99, hashrateSettledHs: 11e15 })));
    bench.polls(
      3,
      both(nameless, (reading) => put({ hashrateHs: 1e9 * (reading.hashrateHs ?? 0) * 1e-6 })(reading)),
    );
    expect(bench.flag('unknown')).toMatchObject({ source: 'hashrateHs' });
    expect(documentOf(bench).hashrate).toBeNull();
  });

  test('a device that expects the impossible of itself proves nothing', () => {
    const bench = createBench();
    bench.polls(3, put({ hashrateHs: 2.9e17, hashrateSettledHs: undefined, expected: { hashrateHs: 3e17 } }));
    expect(bench.flag('unknown')).toMatchObject({ source: 'hashrateHs', value: 2.9e17 });
    expect(bench.believed?.expected?.hashrateHs).toBeUndefined();
  });

  test('a fan of an impossible speed is there all the same', () => {
    const bench = createBench();
    bench.polls(5, (reading) =>
      put({ fans: (reading.fans ?? []).map((fan) => (fan.index === 2 ? { ...fan, rpm: 29_000 } : fan)) })(reading),
    );
    expect(bench.types()).toEqual(['unknown']);
    expect(bench.believed?.fans).toHaveLength(4);
  });

  test('a sound reading goes on as it is', () => {
    const bench = createBench();
    let given: Reading | undefined;
    bench.poll((reading) => {
      given = reading;
      return reading;
    });
    expect(bench.believed).toBe(given);
  });
});
