// The fallback driver: cgminer itself, and firmwares that have no driver yet.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeReply } from '../../src/transport/cgminer/json-fixer.ts';
import { bytesByAsk, bytesOf, hasRecordings, rawOf, recordings } from '../../test/contract/answers.ts';
import { caseAnswers } from '../../test/contract/samples.ts';
import { cgminer } from './index.ts';

const CASES = join(import.meta.dirname, 'cases');
const versionText = (name: 'idle' | 'usb') => decodeReply(readFileSync(join(CASES, name, 'version.bin'))).text;

describe('cgminer 4.11', () => {
  test('is taken by its version answer, and only for want of a better driver', () => {
    expect(cgminer.identify({ family: undefined, version: versionText('idle') })).toEqual({
      confidence: 'generic',
      firmwareVersion: 'CGMiner 4.11.1',
    });
    expect(cgminer.identify({ family: undefined, web: { status: 200, body: '' } })).toBeUndefined();
    expect(
      cgminer.identify({ family: undefined, version: 'Socket connect failed: Connection refused\n' }),
    ).toBeUndefined();
  });

  test('without devices: no boards, a rate of 0 that it says itself, and the pools', () => {
    const { devs: _, ...raw } = caseAnswers(cgminer, 'idle');
    const { reading, unparsable } = cgminer.read(raw, {});
    expect(unparsable).toEqual([]);
    expect(reading).toMatchObject({ hashrateHs: 0, isMining: false, uptimeS: 61, apiVersion: '3.7' });
    expect(reading).not.toHaveProperty('boards');
    expect(reading).not.toHaveProperty('tempC');
    expect(reading.pools?.map(({ isAlive }) => isAlive)).toEqual([true, false]);
    expect(reading.pools?.[0]).toMatchObject({ user: 'farm.worker1', difficulty: 128 });
  });

  test('a machine that counts its fans and tells chips and volts of its boards', () => {
    const summary = { Elapsed: 2_400, 'MHS 5s': 398_000, 'Miner type': 'dash', 'Fan Num': 2, Fan1: 7_800, Fan2: 0 };
    const board = { Name: 'u6', Enabled: 'Y', Status: 'Alive', Temperature: 54.5, ChipNum: 70, Frequency: 550 };
    const devs = [
      { ASC: 0, ID: 0, ...board, volt: 10.5 },
      { ASC: 2, ID: 1, ...board, volt: 12.7, ChipNum: 0 },
    ];
    const { reading } = cgminer.read({ summary: { SUMMARY: [summary] }, devs: { DEVS: devs } }, {});
    expect(reading.fans).toEqual([
      { index: 0, rpm: 7_800 },
      { index: 1, rpm: 0 },
    ]);
    expect(reading.boards?.map(({ slot, chips, voltageV }) => [slot, chips, voltageV])).toEqual([
      [0, 70, 10.5],
      [2, undefined, 12.7],
    ]);
    const { 'Fan Num': _, ...uncounted } = summary;
    expect(cgminer.read({ summary: { SUMMARY: [uncounted] } }, {}).reading).not.toHaveProperty('fans');
  });

  test('a window that is longer than the program has run is not settled', () => {
    const row = { 'MHS 5s': 14e6, 'MHS 5m': 4e6, 'MHS 15m': 1.4e6, 'MHS av': 14e6 };
    const settled = (Elapsed: number | undefined) =>
      cgminer.read({ summary: { SUMMARY: [{ ...row, Elapsed }] } }, {}).reading.hashrateSettledHs;
    expect([settled(92), settled(400), settled(900), settled(undefined)]).toEqual([undefined, 4e12, 1.4e12, 1.4e12]);
  });

  test('without devices, in every shape that says so: it hashes nothing, which is a statement, and has no boards, which is none', () => {
    const none = [
      { summary: { SUMMARY: [{ Elapsed: 1_500, 'MHS av': 0, 'MHS 5s': 0 }] } },
      { summary: { SUMMARY: [{ Elapsed: 1_500, 'MHS av': '0.00' }] }, devs: { DEVS: [] }, stats: { STATS: [] } },
      { summary: { SUMMARY: [{ Elapsed: 1_500, 'GHS 5s': 0, 'GHS av': 0 }] } },
    ];
    for (const raw of none) {
      const { reading } = cgminer.read(raw, {});
      expect(reading).toMatchObject({ hashrateHs: 0, isMining: false, uptimeS: 1_500 });
      expect(reading).not.toHaveProperty('boards');
    }
    expect(cgminer.read({ summary: { SUMMARY: [{ Elapsed: 1_500 }] } }, {}).reading).toEqual({ uptimeS: 1_500 });
  });

  test('with sticks: one board each, and a sensor that is not there has no temperature', () => {
    const { reading } = cgminer.read(caseAnswers(cgminer, 'usb'), {});
    expect(reading).toMatchObject({
      hashrateHs: 120_331.7e6,
      hashrateSettledHs: 118_950e6,
      tempC: 46.5,
      isMining: true,
    });
    expect(reading.boards).toEqual([
      { slot: 0, hashrateHs: 120_331.7e6, boardTempsC: [46.5], hwErrors: 3, isAlive: true },
      { slot: 1, hashrateHs: 0, hwErrors: 3, isAlive: false },
    ]);
    expect(reading).not.toHaveProperty('fans');
  });

  test('it is never told to do anything', () => expect(cgminer.abilities).toEqual({}));
});

describe('other relatives', () => {
  test('GHS without a model that settles the unit is no rate; MHS is what it says', () => {
    const of = (row: object, Type?: string) =>
      cgminer.read(
        { summary: { SUMMARY: [row] }, version: { VERSION: [{ BMMiner: '2.0', ...(Type && { Type }) }] } },
        {},
      ).reading;
    const ghs = { 'GHS 5s': 145_000, 'GHS av': 144_000 };
    const odd = of(ghs, 'Antminer Z99');
    for (const absent of ['hashrateHs', 'hashrateAverageHs', 'isMining']) expect(odd).not.toHaveProperty(absent);
    expect(of(ghs, 'Antminer S19 Pro')).toMatchObject({ hashrateHs: 145e12, isMining: true });
    expect(of({ 'MHS 5s': 14_000_000, 'MHS av': 1 })).toMatchObject({ hashrateHs: 14e12 });
  });

  test('an Avalon that does not name itself: its make, its hottest chip, and the rate of summary', () => {
    const { reading } = cgminer.read(
      {
        summary: { SUMMARY: [{ 'MHS 5s': 13_600_000 }] },
        stats: {
          STATS: [
            {
              ID: 'AV70',
              'MM ID1': 'Ver[7411706-3162860] Temp[38] TMax[89]',
              'MM ID2': 'Ver[7411706-3162860] TMax[80]',
            },
          ],
        },
      },
      {},
    );
    expect(reading).toMatchObject({ make: 'Avalon', tempC: 89, hashrateHs: 13.6e12 });
  });

  test('loose temperature keys are read, limits and counts are not', () => {
    const of = (row: Record<string, unknown>) => cgminer.read({ stats: { STATS: [row] } }, {}).reading.tempC;
    expect(of({ temp1: 61, temp2: '64.5', temp_num: 99 })).toBe(64.5);
    expect(of({ Temperature: 55, 'Temperature Limit': 90, temp_max: 88, 'Temp Cutoff': 95 })).toBe(55);
    expect(of({ temp_chip1: '0-0-0-0', temp1: 0 })).toBeUndefined();
    expect(of({ attempt: 3, template: 70 })).toBeUndefined();
  });

  test('make and model are told only when they are sure', () => {
    const of = (row: Record<string, string>, family?: 'goldshell' | 'volcminer') =>
      cgminer.identify({
        family,
        version: JSON.stringify({ STATUS: [{ STATUS: 'S' }], VERSION: [{ API: '3.7', ...row }] }),
      });
    expect(cgminer.identify({ family: undefined, version: '{"STATUS":"ok"}' })).toBeUndefined();
    expect(of({ BFGMiner: '5.5.0' }, 'goldshell')).not.toHaveProperty('make');
    expect(of({ CGMiner: '4.9' }, 'volcminer')).toMatchObject({ make: 'VolcMiner' });
    expect(of({ BMMiner: '2.0', Type: 'Antminer S9 (Odd 3)' })).toMatchObject({ make: 'Antminer', model: 'S9' });
  });

  test.skipIf(!hasRecordings)('LuxOS without a driver shows what it is and what it does', () => {
    const recording = recordings.find(({ id }) => id.startsWith('luxos'));
    if (recording === undefined) throw new Error('no recording');
    const version = bytesOf('luxos/s19kpro-2025.4.8/tcp.version.json').toString();
    expect(cgminer.identify({ family: 'luxos', version })).toEqual({
      confidence: 'generic',
      make: 'Antminer',
      model: 'S19k Pro',
      firmwareVersion: '2025.4.8.220305',
    });
    const { reading } = cgminer.read(rawOf(cgminer, bytesByAsk(cgminer, recording)), {});
    expect(reading).toMatchObject({ hashrateHs: 59_756.06e9, hashrate24hHs: 55_400.8e9, uptimeS: 3_453, tempC: 47 });
    expect(reading.fans?.map(({ rpm }) => rpm)).toEqual([1_920, 1_920, 2_340, 2_340]);
    expect(reading.boards?.map(({ chips }) => chips)).toEqual([77, 77, 77]);
    // Its "chip" sensors repeat the board's.
    expect(reading.boards?.[0]).not.toHaveProperty('chipTempMaxC');
    expect(reading.pools).toHaveLength(4);
  });

  test.skipIf(!hasRecordings)('a scrypt machine is read in its own unit', () => {
    const recording = recordings.find(({ id }) => id.startsWith('hammer'));
    if (recording === undefined) throw new Error('no recording');
    const { reading } = cgminer.read(rawOf(cgminer, bytesByAsk(cgminer, recording)), {});
    expect(reading.boards?.map(({ hashrateHs }) => hashrateHs)).toEqual([1_578_274_200, 1_594_364_600, 1_513_849_800]);
    expect(reading.expected).toMatchObject({ boards: 3, chipsPerBoard: 108 });
  });
});
