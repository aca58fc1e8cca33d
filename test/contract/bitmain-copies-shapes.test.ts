// Answers of the makes and firmwares that copied Bitmain's dialect, as machines without a recording give them. Nothing
// false may be made of them.
import { describe, expect, test } from 'vitest';
import { elphapex } from '../../drivers/elphapex/index.ts';
import { hammer } from '../../drivers/hammer/index.ts';
import { mskminer } from '../../drivers/mskminer/index.ts';
import { volcminer } from '../../drivers/volcminer/index.ts';
import type { Driver, Known } from '../../src/driver/contract.ts';

const readWith = (driver: Driver, raw: Record<string, unknown>, known: Known = {}) => driver.read(raw, known).reading;
type Fields = Readonly<Record<string, unknown>>;
const chains = (numbers: readonly number[], of: (chain: number) => Fields): Fields =>
  Object.assign({}, ...numbers.map(of));

describe('copies of the dialect', () => {
  test('Elphapex DG1+: the device’s own chips and no errors, clock or sums that it does not tell', () => {
    const chain = [0, 1, 2, 3].map((index) => ({ index, asic_num: 204, hw: 204, freq_avg: 62_000, rate_real: 3_500 }));
    const stats = { STATS: [{ elapsed: 9, rate_5s: 14_000, rate_unit: 'MH/s', rate_ideal: 14_000, chain }] };
    const reading = readWith(elphapex, { stats, system: { minertype: 'DG1+' } });
    expect(reading).toMatchObject({ hashrateHs: 14e9, isMining: true, expected: { chipsPerBoard: 204, boards: 4 } });
    expect(JSON.stringify(reading)).not.toMatch(/hwErrors|frequencyMhz/);
  });

  test('Elphapex DG1+: five seconds in which it counted several times what there was', () => {
    const of = (rate_5s: number) => {
      const stats = { STATS: [{ elapsed: 846_890, rate_5s, rate_avg: 14_600, rate_unit: 'MH/s', rate_ideal: 14_229 }] };
      const { hashrateHs, hashrateWindow } = readWith(elphapex, { stats, system: { minertype: 'DG1+' } });
      return [hashrateHs, hashrateWindow];
    };
    expect(of(78_980.57)).toEqual([14_600e6, 'average']);
    expect(of(19_500)).toEqual([19_500e6, '5s']);
  });

  const f1 = {
    stats: {
      STATS: [
        { CGMiner: '2.3.3', Type: 'Blackminer F1-ULTRA' },
        {
          STATS: 0,
          Elapsed: 298_732,
          'GHS 5s': '4.2088',
          'GHS av': '4.5009',
          frequency: '380',
          fan_num: 2,
          fan1: 2_820,
          fan2: 2_850,
          temp1: 52,
          chipTemp1: '[65.21, 64.10, 62.38, 62.26, 67.06, 69.64]',
          temp2: 52,
          chipTemp2: '[69.40, 64.35, 63.12, 61.89, 67.55, 71.73]',
          temp3: 0,
          chipTemp3: '[0.00, 0.00, 0.00, 0.00, 0.00, 0.00]',
          ...chains([1, 2], (chain) => ({ [`chain_acn${chain}`]: 6, [`chain_acs${chain}`]: ' oooooo' })),
          chain_acn3: 0,
          chain_rate1: '1.8897',
          chain_rate2: '2.3191',
          chain_rate3: '',
        },
      ],
    },
  };

  test('a Blackminer is no Hammer: its make, its chips and its boards apart, the unit of its keys', () => {
    const reading = readWith(hammer, f1, { make: 'Blackminer', model: 'F1-ULTRA' });
    expect(reading).toMatchObject({ make: 'Blackminer', model: 'F1-ULTRA', tempC: 71.73, isMining: true });
    expect(reading.hashrateHs).toBeCloseTo(4.2088e9, 0);
    expect(
      reading.boards?.map(({ slot, boardTempsC, chipTempMaxC, frequencyMhz }) => [
        slot,
        boardTempsC,
        chipTempMaxC,
        frequencyMhz,
      ]),
    ).toEqual([
      [0, [52], 69.64, 380],
      [1, [52], 71.73, 380],
    ]);
    expect(reading).not.toHaveProperty('miningMode');
  });

  test('a Blackminer F2 on the web of others is no VolcMiner', () => {
    const status = { summary: { elapsed: '9', ghs5s: '5.5' }, devs: [] };
    const reading = readWith(volcminer, { status, system: { minertype: 'Blackminer F2' } });
    expect(reading).toMatchObject({ make: 'Blackminer', model: 'F2' });
    expect(readWith(volcminer, { system: { minertype: 'Odd 7' } })).not.toHaveProperty('make');
  });

  test('a VolcMiner whose web is shut is read over its own port', () => {
    const status = [{ STATUS: 'S', When: 1_765_000_000 }];
    const raw = {
      version: { STATUS: status, VERSION: [{ API: '3.1', CompileTime: '2025-10-08', Type: 'VolcMiner D1' }] },
      summary: { STATUS: status, SUMMARY: [{ Elapsed: 4_200, 'MHS 5s': '18,500.5', 'MHS av': '18,400.0' }] },
      stats: {
        STATUS: status,
        STATS: [
          { Type: 'VolcMiner D1' },
          { STATS: 0, fan1: 5_610, fan2: 0, temp1: 57, chain_acn1: 105, chain_rate1: '18,500.5', frequency: '2000' },
        ],
      },
      pools: { POOLS: [{ POOL: 0, URL: 'stratum+tcp://p:1', User: 'w', Status: 'Alive', 'Stratum Active': true }] },
    };
    expect(readWith(volcminer, raw)).toMatchObject({
      make: 'VolcMiner',
      model: 'D1',
      firmwareVersion: '2025-10-08',
      apiVersion: '3.1',
      hashrateHs: 18_500.5e6,
      hashrateAverageHs: 18_400e6,
      uptimeS: 4_200,
      deviceTimeS: 1_765_000_000,
      isMining: true,
      tempC: 57,
      boards: [{ slot: 0, chips: 105, hashrateHs: 18_500.5e6, frequencyMhz: 2_000 }],
      fans: [{ index: 0, rpm: 5_610 }],
      pools: [{ url: 'stratum+tcp://p:1', isActive: true }],
      expected: { boards: 3, fans: 4 },
    });
  });

  const chain = (index: number, rate: string) =>
    `{"index":"${index}","chain_acn":"105","temp":"6${index}","hw":"${index}","chain_rate":"${rate}","chain_acs":"o","freq":"1900"}`;
  const statusV1 = `{
"code": "200", "msg": "",
"data": "{
 "elapsed": "1,355", "ghs5s": "15,410.50", "ghsav": "15,390.1",
 "pools": { "hw": {"h_hw":"3"}, "pool_dtls": "[ {"index":"0","url":"stratum+tcp://p:1","user":"w[1]","status":"Alive","accepted":"1,101"} ]" },
 "chains": "[ ${chain(1, '5,100.25')}, ${chain(2, '5,200.5')} ]",
 "fan": {"fan1":"5,640","fan2":"0","fan3":"0","fan4":"0"} }"
}`;
  const systemV1 = '{"code": "200", "data": "{ "minertype": "VolcMiner D1", "hostname": "shed-3" }" }';

  test('a VolcMiner with pages that wrap what they tell in quotes', () => {
    expect(readWith(volcminer, { statusV1, systemV1 })).toMatchObject({
      model: 'D1',
      hostname: 'shed-3',
      hashrateHs: 15_410.5e6,
      hashrateAverageHs: 15_390.1e6,
      uptimeS: 1_355,
      boards: [
        { slot: 0, chips: 105, hashrateHs: 5_100.25e6, hwErrors: 1, frequencyMhz: 1_900, boardTempsC: [61] },
        { slot: 1, chips: 105, hashrateHs: 5_200.5e6, hwErrors: 2, frequencyMhz: 1_900, boardTempsC: [62] },
      ],
      fans: [{ index: 0, rpm: 5_640 }],
      pools: [{ url: 'stratum+tcp://p:1', user: 'w[1]', isActive: true, accepted: 1_101 }],
    });
    // As JSON that is right, too.
    const { data } = { data: { ghs5s: '9', chains: `[${chain(1, '9')}]` } };
    expect(readWith(volcminer, { statusV1: JSON.stringify({ data: JSON.stringify(data) }) }).hashrateHs).toBe(9e6);
    expect(readWith(volcminer, { statusV1: '<html>404</html>', systemV1: '{"data": "{' })).not.toHaveProperty('boards');
  });

  test('of the newer page only what the older lacks', () => {
    const devs = [
      { index: '1', chain_acn: '104', temp: [55, 57], freq: '2000' },
      { index: '4', chain_acn: '0' },
    ];
    const status = { summary: { elapsed: '42', ghs5s: '18,500.5' }, devs, fan1: '1,200' };
    expect(volcminer.asks.statusV1?.isLacking?.(status)).toBe(true);
    expect(volcminer.asks.statusV1?.isLacking?.({ devs: [{ index: '1', rate: '' }] })).toBe(false);
    expect(readWith(volcminer, { status, statusV1 })).toMatchObject({
      hashrateHs: 18_500.5e6,
      uptimeS: 42,
      boards: [
        { slot: 0, chips: 104, hashrateHs: 5_100.25e6, hwErrors: 1, frequencyMhz: 2_000, boardTempsC: [55, 57] },
      ],
      fans: [{ rpm: 1_200 }],
    });
  });

  test('MSKMiner: what stands in the second row of STATS, and the keys of its version 5.1', () => {
    const of = (...STATS: readonly object[]) =>
      readWith(mskminer, { stats: { STATS }, version: { VERSION: [{ Type: 'S19-88 v.5.1 ' }] } });
    const data = { Elapsed: 9_000, 'GHS 5s': '88000', total_rate: 88_100, fan_num: 4, fan1: 5_400 };
    expect(of(data, { total_power: 3_150, fan_pwm: 80, psu_status: 'ok' })).toMatchObject({
      hashrateHs: 88_100e9,
      powerW: 3_150,
      psus: [{ isOk: true }],
    });
    const { fans } = of({ ...data, fan2: 0, fan3: 0, fan4: 0 }, { fan_pwm: 80 });
    expect(fans?.map(({ dutyPercent }) => dutyPercent)).toEqual([80, 80, 80, 80]);
    expect(of(data, { psu_status: 'fail' }).psus).toEqual([{ isOk: false }]);
    expect(of(data, { psu_status: 'odd' })).not.toHaveProperty('psus');
    expect(of({ ...data, chain_power: '3,240 W' }).powerW).toBe(3_240);
    expect(of(data)).not.toHaveProperty('miningMode');
  });
});
