// Stock Antminers where the recordings do not reach: generations, odd fans, hydro, other units, modes, faults, actions.
import { describe, expect, test } from 'vitest';
import { PeerError } from '../../src/base/errors.ts';
import type { MinerLink, MinerRequest } from '../../src/transport/request.ts';
import { generationOf } from './generation.ts';
import { antminerStock as driver } from './index.ts';

const read = (raw: Record<string, unknown>, known = {}) => driver.read(raw, known).reading;
const classic = (type: string, data: Record<string, unknown>) => ({
  STATS: [
    { Type: type, CompileTime: 'Tue Dec  6 16:12:30 CST 2022' },
    { STATS: 0, Elapsed: 100, ...data },
  ],
});

describe('generation', () => {
  test.each([
    ['Tue Dec  6 16:12:30 CST 2022', 'b'],
    ['Sat Jul  1 00:00:00 CST 2023', 'c'],
    ['Fri Jun 30 23:59:59 CST 2023', 'b'],
    ['Thu Oct  9 18:55:45 CST 2025', 'c'],
    ['Tue Feb 26 11:42:35 CST 2019', 'a'],
    ['2023-05-28 17-20-35 CST', undefined],
    [undefined, undefined],
  ])('%s is %s', (compileTime, generation) => expect(generationOf(compileTime)).toBe(generation));

  test.each([
    ['Antminer S9', 'a'],
    ['Antminer S9i', 'a'],
    ['Antminer L3+', 'a'],
    ['Antminer S19', 'b'],
    ['Antminer L7', 'b'],
    ['Antminer D7', 'b'],
  ])('%s with a build of 2020 is %s', (type, generation) =>
    expect(generationOf('Tue Mar  3 10:21:09 CST 2020', type)).toBe(generation),
  );

  test('late builds of the 17 series have either web, so that a look decides', () => {
    expect(generationOf('Tue Jun  2 10:11:10 CST 2020', 'Antminer T17+')).toBeUndefined();
    expect(generationOf('Tue Feb 26 11:42:35 CST 2019', 'Antminer S17')).toBe('a');
  });

  test('is found also in broken JSON, and is open when only the web was seen', () => {
    const version = '{"VERSION":[{"Type":"Antminer S19","CompileTime":"Tue Dec  6 16:12:30 CST 2022"}{"x":1}]';
    expect(driver.identify({ family: 'antminer-stock', version })).toMatchObject({ generation: 'b', model: 'S19' });
    const web = { status: 401, body: '', authenticate: 'Digest realm="antMiner Configuration"' };
    expect(driver.identify({ family: 'antminer-stock', web })).toEqual({ confidence: 'likely', make: 'Antminer' });
    expect(driver.identify({ family: 'luxos', version })).toBeUndefined();
  });
});

describe('boards', () => {
  test('a dead board in the middle does not move the one after it', () => {
    const { boards } = read({
      stats: classic('Antminer S19', {
        chain_acn1: 76,
        chain_acn2: 0,
        chain_acn3: 76,
        chain_rate1: '30000',
        chain_rate3: '30000',
      }),
    });
    expect(boards?.map(({ slot }) => slot)).toEqual([0, 2]);
  });

  test('the S9 era counts chains from 6', () => {
    const { boards } = read({
      stats: classic('Antminer S9', { chain_acn6: 63, chain_acn7: 63, chain_acn8: 63, chain_acn1: 0 }),
    });
    expect(boards?.map(({ slot }) => slot)).toEqual([0, 1, 2]);
  });

  test('bad chips are counted, and a map of something else is not', () => {
    const of = (chain_acs1: string) =>
      read({ stats: classic('Antminer S19', { chain_acn1: 6, chain_acs1, 'GHS 5s': 9 }) }).boards?.[0];
    expect(of(' oox oxo')).toMatchObject({ chips: 6, badChips: 2 });
    expect(of('--- ---')).not.toHaveProperty('badChips');
    expect(of('')).not.toHaveProperty('badChips');
  });

  test('an empty rate is not a rate of 0', () => {
    const { boards } = read({ stats: classic('Antminer S19', { chain_acn1: 76, chain_rate1: '' }) });
    expect(boards).toEqual([{ slot: 0, chips: 76 }]);
  });
});

describe('sensors', () => {
  test('S19: PIC sensors are intake and exhaust, unless they stand the wrong way round', () => {
    const of = (temp_pic1: string) => read({ stats: classic('Antminer S19', { chain_acn1: 76, temp_pic1 }) });
    expect(of('50-52-38-40')).toMatchObject({ inletTempC: 39, outletTempC: 51, boards: [{ inletTempC: 39 }] });
    expect(of('38-40-50-52')).not.toHaveProperty('inletTempC');
    expect(of('0-0-38-40')).not.toHaveProperty('outletTempC');
  });

  test('hydro: two of the board sensors sit in the water', () => {
    const { boards, inletTempC, outletTempC, tempC, fans } = read({
      stats: classic('Antminer S19 Hydro', {
        chain_acn1: 104,
        temp_pcb1: '35-0-44-0',
        temp_pic1: '61-0-0-0',
        temp_chip1: '0-0-0-0',
        fan_num: 4,
        fan1: 0,
        fan2: 0,
      }),
    });
    expect({ inletTempC, outletTempC, tempC }).toEqual({ inletTempC: 35, outletTempC: 44, tempC: 61 });
    expect(boards?.[0]).not.toHaveProperty('boardTempsC');
    expect(fans).toEqual([]);
  });

  test.each(['Antminer S19 XP Hyd.', 'Antminer S21 XP Hyd', 'Antminer S99 Hydro'])(
    '%s is hydro, whoever else knows it',
    (type) => {
      const { tempC, inletTempC, fans, expected } = read({
        stats: classic(type, { chain_acn1: 104, temp_pcb1: '35-0-44-0', temp_pic1: '61-0-0-0', fan_num: 4, fan1: 0 }),
      });
      expect([tempC, inletTempC, fans, expected?.cooling, expected?.fans]).toEqual([61, 35, [], 'liquid', 0]);
    },
  );

  test('frost is not a minus sign between two sensors', () => {
    const { boards } = read({ stats: classic('Antminer S19', { chain_acn1: 76, temp_pcb1: '-5-3--2-0' }) });
    expect(boards?.[0]?.boardTempsC).toEqual([-5, 3, -2]);
  });
});

describe('fans', () => {
  const fans = (type: string, data: Record<string, unknown>) =>
    read({ stats: classic(type, data) }).fans?.map(({ rpm }) => rpm);
  const slots = (...rpm: number[]) => Object.fromEntries(rpm.map((value, index) => [`fan${index + 1}`, value]));

  test('the S9 uses slots 3 and 6 of 8, also when one of them stands', () => {
    expect(fans('Antminer S9', slots(0, 0, 5_880, 0, 0, 5_760, 0, 0))).toEqual([5_880, 5_760]);
    expect(fans('Antminer S9', slots(0, 0, 5_880, 0, 0, 0, 0, 0))).toEqual([5_880, 0]);
    expect(fans('Antminer S9', slots(0, 0, 0, 0, 0, 5_760, 0, 0))).toEqual([0, 5_760]);
  });

  test('placeholders behind the last fan are not fans, a standing fan among them is', () => {
    expect(fans('Antminer S19', slots(6_000, 0, 5_040, 5_040, 0, 0, 0, 0))).toEqual([6_000, 0, 5_040, 5_040]);
    expect(fans('Antminer S19', slots(0, 0, 0, 0, 0, 0, 0, 0))).toEqual([0, 0, 0, 0]);
  });

  test('of an unknown model only those that turn', () => {
    expect(fans('Antminer Z99', slots(6_000, 0, 5_040))).toEqual([6_000, 5_040]);
  });
});

describe('rates', () => {
  test('the unit is the one that the device names', () => {
    const of = (rate_unit: unknown) =>
      read({ stats: classic('Antminer L7', { 'GHS 5s': '9500.5', rate_unit }) }).hashrateHs;
    expect(of('MH/s')).toBe(9_500.5e6);
    expect(of('GH')).toBe(9_500.5e9);
    expect(of('KSol/s')).toBe(9_500.5e3);
    expect(of(undefined)).toBe(9_500.5e6);
    expect(of('parsec')).toBeUndefined();
  });

  test('where no unit is named the machine tells it: not everything mines SHA-256', () => {
    const of = (type: string, written: string) =>
      read({ stats: classic(type, { 'GHS 5s': written, 'GHS av': written }) });
    // As a real L3+ answers.
    expect(of('Antminer L3+', '514.859').hashrateHs).toBeCloseTo(514.859e6, 0);
    expect(of('Antminer D3', '19300').hashrateHs).toBe(19.3e9);
    expect(of('Antminer S9', '13500').hashrateHs).toBe(13.5e12);
    expect(of('Antminer E9 Pro', '3600').hashrateHs).toBe(3.6e9);
    // Not near the nameplate (3.68 GH/s) in any unit.
    expect(of('Antminer E9 Pro', '0.02')).not.toHaveProperty('hashrateHs');
  });

  test('expected is the device’s own figure, else the nameplate in normal mode only', () => {
    const of = (data: Record<string, unknown>, conf?: unknown) =>
      read({ stats: classic('Antminer S19 Pro', data), conf }).expected?.hashrateHs;
    expect(of({ total_rateideal: 112_000 })).toBe(112e12);
    expect(of({ total_rateideal: 0 })).toBe(110e12);
    expect(of({}, { 'bitmain-work-mode': 3 })).toBeUndefined();
  });

  test('an unknown model keeps its name and expects nothing', () => {
    const { model, expected } = read({ stats: classic('Antminer Z99 Ultra', {}) });
    expect({ model, expected }).toEqual({ model: 'Antminer Z99 Ultra', expected: undefined });
    expect(read({ stats: classic('BHB42XXX', {}) })).not.toHaveProperty('model');
  });
});

describe('mode, light, faults', () => {
  test.each([
    [{ 'bitmain-work-mode': 0 }, 'normal'],
    [{ 'bitmain-work-mode': '1' }, 'sleep'],
    [{ 'miner-mode': '2', 'bitmain-work-mode': '2' }, 'high'],
    [{ 'miner-mode': 3 }, 'low'],
    [{ 'miner-mode': 5 }, 'sleep'],
    [{ 'miner-mode': '0', 'bitmain-work-mode': '1' }, undefined],
    [{ 'bitmain-work-mode': '' }, undefined],
  ])('%j is %s', (conf, mode) => expect(read({ conf }).miningMode).toBe(mode));

  test('asleep is not mining, whatever the rate still says', () => {
    const stats = classic('Antminer S19', { 'GHS 5s': 12_000 });
    expect(read({ stats, conf: { 'miner-mode': 1 } }).isMining).toBe(false);
    expect(read({ stats }).isMining).toBe(true);
    expect(read({})).not.toHaveProperty('isMining');
  });

  test('faults keep their code; not yet evaluated is no fault; none is an empty list', () => {
    const status = [
      { type: 'rate', status: 's', code: 0, msg: '' },
      { type: 'fans', status: 'e', code: 2, msg: 'fan lost' },
      { type: 'temp', status: '', code: 0 },
      { type: 'network', status: 'w', code: 0 },
    ];
    expect(read({ summary: { SUMMARY: [{ status }] } }).errors).toEqual([
      { code: 'fans:2', message: 'fan lost', category: 'fan', severity: 'major' },
    ]);
    expect(read({ summary: { SUMMARY: [{ status: [] }] } }).errors).toEqual([]);
    const well = [
      { type: 'rate', status: 'running', code: 0, msg: 'running' },
      { type: 'rate', status: 'OK', code: '0x00' },
      { type: 'fans', status: 'success' },
      { type: 'temp', status: 'i', code: 4, msg: 'warming up' },
      { type: 'temp', status: 'e', code: 0, msg: '' },
      { type: 'temp', status: 'idle', code: 0 },
    ];
    expect(read({ summary: { SUMMARY: [{ status: well }] } }).errors).toEqual([]);
    const ill = [
      { type: 'temp', status: 'e', msg: 'too hot' },
      { type: 'rate', status: 'w', code: 3 },
      { type: 'fans', status: 'e', code: 0, msg: 'fan lost' },
    ];
    expect(read({ summary: { SUMMARY: [{ status: ill }] } }).errors?.map(({ code }) => code)).toEqual([
      'temp:0',
      'rate:3',
      'fans:0',
    ]);
    expect(read({ summary: {} })).not.toHaveProperty('errors');
  });

  test('the helper’s code comes from the table; an unknown one keeps itself', () => {
    const of = (warning: string) => read({ warning }).errors;
    expect(of('{"error_message":"None"}')).toEqual([]);
    expect(of('{"error_message":"J2:2"}')).toMatchObject([{ code: 'J2:2', category: 'hashboard', index: 2 }]);
    expect(of('{"error_message":"Q:9"}')).toEqual([{ code: 'Q:9', category: 'unknown' }]);
    expect(of('{"error_message":"R:1,P:1 R:1"}')).toMatchObject([{ code: 'R:1' }, { code: 'P:1' }]);
    expect(of('{"error_message":"fan lost"}')).toEqual([{ code: 'fan lost', category: 'unknown' }]);
    expect(of('{"error_message":""}')).toEqual([]);
    expect(of('error 6060 cmd')).toBeUndefined();
  });

  test('power is read from what is clearly power', () => {
    expect(read({ power: 'miner_power:3456' }).powerW).toBe(3_456);
    expect(read({ power: '<p style="width:12">' })).not.toHaveProperty('powerW');
    expect(read({ power: 'error 6060 cmd' })).not.toHaveProperty('powerW');
    expect(read({ stats: classic('Antminer S9', { chain_power: '1250 W' }) }).powerW).toBe(1_250);
    expect(read({ stats: classic('Antminer S9', { power: 0 }) })).not.toHaveProperty('powerW');
  });
});

describe('actions', () => {
  const link = (answer: () => unknown): MinerLink & { sent: MinerRequest[] } => {
    const sent: MinerRequest[] = [];
    return {
      ip: '10.0.0.1',
      sent,
      send: async (request) => {
        sent.push(request);
        return answer();
      },
    };
  };
  const fail = (code: PeerError['code'], wasSent?: boolean) => () => {
    throw new PeerError(code, 'reboot', 'later', undefined, { wasSent });
  };

  test('an empty answer to a reboot is a yes, a lost one is left to be seen, a refusal is a refusal', async () => {
    const reboot = driver.abilities.reboot;
    expect(
      await reboot?.act(
        link(() => ''),
        {},
        {},
      ),
    ).toEqual({ kind: 'accepted' });
    expect(await reboot?.act(link(fail('peer.reset', true)), {}, {})).toEqual({ kind: 'lost-reply' });
    expect(await reboot?.act(link(fail('peer.timeout', true)), {}, {})).toEqual({ kind: 'lost-reply' });
    await expect(reboot?.act(link(fail('peer.timeout', false)), {}, {})).rejects.toMatchObject({
      code: 'peer.timeout',
    });
    await expect(reboot?.act(link(fail('peer.auth')), {}, {})).rejects.toMatchObject({ code: 'peer.auth' });
  });

  test('the light is switched by the codes of the device', async () => {
    const light = driver.abilities.light;
    const on = link(() => ({ code: 'B000' }));
    expect(await light?.act(on, { on: true }, { generation: 'b' })).toEqual({ kind: 'accepted', note: 'B000' });
    expect(on.sent).toMatchObject([{ method: 'POST', path: '/cgi-bin/blink.cgi', json: { blink: 'true' } }]);
    await expect(light?.act(on, { on: false }, { generation: 'b' })).rejects.toMatchObject({ code: 'peer.rejected' });
  });
});
