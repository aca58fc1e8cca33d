// Readings of Whatsminers over TCP 4028 and API 3: units, sentinels, empty places, liquid cooling, sleep, a dead mining
// process.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readingSchema } from '../../src/model/reading.ts';
import { whatsminer } from './index.ts';

const read = (raw: Readonly<Record<string, unknown>>, model?: string) =>
  whatsminer.read(raw, model === undefined ? {} : { model });
const summary = (row: object) => ({ summary: { STATUS: [{ STATUS: 'S', When: 1_761_061_371 }], SUMMARY: [row] } });
const boards = (...rows: object[]) => ({ edevs: { DEVS: rows } });
const flat = (Msg: object) => ({ STATUS: 'S', When: 1, Code: 131, Msg });

describe('over TCP 4028', () => {
  test('rates come in MH/s, the expected rate in GH/s', () => {
    const { reading } = read(
      summary({
        'HS RT': 67_394_800.97,
        'MHS 1m': 1,
        'MHS 15m': 67_681_620,
        'MHS av': 67_753_251,
        'Factory GHS': 68_796,
      }),
    );
    expect(reading.hashrateHs).toBeCloseTo(67.39480097e12, -3);
    expect(reading.hashrateWindow).toBe('realtime');
    expect(reading.hashrateSettledHs).toBe(67.68162e12);
    expect(reading.hashrateAverageHs).toBe(67.753251e12);
    expect(reading.expected?.hashrateHs).toBe(68.796e12);
    expect(reading.isMining).toBe(true);
  });

  test('the oldest firmware has no live rate: the shortest steady window stands in, and is named', () => {
    const { reading } = read(summary({ 'MHS 5s': 2, 'MHS 1m': 3, 'MHS av': 4 }));
    expect([reading.hashrateHs, reading.hashrateWindow]).toEqual([3e6, '1m']);
  });

  test('what is not known is absent: power -1, limit 0, no expected rate, 0 W beside a hashrate', () => {
    const { reading } = read(
      summary({ 'HS RT': 1, Power: -1, 'Power Limit': 0, 'Factory GHS': -0.001, 'Env Temp': 0 }),
    );
    expect(reading).not.toHaveProperty('powerW');
    expect(reading).not.toHaveProperty('powerLimitW');
    expect(reading).not.toHaveProperty('inletTempC');
    expect(reading.expected?.hashrateHs).toBeUndefined();
    expect(read(summary({ 'HS RT': 1, Power: 0 })).reading).not.toHaveProperty('powerW');
    expect(read(summary({ 'HS RT': 0, Power: 0 })).reading.powerW).toBe(0);
    expect(read(summary({ 'HS RT': 1, Power: -1, Power_RT: 3_400 })).reading.powerW).toBe(3_400);
  });

  test('its factory rate is that of the normal mode: in low mode none is expected', () => {
    const row = (mode: string) => summary({ 'HS RT': 6.9e7, 'Factory GHS': 99_000, 'Power Mode': mode });
    expect(read(row('Normal')).reading.expected?.hashrateHs).toBe(99e12);
    expect(read(row('Low')).reading.expected?.hashrateHs).toBeUndefined();
  });

  describe('firmware from 2025 on', () => {
    const machine = { Elapsed: 4_312.5, 'MHS av': 361_200_000, 'MHS 1m': 364_000_000, 'HS RT': 364_000_000 };
    const newBoard = (slot: number, ths: number) => ({
      Slot: slot,
      'MHS av': ths * 0.99,
      'MHS 1m': ths,
      'HS RT': ths,
      'Factory GHS': 118_000,
      'Effective Chips': 200,
      'PCB SN': `N${slot}`,
    });
    const three = boards(newBoard(0, 122), newBoard(1, 0), newBoard(2, 121));

    test('the row of summary stands in the flat envelope, the model in the version', () => {
      const { reading } = read({
        summary: flat({ ...machine, Power: 5_120.75, 'Fan Speed In': 4_900, 'Fan Speed Out': 0, 'Power Mode': 'Low' }),
        getVersion: flat({ api_ver: '2.2.2', fw_ver: '20260105.11.REL', miner_type: 'M30S++_VH40' }),
      });
      expect(reading).toMatchObject({
        hashrateHs: 364e12,
        hashrateAverageHs: 361.2e12,
        uptimeS: 4_312.5,
        powerW: 5_120.75,
        miningMode: 'low',
        model: 'M30S++ VH40',
        firmwareVersion: '20260105.11.REL',
        isMining: true,
      });
      expect(reading.fans?.map(({ rpm }) => rpm)).toEqual([4_900, 0]);
      expect(read({ summary: flat({ reason: 'x' }) }).unparsable).toEqual(['summary']);
    });

    test('the rates of its boards are in TH/s: the rate of the machine proves it', () => {
      for (const summaryOf of [summary, (row: object) => ({ summary: flat(row) })]) {
        const { reading } = read({ ...summaryOf(machine), ...three });
        expect(reading.boards?.map(({ hashrateHs }) => hashrateHs)).toEqual([122e12, 0, 121e12]);
        expect(reading.boards?.[0]?.expectedHashrateHs).toBe(118e12);
      }
    });

    test('where nothing proves the unit of the boards, their rates are not told', () => {
      const { reading } = read(three);
      expect(reading.boards?.map(({ hashrateHs, chips }) => [hashrateHs, chips])).toEqual([
        [undefined, 200],
        [undefined, 200],
        [undefined, 200],
      ]);
      const idle = read(boards({ Slot: 0, 'HS RT': 0, 'Effective Chips': 9 })).reading;
      expect(idle.boards?.[0]?.hashrateHs).toBe(0);
    });

    test('a machine of the old unit that fades out or starts is not taken for one of the new', () => {
      const fading = { Slot: 0, 'MHS 5m': 0.02, 'MHS 1m': 0, 'Effective Chips': 9 };
      const faded = read({ ...summary({ 'MHS 5m': 0.06, 'MHS 1m': 0 }), ...boards(fading) }).reading;
      expect(faded.boards?.[0]?.hashrateHs).toBe(20_000);
      const started = read({ ...summary({ 'MHS av': 520 }), ...boards({ ...fading, 'MHS 5m': 260 }) }).reading;
      expect(started.boards?.[0]?.hashrateHs).toBe(260e6);
    });
  });

  test('the voltage at the socket stands in summary, times of faults beside their codes', () => {
    const { reading } = read(
      summary({
        'Power Voltage Input': 218.75,
        'Error Code 0': 206,
        'Error 0 Time': '2021-02-03 04:05:06',
        'Error Code 1': 2320,
        'Error 1 Time': '',
        'Error Code Count': 2,
      }),
    );
    expect(reading.psus).toEqual([{ inputVoltageV: 218.75 }]);
    expect(reading.errors?.map(({ code, since }) => [code, since])).toEqual([
      ['206', '2021-02-03 04:05:06'],
      ['2320', undefined],
    ]);
    const listed = read({ errorCode: flat({ error_code: ['329', '2022-01-17 11:28:11', 110] }) }).reading;
    expect(listed.errors?.map(({ code, since }) => [code, since])).toEqual([
      ['329', '2022-01-17 11:28:11'],
      ['110', undefined],
    ]);
  });

  test('as many boards as the answer has, without empty slots', () => {
    const row = (slot: number) => ({
      ASC: slot,
      Slot: slot,
      'HS RT': 40e6,
      'Effective Chips': 272,
      'PCB SN': `B${slot}`,
    });
    const { reading } = read(
      boards(row(0), row(1), row(2), row(3), { ASC: 4, Slot: 4, 'HS RT': 0, 'Effective Chips': 0 }),
      'M63_VK30',
    );
    expect(reading.boards?.map(({ slot, serialNumber }) => [slot, serialNumber])).toEqual([
      [0, 'B0'],
      [1, 'B1'],
      [2, 'B2'],
      [3, 'B3'],
    ]);
    expect(reading.expected).toMatchObject({ boards: 4, chipsPerBoard: 272, fans: 0, cooling: 'liquid' });
  });

  test('a board that the device calls dead stays on the list as dead', () => {
    const { reading } = read(
      boards({ Slot: 1, Status: 'Dead', Enabled: 'Y', 'HS RT': 0, 'PCB SN': 'B1', Temperature: 0 }),
    );
    expect(reading.boards).toEqual([{ slot: 1, serialNumber: 'B1', hashrateHs: 0, isAlive: false }]);
  });

  test('without a live rate a board has its average, unless it fell out or came back since', () => {
    const rate = (row: object) =>
      read({ devs: { DEVS: [{ Slot: 0, 'PCB SN': 'B', ...row }] } }).reading.boards?.[0]?.hashrateHs;
    expect(rate({ 'MHS av': 100e6, 'MHS 5m': 99e6, 'MHS 1m': 50e6 })).toBe(100e12);
    expect(rate({ 'MHS av': 100e6, 'MHS 5m': 0 })).toBe(0);
    expect(rate({ 'MHS av': 100e6, 'MHS 5m': 150e6 })).toBe(150e12);
    expect(rate({ 'MHS av': 100e6 })).toBe(100e12);
  });

  test('fans that stand still are none in liquid, two on air, and not known when we cannot tell', () => {
    const still = { 'Fan Speed In': 0, 'Fan Speed Out': 0 };
    expect(read(summary({ ...still, 'Liquid Cooling': true })).reading.fans).toEqual([]);
    expect(read(summary(still), 'M63_VK30').reading.fans).toEqual([]);
    expect(read(summary({ ...still, 'Liquid Cooling': false })).reading.fans).toHaveLength(2);
    expect(read(summary({ ...still, 'MHS av': 0 }), 'M20S V10').reading.fans).toHaveLength(2);
    // In a tank, and its firmware has no word for that: on air it would not hash for long.
    expect(read(summary({ ...still, 'HS RT': 6e7 }), 'M20S V10').reading).not.toHaveProperty('fans');
    expect(read(summary({ ...still, 'HS RT': 6e7, 'Liquid Cooling': false })).reading.fans).toHaveLength(2);
    expect(read(summary(still)).reading).not.toHaveProperty('fans');
    expect(read(summary({ 'Fan Speed In': 0, 'Fan Speed Out': 6_000 })).reading.fans).toEqual([
      { index: 0, rpm: 0 },
      { index: 1, rpm: 6_000 },
    ]);
  });

  test('what tells how warm its coolant is, is cooled by it', () => {
    const still = summary({ 'Fan Speed In': 0, 'Fan Speed Out': 0 });
    const of = (liquid_temp: unknown) =>
      read({ ...still, status: { Msg: { mineroff: 'false', liquid_temp } } }).reading;
    expect(of(49)).toMatchObject({ fans: [], expected: { cooling: 'liquid' } });
    expect(of(0)).not.toHaveProperty('fans');
    expect(of('')).not.toHaveProperty('expected.cooling');
  });

  test('an air model in a tank expects no fans', () => {
    const { reading } = read(summary({ 'Liquid Cooling': true }), 'M20S V10');
    expect(reading.expected).toMatchObject({ cooling: 'liquid', fans: 0, boards: 3 });
  });

  test('suspended is sleep, whichever of the two words says it', () => {
    for (const word of ['mineroff', 'btmineroff']) {
      const { reading } = read({ ...summary({ 'HS RT': 5, 'Power Mode': 'High' }), status: flat({ [word]: 'true' }) });
      expect([reading.isMining, reading.miningMode]).toEqual([false, 'sleep']);
    }
    const { reading } = read({ ...summary({ 'HS RT': 5, 'Power Mode': 'High' }), status: flat({ mineroff: 'false' }) });
    expect([reading.isMining, reading.miningMode]).toEqual([true, 'high']);
  });

  test('a dead mining process is a miner that does not mine', () => {
    expect(read({ summary: 'Socket connect failed: Connection refused\n' })).toMatchObject({
      reading: { isMining: false },
      unparsable: [],
    });
  });

  test('faults come from get_error_code, and from the summary where that is not answered', () => {
    const row = { 'Error Code Count': 2, 'Error Code 0': 110, 'Error Code 1': 600 };
    expect(read(summary(row)).reading.errors?.map(({ code }) => code)).toEqual(['110', '600']);
    expect(read(summary({ 'Error Code Count': 0 })).reading.errors).toEqual([]);
    expect(read(summary({})).reading).not.toHaveProperty('errors');
    const both = read({ ...summary(row), errorCode: flat({ error_code: [] }) });
    expect(both.reading.errors).toEqual([]);
  });

  test('names are cleaned: firmware without quotes, API without its prefix, control board without its maker', () => {
    const { reading } = read({
      ...summary({ 'Firmware Version': "'20210322.22.REL'", 'CB Platform': 'ALLWINNER_H3' }),
      getVersion: flat({ api_ver: 'whatsminer v1.4.0' }),
    });
    expect(reading).toMatchObject({ firmwareVersion: '20210322.22.REL', apiVersion: '1.4.0', controlBoard: 'H3' });
  });

  test('the PSU: its rail in 0.01 V, mains voltage in either unit, nothing that cannot be one', () => {
    const psu = (row: object) => read({ ...summary({ Voltage: 1_180 }), psu: flat(row) }).reading.psus?.[0];
    expect(psu({ serial_no: 'P1', vin: '22400', temp0: '41.5', fan_speed: '6976' })).toEqual({
      serialNumber: 'P1',
      tempC: 41.5,
      fanRpm: 6_976,
      inputVoltageV: 224,
      outputVoltageV: 11.8,
    });
    expect(psu({ vin: '236.5' })?.inputVoltageV).toBe(236.5);
    expect(psu({ vin: '0' })).not.toHaveProperty('inputVoltageV');
    expect(read(summary({ 'HS RT': 1 })).reading).not.toHaveProperty('psus');
    const api3 = (power: object) => read({ info3: { msg: { power } } }).reading.psus?.[0]?.inputVoltageV;
    expect([api3({ vin: 232.5 }), api3({ vin: '23250' }), api3({ vin: 0 })]).toEqual([232.5, 232.5, undefined]);
  });

  test('a level is no voltage', () => {
    // M3: the number of a step, not 0.01 V.
    expect(read(summary({ 'MHS av': 11_500_000, Voltage: 8 })).reading).not.toHaveProperty('psus');
  });

  test('rows without anything in them say nothing of boards', () => {
    const empty = { 'MHS av': 0, Temperature: 0, 'Effective Chips': 0 };
    expect(read(boards(empty, empty, empty)).reading).not.toHaveProperty('boards');
    expect(read(boards()).reading).not.toHaveProperty('boards');
    expect(read(boards(empty, { Slot: 1, 'MHS av': 5e6 })).reading.boards).toMatchObject([{ slot: 1 }]);
  });

  test('identity and light from get_miner_info', () => {
    const minerInfo = flat({ mac: 'C4:08:28:00:A4:19', minersn: 'SN', hostname: 'wm', ledstat: 'auto', powersn: 'P9' });
    expect(read({ minerInfo }).reading).toMatchObject({
      mac: 'C4:08:28:00:A4:19',
      serialNumber: 'SN',
      hostname: 'wm',
      isLightOn: false,
      psus: [{ serialNumber: 'P9' }],
    });
    expect(read({ minerInfo: flat({ ledstat: 'manual' }) }).reading.isLightOn).toBe(true);
  });

  test('an answer of another kind costs that answer only', () => {
    const result = read({
      ...summary({ 'HS RT': 5 }),
      edevs: '<html>',
      pools: { POOLS: 'no' },
      status: flat([1]),
      psu: 7,
    });
    expect(result.reading.hashrateHs).toBe(5e6);
    expect(result.unparsable.toSorted()).toEqual(['edevs', 'pools', 'psu', 'status']);
  });
});

test('no answer, however odd, makes read throw or tell an impossible value', () => {
  const names = Object.keys(whatsminer.asks);
  const keys = [
    'SUMMARY',
    'DEVS',
    'POOLS',
    'Msg',
    'msg',
    'summary',
    'edevs',
    'HS RT',
    'Power',
    'Slot',
    'error-code',
    'miner',
  ];
  const value = fc.oneof(
    fc.double(),
    fc.string(),
    fc.constantFrom('-1', '1e999', 'nan', null, true, -273, 1e300, '', '0x10'),
  );
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      value,
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('node'), { maxKeys: 4 }),
    ),
  })).node;
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), tree), (raw) => {
      readingSchema.parse(read(raw, 'M20S V10').reading);
    }),
    { numRuns: 300 },
  );
});
