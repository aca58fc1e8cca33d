// What is known of single recorded devices beyond the values of their index: order, sensors, units, faults.
import { describe, expect, test } from 'vitest';
import { readStats } from '../../drivers/_dialects/bitmain.ts';
import { drivers } from '../../drivers/index.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { repairJson } from '../../src/transport/cgminer/json-fixer.ts';
import { bytesOf, hasRecordings } from './answers.ts';
import { firstOf, readingOf } from './recorded-sets.ts';

test.skipIf(!hasRecordings)('Antminer: the hottest chip of each recorded board', () => {
  const reading = readingOf(firstOf('antminer-stock'));
  expect(reading.boards?.map((board) => board.chipTempMaxC)).toEqual([78, 71, 69]);
  // The PIC sensors of this unit show the intake hotter than the exhaust: another layout than the one we know, so
  // nothing is told.
  expect(reading).not.toHaveProperty('inletTempC');
});

test.skipIf(!hasRecordings)('Whatsminer API 3: a text in place of the answer names no error', () => {
  const driver = drivers.find(({ id }) => id === 'whatsminer');
  const answer: unknown = JSON.parse(
    bytesOf('whatsminer-api3/error-code-shapes/v3.get_device_info_string.json').toString(),
  );
  const reading = driver?.read({ info3: answer }, { generation: 'api3' }).reading;
  expect(reading?.errors ?? []).toEqual([]);
});

test.skipIf(!hasRecordings)(
  'LuxOS: boards are told in the order of their slots, and events with what they are about',
  () => {
    const reading = readingOf(firstOf('luxos'));
    expect(reading.boards?.map(({ slot, serialNumber }) => [slot, serialNumber])).toEqual([
      [0, 'JYZZYRSBDJEBI06Z5'],
      [1, 'JYZZYRSBDJEBI06ZM'],
      [2, 'JYZZYRSBDJEBI06ZR'],
    ]);
    expect(reading.errors).toEqual([
      {
        code: 'NOPIC_PROTECTION',
        message: '[MINER] Miner shutdown due to NOPIC protection.',
        category: 'hashboard',
        severity: 'minor',
      },
      {
        code: 'REBOOT_NOT_HASHING',
        message: '[BOARD 0] Board reboot due to it not hashing.',
        category: 'hashboard',
        severity: 'minor',
        index: 0,
      },
    ]);
  },
);

test.skipIf(!hasRecordings)(
  'Elphapex: chip sensors in thousandths, its own clock; no board sensors, no clock of its chips, no chips marked while it stands',
  () => {
    const reading = readingOf(firstOf('elphapex'));
    expect(reading).toMatchObject({
      model: 'DG1Home',
      tempC: 25.687,
      deviceTimeS: 1_742_264_353,
      controlBoard: 'DG-Home1_HW_V1.0',
      isMining: false,
      errors: [],
      expected: { chipsPerBoard: 120, fans: 4 },
    });
    expect(reading.boards).toHaveLength(1);
    expect(reading.boards?.[0]).toMatchObject({ slot: 3, chipTempMaxC: 25.687, chips: 120 });
    expect(reading.boards?.[0]?.chipTempAvgC).toBeCloseTo(25.5465, 9);
    for (const field of ['boardTempsC', 'frequencyMhz', 'hwErrors', 'badChips'])
      expect(reading.boards?.[0]).not.toHaveProperty(field);
  },
);

test.skipIf(!hasRecordings)('Hammer: the last of the repeated keys is a chip; the light answers with a code', () => {
  const reading = readingOf(firstOf('hammer'));
  expect(reading).toMatchObject({ make: 'Hammer', model: 'D10', tempC: 45, isLightOn: true, miningMode: 'normal' });
  expect(reading.boards?.map((board) => [board.chipTempMaxC, board.frequencyMhz])).toEqual([
    [45, 810],
    [42, 810],
    [40, 810],
  ]);
});

test.skipIf(!hasRecordings)('VolcMiner: the TCP answer that lacks a comma is mended, and is Bitmain’s dialect', () => {
  const answer = repairJson(bytesOf('volcminer/d1-2025-10-08-web/tcp.stats-malformed.txt'))?.value;
  expect(answer).toMatchObject({ STATS: [{}, { fan1: 5_610, chain_acn1: 105 }] });
  const stats = readStats(new Answer(answer), undefined);
  expect([stats.fanSlots, stats.boards?.map(({ slot, reading }) => [slot, reading.chips])]).toEqual([
    [5_610],
    [[0, 105]],
  ]);
});

test.skipIf(!hasRecordings)('VolcMiner: MH/s whatever the key says, fans that turn, its host name as its type', () => {
  const reading = readingOf(firstOf('volcminer'));
  expect(reading).toMatchObject({ make: 'VolcMiner', model: 'D1', controlBoard: 'Xilinx', tempC: 57 });
  expect(reading.boards).toMatchObject([{ slot: 0, chips: 120, frequencyMhz: 2_000, boardTempsC: [55, 57] }]);
  expect(reading.expected).toMatchObject({ fans: 4, boards: 3 });
});

describe.skipIf(!hasRecordings)('Braiins OS', () => {
  test('REST: two clocks, the hottest chips, fans in percent, and of a history of errors only what is recent', () => {
    const reading = readingOf('braiins-os--s19xp-25.07-rest');
    expect(reading).toMatchObject({
      make: 'Antminer',
      model: 'S19 XP',
      uptimeS: 69_685,
      systemUptimeS: 69_725,
      controlBoard: 'AMLogic',
      miningMode: 'power_tuning',
      tempC: 70.5,
      errors: [],
      expected: { boards: 3, chipsPerBoard: 110, fans: 4 },
    });
    expect(reading.boards?.map(({ chipTempMaxC }) => chipTempMaxC)).toEqual([70.5, 67, 69]);
    expect(reading.fans?.map(({ dutyPercent }) => dutyPercent)).toEqual([100, 100, 100, 100]);
  });

  test('GraphQL: sensors by their old and their newer names; two groups of pools are one list', () => {
    const chips = (id: string) => readingOf(id).boards?.map(({ chipTempMaxC }) => chipTempMaxC);
    expect(chips('braiins-os--s9-22.08-gql')).toEqual([81.625, 89.25, 80]);
    expect(chips('braiins-os--s21plus-25.03-gql')).toEqual([75, 73.5, 72.5]);
    expect(readingOf('braiins-os--s21-24.09-gql').pools?.map(({ accepted, rejected }) => [accepted, rejected])).toEqual(
      [
        [111_393, 239],
        [13, 0],
      ],
    );
    expect(readingOf('braiins-os--s9-22.08-gql').pools?.map(({ index, url }) => [index, url])).toEqual([
      [0, 'stratum+tcp://btc1.example.pool:3333'],
      [1, 'stratum+tcp://btc2.example.pool:3333'],
    ]);
  });
});

describe.skipIf(!hasRecordings)('ePIC, Auradine, Proto', () => {
  test('ePIC: sensors of every board that is found, clocks and serial numbers of those that are switched on', () => {
    const { boards, tempC, totalChips } = readingOf('epic-umcos--s19xp-bms-1.5.13');
    expect(
      boards?.map(({ slot, isAlive, boardTempsC, frequencyMhz, serialNumber }) => [
        slot,
        isAlive,
        boardTempsC,
        frequencyMhz,
        serialNumber,
      ]),
    ).toEqual([
      [0, false, [42.312, 42.875], undefined, undefined],
      [1, true, [55.062, 67], 487.5, 'YNAHYPDBCJEBC0D6S'],
      [2, true, [52.062, 64.312], 487.5, 'YNAHYPDBCJEBC0C6R'],
    ]);
    expect(boards?.map(({ inletTempC, outletTempC }) => [inletTempC, outletTempC])).toEqual([
      [42.312, 42.875],
      [55.062, 67],
      [52.062, 64.312],
    ]);
    expect([tempC, totalChips]).toEqual([67, undefined]);
  });

  test('Auradine: a lamp that shows that all is well is no fault; chips are not counted from the sensors', () => {
    const reading = readingOf('auradine-fluxos--at1500-2023-12.27');
    expect([reading.errors, reading.isLightOn]).toEqual([[], false]);
    expect(reading.totalChips).toBe(396);
    expect(reading.pools?.map(({ accepted, rejected }) => [accepted, rejected])).toEqual([
      [10, 1],
      [0, 0],
      [0, 0],
    ]);
  });

  test('Proto: both power supplies, what goes in and comes out of each board, and the chips that belong on it', () => {
    const reading = readingOf('proto--rig-1.8.0');
    expect(reading.psus).toHaveLength(2);
    expect(reading.psus).toMatchObject([
      {
        serialNumber: 'PSU-PROTO-SIM-b6bdaf86-0',
        inputPowerW: 1774.4900359549026,
        inputVoltageV: 230.96996200756033,
        tempC: 37.901950839067965,
      },
      { serialNumber: 'PSU-PROTO-SIM-b6bdaf86-1', inputPowerW: 1751.847016486352 },
    ]);
    expect(reading.boards?.map(({ inletTempC }) => inletTempC)).toEqual([
      41.257896451539054, 38.73552243664069, 38.642894869829554, 39.25599482703729,
    ]);
    expect(reading.boards?.map(({ outletTempC }) => outletTempC)).toEqual([
      55.241942214972724, 54.978843834992624, 55.43768806658174, 53.387135818884865,
    ]);
    expect(reading.expected).toMatchObject({ chipsPerBoard: 120, fans: 4 });
    // Four are there and four are counted: how many belong there nobody says.
    expect(reading.expected).not.toHaveProperty('boards');
  });
});
