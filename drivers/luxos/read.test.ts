// LuxOS where the recording does not reach: modes, lights, hydro, immersion, faults, and answers that are missing.
import { describe, expect, test } from 'vitest';
import { families } from '../index.ts';
import { luxos as driver } from './index.ts';

const read = (raw: Record<string, unknown>, known = {}) => driver.read(raw, known).reading;
const config = (row: Record<string, unknown>) => ({ config: { CONFIG: [row] } });
const stats = (row: Record<string, unknown>) => ({ stats: { STATS: [{ Elapsed: 5, rate_unit: 'GH', ...row }] } });
const summary = (ghs: number) => ({ summary: { SUMMARY: [{ 'GHS 5s': ghs }] } });

describe('identification', () => {
  const identifyBy = (parts: Parameters<typeof families.evidenceOf>[0]) => driver.identify(families.evidenceOf(parts));
  const version =
    '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","LUXminer":"2025.4.8-57","Miner":"2025.4.8","Type":"Antminer S19j XP"}]}';

  test('by TCP, with models that only the maker’s own table knows', () => {
    expect(identifyBy({ version })).toEqual({
      confidence: 'sure',
      make: 'Antminer',
      model: 'S19j XP',
      firmwareVersion: '2025.4.8',
    });
  });
  test('by the web page, and not behind the words of others', () => {
    expect(identifyBy({ web: { status: 200, body: '<title>Luxor Firmware</title>' } })).toMatchObject({
      make: 'Antminer',
    });
    expect(
      identifyBy({ version: '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","Type":"Antminer S19"}]}' }),
    ).toBeUndefined();
  });
  test('the name from identification serves while no answer has one', () => {
    expect(read(summary(1), { model: 'S19k Pro' })).toMatchObject({ model: 'S19k Pro', expected: { boards: 3 } });
    expect(read(config({ Model: 'Antminer S99' }))).toMatchObject({ model: 'Antminer S99' });
  });
});

describe('mode', () => {
  test.each([
    [{ CurtailMode: 'None', Profile: 'default' }, 'normal', 'default'],
    [{ CurtailMode: 'Sleep', Profile: 'default' }, 'sleep', 'default'],
    [{ CurtailMode: 'None', Profile: '290MHz' }, undefined, '290MHz'],
    [{}, undefined, undefined],
  ])('%j', (row, mode, preset) => {
    const { miningMode, miningModePreset } = read(config(row));
    expect([miningMode, miningModePreset]).toEqual([mode, preset]);
  });
  test('asleep is not mining, whatever the rate still says', () => {
    expect(read({ ...config({ CurtailMode: 'Sleep' }), ...summary(90_000) }).isMining).toBe(false);
    expect(read({ ...config({ CurtailMode: 'None' }), ...summary(90_000) }).isMining).toBe(true);
    expect(read({ ...config({ CurtailMode: 'None' }), ...summary(0) }).isMining).toBe(false);
    expect(read(config({ CurtailMode: 'None' }))).not.toHaveProperty('isMining');
  });
});

test.each([
  ['blink', 'auto', true],
  ['on', 'auto', true],
  ['auto', 'blink', true],
  ['auto', 'on', false],
  ['off', undefined, false],
  [undefined, undefined, undefined],
])('red %s and green %s is light %s', (RedLed, GreenLed, isOn) =>
  expect(read(config({ RedLed, GreenLed })).isLightOn).toBe(isOn),
);

describe('expected', () => {
  const expected = (row: object, raw: Record<string, unknown> = {}) =>
    read({ ...config({ Model: 'Antminer S19k Pro', ...row }), ...raw }).expected?.hashrateHs;

  test('the firmware’s own figure first', () => {
    expect(expected({ Profile: '290MHz', NameplateTHS: 121.8 }, stats({ total_rateideal: 61_954.2 }))).toBe(61_954.2e9);
  });
  test('the nameplate, else the table, in the default profile only', () => {
    expect(expected({ Profile: 'default', NameplateTHS: 121.8 })).toBeCloseTo(121.8e12, -3);
    expect(expected({ Profile: 'default', NameplateTHS: 0 })).toBe(120e12);
    expect(expected({ Profile: '290MHz', NameplateTHS: 121.8 })).toBeUndefined();
  });
  test('an air machine in a tank has no fans', () => {
    const { expected: tank, fans } = read({
      ...config({ Model: 'Antminer S19k Pro', ImmersionMode: true }),
      ...stats({ fan_num: 4, fan1: 0, fan2: 0, fan3: 0, fan4: 0 }),
    });
    expect({ tank, fans }).toMatchObject({ tank: { fans: 0, cooling: 'liquid' }, fans: [] });
  });
});

describe('boards', () => {
  test('one that is switched off or dead is not alive', () => {
    const row = { Status: 'Alive', Enabled: 'Y' };
    const { boards } = read({
      devs: {
        DEVS: [
          { ID: 2, ...row, IsUserShutdown: true },
          { ID: 0, ...row },
          { ID: 1, ...row, Status: 'Dead' },
        ],
      },
    });
    expect(boards?.map(({ slot, isAlive }) => [slot, isAlive])).toEqual([
      [0, true],
      [1, false],
      [2, false],
    ]);
  });
  test('without devs they have chips and no rate', () => {
    const { boards } = read(stats({ chain_acn1: 77, chain_acn2: 0, chain_acn3: 76, freq1: 300, chain_rate1: '18910' }));
    expect(boards).toEqual([
      { slot: 0, chips: 77, frequencyMhz: 300 },
      { slot: 2, chips: 76 },
    ]);
  });
  test('water sensors are inlet and outlet, and not on the board', () => {
    const label = (Label: string) => ({ Label });
    const { boards, tempC } = read({
      devs: { DEVS: [{ ID: 0 }] },
      temps: {
        TEMPS: [{ ID: 0, TopLeft: 62, TopRight: 60, BottomLeft: 44, BottomRight: 36 }],
        METADATA: [
          {
            TopLeft: label('Board (top)'),
            TopRight: label('Board (bottom)'),
            BottomLeft: label('Water Outlet'),
            BottomRight: label('Water Inlet'),
          },
        ],
      },
    });
    expect(boards).toEqual([{ slot: 0, boardTempsC: [62, 60], inletTempC: 36, outletTempC: 44 }]);
    expect(tempC).toBe(62);
  });
  test('beside water the inlet of the board is on the board; sensors go by any name', () => {
    const label = (Label: string) => ({ Label });
    const { boards, inletTempC, outletTempC } = read({
      devs: { DEVS: [{ ID: 0 }] },
      temps: {
        TEMPS: [{ ID: 0, TEMP: 0, TopLeft: 54, TopRight: 45, BottomLeft: 57, BottomRight: 39, Sensor5: 51 }],
        METADATA: [
          {
            TopLeft: label('Board Inlet'),
            TopRight: label('Water Outlet'),
            BottomLeft: label('Board Outlet'),
            BottomRight: label('Water Inlet'),
            Sensor5: label('Board Middle'),
          },
        ],
      },
    });
    expect(boards).toEqual([{ slot: 0, boardTempsC: [54, 57, 51], inletTempC: 39, outletTempC: 45 }]);
    expect([inletTempC, outletTempC]).toEqual([39, 45]);
  });
  test('an S9 has a sensor on a chip, which devs repeats', () => {
    const { boards, tempC } = read({
      devs: { DEVS: [{ ID: 0, Temperature: 79 }] },
      temps: { TEMPS: [{ ID: 0, TEMP: 0, Board: 60, Chip: 79 }] },
    });
    expect(boards).toEqual([{ slot: 0, boardTempsC: [60], chipTempMaxC: 79 }]);
    expect(tempC).toBe(79);
  });
  test('a corner that reads 0 has no sensor; devs has the hottest, wherever it is', () => {
    const { boards, tempC } = read({
      devs: { DEVS: [{ ID: 0, Temperature: 47 }] },
      temps: { TEMPS: [{ ID: 0, TopLeft: 0, TopRight: 0, BottomLeft: 0, BottomRight: 0 }] },
    });
    expect(boards).toEqual([{ slot: 0 }]);
    expect(tempC).toBe(47);
  });
});

describe('fans', () => {
  const fans = { FANS: [1, 0].map((ID) => ({ ID, RPM: 2_000 + ID, Speed: 40 + ID })) };

  test('speeds of stats, duty of fans by id', () => {
    expect(read({ ...stats({ fan_num: 2, fan1: 3_000, fan2: 3_100 }), fans }).fans).toEqual([
      { index: 0, rpm: 3_000, dutyPercent: 40 },
      { index: 1, rpm: 3_100, dutyPercent: 41 },
    ]);
  });
  test('fans alone will do', () => {
    expect(read({ fans }).fans).toEqual([
      { index: 0, rpm: 2_000, dutyPercent: 40 },
      { index: 1, rpm: 2_001, dutyPercent: 41 },
    ]);
    expect(read({})).not.toHaveProperty('fans');
  });
});

test('power: nothing is not 0 W, and the limit is that of the profile that is set', () => {
  expect(read({ power: { POWER: [{ Watts: 0 }] } })).not.toHaveProperty('powerW');
  const profiles = { PROFILES: [{ 'Profile Name': '290MHz', Watts: 1_188 }] };
  expect(read({ profiles, ...config({ Profile: '290MHz' }) }).powerLimitW).toBe(1_188);
  expect(read({ profiles, ...config({ Profile: 'default' }) })).not.toHaveProperty('powerLimitW');
  expect(read({ profiles })).not.toHaveProperty('powerLimitW');
});

describe('events', () => {
  const errors = (row: object) => read({ events: { EVENTS: [row] } }).errors;

  test('that are known have their category', () => {
    expect(errors({ Code: 'MINER_TUNING', Target: 'MINER' })).toEqual([
      { code: 'MINER_TUNING', category: 'state', severity: 'info', message: '[MINER] Tuning in progress' },
    ]);
  });
  test('that nobody knows keep their code; some words are severe', () => {
    expect(errors({ Code: 'FAN_FAILURE', Description: 'Fan stopped.', Target: 'FAN', ID: 2 })).toEqual([
      { code: 'FAN_FAILURE', category: 'unknown', severity: 'major', message: '[FAN 2] Fan stopped.', index: 2 },
    ]);
    expect(errors({ Code: 'KERNEL_PANIC' })).toEqual([
      { code: 'KERNEL_PANIC', category: 'unknown', severity: 'major' },
    ]);
    expect(errors({ Code: 'constructor' })).toEqual([{ code: 'constructor', category: 'unknown', severity: 'minor' }]);
  });
  test('without a code are none; none is an empty list; not asked is nothing', () => {
    expect(errors({ Description: 'x' })).toEqual([]);
    expect(read({ events: { EVENTS: [] } }).errors).toEqual([]);
    expect(read({})).not.toHaveProperty('errors');
  });
});

test('a board is dead by a word for it or because it is off, not by a word that says neither', () => {
  const alive = (row: object) => driver.read({ devs: { DEVS: [{ ID: 0, ...row }] } }, {}).reading.boards?.[0]?.isAlive;
  expect(alive({ Status: 'Alive', Enabled: 'Y' })).toBe(true);
  expect(alive({ Status: 'Alive', IsUserShutdown: true })).toBe(false);
  expect(alive({ Status: 'Dead' })).toBe(false);
  expect(alive({ Status: 'Starting' })).toBeUndefined();
  expect(alive({ Enabled: 'N' })).toBe(false);
});
