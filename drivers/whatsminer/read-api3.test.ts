// Whatsminer answers of API 3 as a Reading.
import { describe, expect, test } from 'vitest';
import { whatsminer } from './index.ts';

const read = (raw: Readonly<Record<string, unknown>>, model?: string) =>
  whatsminer.read(raw, model === undefined ? {} : { model });

describe('over API 3', () => {
  const answer = (msg: unknown) => ({ code: 0, when: 1_773_869_570, msg });
  const info = (parts: object) => ({ info3: answer(parts) });

  test('it says how many boards it was built with, and what its PSU gives', () => {
    const { reading } = read(
      info({ miner: { type: 'M99S_VX10', 'board-num': '4' }, power: { vin: 402, vout: 1_550 } }),
    );
    expect(reading.expected).toMatchObject({ boards: 4, own: ['boards'] });
    expect(reading.psus).toEqual([{ inputVoltageV: 402, outputVoltageV: 15.5 }]);
  });

  test('what tells how warm its coolant is, is cooled by it', () => {
    const still = { 'fan-speed-in': 0, 'fan-speed-out': 0 };
    const of = (power: object) => read({ ...info({ power }), summary3: answer({ summary: still }) }).reading;
    expect(of({ 'liquid-temperature': 44.1 })).toMatchObject({ fans: [], expected: { cooling: 'liquid' } });
    expect(of({ 'liquid-temperature': 0 })).not.toHaveProperty('fans');
  });

  test('serial numbers and board temperatures join their boards by number, not by place', () => {
    const { reading } = read({
      ...info({ miner: { pcbsn0: 'A', pcbsn1: 'B', pcbsn2: 'C' } }),
      summary3: answer({ summary: { 'board-temperature': [41, 42, 43] } }),
      edevs3: answer({
        edevs: [
          { id: 0, 'effective-chips': 75 },
          { id: 2, 'effective-chips': 75, 'hash-realtime': 57 },
        ],
      }),
    });
    expect(reading.boards).toEqual([
      { slot: 0, serialNumber: 'A', chips: 75, boardTempsC: [41] },
      { slot: 2, serialNumber: 'C', chips: 75, boardTempsC: [43], hashrateHs: 57e12 },
    ]);
  });

  test('rates come in TH/s; a negative factory rate is not known', () => {
    const { reading } = read({
      summary3: answer({
        summary: { 'hash-realtime': 171.25, 'hash-15min': 170.5, 'hash-average': 170.75, 'factory-hash': -0.003 },
      }),
    });
    expect(reading).toMatchObject({ hashrateHs: 171.25e12, hashrateSettledHs: 170.5e12, hashrateAverageHs: 170.75e12 });
    expect(reading).not.toHaveProperty('expected');
  });

  test('not working is sleep, whatever the power mode', () => {
    const { reading } = read(info({ miner: { working: 'false' }, power: { mode: '2' } }));
    expect([reading.isMining, reading.miningMode]).toEqual([false, 'sleep']);
    const awake = (mode: string) => read(info({ miner: { working: 'true' }, power: { mode } })).reading.miningMode;
    expect([awake('0'), awake('2')]).toEqual(['low', 'high']);
    expect(read(info({ power: { mode: '0' } })).reading.miningMode).toBeUndefined();
  });

  test('words in place of data are a miner that does not mine, not a bad answer', () => {
    const down = 'btminer process is down err';
    for (const raw of [{ summary3: answer(down), edevs3: answer(down) }, { info3: answer(down) }]) {
      expect(read(raw)).toMatchObject({ reading: { isMining: false }, unparsable: [] });
    }
    expect(read(info({ 'error-code': down })).reading).toMatchObject({ isMining: false, errors: [] });
    const summary3 = answer({ summary: { 'hash-realtime': 171.2 } });
    for (const written of ['', '0', 'none', '264']) {
      const { reading } = read({ ...info({ 'error-code': written }), summary3 });
      expect([reading.isMining, reading.errors?.map(({ code }) => code)]).toEqual([
        true,
        written === '264' ? ['264'] : [],
      ]);
    }
  });

  test('pools carry no counts', () => {
    const pools3 = answer({
      pools: [{ id: 1, url: 'stratum+tcp://a:1', account: 'w', status: 'dead', 'stratum-active': false }],
    });
    expect(read({ pools3 }).reading.pools).toEqual([
      { index: 1, url: 'stratum+tcp://a:1', user: 'w', isAlive: false, isActive: false },
    ]);
  });
});
