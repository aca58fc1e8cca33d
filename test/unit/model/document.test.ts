// A reading as the document of the interface: names and units, nothing invented, nothing of a stranger let through.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DocumentFacts, toMinerDocument } from '../../../src/model/document.ts';
import type { Flag } from '../../../src/model/flags/flags.ts';
import { minerDocumentSchema, minerExtrasSchema } from '../../../src/model/miner.ts';
import type { Reading } from '../../../src/model/reading.ts';

const AT_MS = Date.UTC(2026, 2, 1, 12);
const READING: Reading = {
  mac: 'aa-bb-cc-dd-ee-0f',
  serialNumber: ' smtta1 ',
  controllerSerialNumber: 'CB1',
  hostname: 'rack7',
  make: 'Bitmain',
  model: 'S19 Pro',
  firmwareVersion: 'FR-1.12',
  hashrateHs: 100.25e12,
  hashrate24hHs: 99e12,
  powerW: 3_007.5,
  powerLimitW: 3_300,
  uptimeS: 1_234,
  systemUptimeS: 9_999,
  isMining: true,
  miningMode: 'low',
  miningModePreset: '90TH',
  isLightOn: false,
  tempC: 71,
  inletTempC: 22,
  outletTempC: 41,
  boards: [
    { slot: 2, chips: 112, hashrateHs: 30e12 },
    {
      slot: 0,
      serialNumber: 'B0',
      chips: 114,
      hashrateHs: 35e12,
      frequencyMhz: 675,
      boardTempsC: [60, 61],
      chipTempMaxC: 71,
      chipTempAvgC: 66,
      badChips: 0,
      expectedHashrateHs: 36e12,
    },
  ],
  totalChips: 999,
  fans: [
    { index: 1, rpm: 5_100 },
    { index: 0, dutyPercent: 80 },
  ],
  psus: [{ serialNumber: 'P1', tempC: 40 }, {}],
  pools: [
    { index: 1, url: 'stratum+tcp://b:pw@pool.example:1', user: 'w.2' },
    {
      index: 0,
      url: 'stratum+tcp://pool.example:1',
      user: 'w.1',
      difficultyAccepted: 5,
      difficultyRejected: 0,
      difficultyStale: 1,
    },
  ],
  errors: [
    { code: '203', category: 'psu', message: 'input low' },
    { code: 'TUNED', category: 'state' },
    { code: '9', category: 'unknown' },
  ],
  expected: { boards: 3, chipsPerBoard: 114, fans: 4, cooling: 'air', hashrateHs: 110e12 },
};

const FLAG: Flag = {
  type: 'fan',
  since: '2026-03-01T11:00:00.000Z',
  severity: 'major',
  value: 0,
  limit: 4,
  source: 'fans[1].rpm',
  message: 'fan 1 stands still',
};
const OFFLINE: Flag = { ...FLAG, type: 'network', source: 'contact' };

const facts = (change: Partial<DocumentFacts> = {}): DocumentFacts => ({
  isMining: true,
  reading: READING,
  ip: '10.0.0.7',
  driverId: 'antminer-stock',
  isLastCheckOk: true,
  unstableReason: null,
  flags: [],
  hashrate24hHs: undefined,
  lastReadingAtMs: AT_MS,
  ...change,
});
const documentOf = (change?: Partial<DocumentFacts>) => toMinerDocument(facts(change)).document;
const read = (reading: Reading) => documentOf({ reading });

describe('the document', () => {
  test('has every field under its name, in the units of the interface', () => {
    expect(documentOf()).toEqual({
      serial_number: 'smtta1',
      model: 'S19 Pro',
      ip: '10.0.0.7',
      mac: 'AA:BB:CC:DD:EE:0F',
      firmware_version: 'FR-1.12',
      is_mining: true,
      last_check_succeed: true,
      unstable_reason: null,
      mining_mode: 'low',
      mining_mode_preset: '90TH',
      hashrate: 100.25e12,
      hashrate_24h: 99e12,
      power: 3_007.5,
      temp: 71,
      temperature_inlet_avg: 22,
      temperature_outlet_avg: 41,
      efficiency: 30,
      uptime: 1_234,
      last_updated_at: '2026-03-01T12:00:00.000Z',
      errors: [
        { code: '203', message: 'input low' },
        { code: '9', message: null },
      ],
      hashboards: [
        { serial_number: 'B0', hashrate: 35e12, chips: 114, chip_frequency: 675 },
        { serial_number: null, hashrate: 30e12, chips: 112, chip_frequency: null },
      ],
      total_chips: 226,
      expected_chips: 342,
      anomaly_flags: 0,
      pools: [
        {
          url: 'stratum+tcp://pool.example:1',
          worker_id: 'w.1',
          difficulty_accepted: 5,
          difficulty_rejected: 0,
          difficulty_stale: 1,
        },
        {
          url: 'stratum+tcp://pool.example:1',
          worker_id: 'w.2',
          difficulty_accepted: null,
          difficulty_rejected: null,
          difficulty_stale: null,
        },
      ],
      psus: [
        { serial_number: 'P1', temperature: 40 },
        { serial_number: null, temperature: null },
      ],
    });
  });

  test('says of a factory login that it works, and else nothing', () => {
    const { extras } = toMinerDocument(facts({ isFactoryLogin: true }));
    expect(extras.default_password).toBe(true);
    expect(minerExtrasSchema.safeParse(extras).error).toBeUndefined();
    expect(toMinerDocument(facts({ isFactoryLogin: false })).extras).not.toHaveProperty('default_password');
  });

  test('hangs as long as its host answers and it does not, and keeps what its model mines by meanwhile', () => {
    const algorithmOf = (make: string | null) => (make === 'Bitmain' ? 'sha256' : null);
    const well = toMinerDocument(facts({ algorithmOf }));
    const hung = toMinerDocument(facts({ reading: undefined, previous: well, isLastCheckOk: false, isHung: true }));
    const silent = toMinerDocument(facts({ reading: undefined, previous: hung, isLastCheckOk: false, isHung: false }));
    expect([well, hung, silent].map(({ extras }) => [extras.hung, extras.algorithm])).toEqual([
      [undefined, 'sha256'],
      [true, 'sha256'],
      [undefined, 'sha256'],
    ]);
  });

  test('has the extras beside it, boards in the same order', () => {
    expect(toMinerDocument(facts({ flags: [FLAG] })).extras).toEqual({
      make: 'Bitmain',
      algorithm: null,
      firmware: 'antminer-stock',
      hostname: 'rack7',
      controller_serial_number: 'CB1',
      expected_hashrate: 110e12,
      power_limit: 3_300,
      cooling: 'air',
      light_on: false,
      fans: [
        { index: 0, rpm: null, duty_percent: 80 },
        { index: 1, rpm: 5_100, duty_percent: null },
      ],
      board_details: [
        {
          slot: 0,
          temperatures: [60, 61],
          chip_temperature_max: 71,
          chip_temperature_avg: 66,
          expected_chips: 114,
          bad_chips: 0,
          expected_hashrate: 36e12,
        },
        {
          slot: 2,
          temperatures: [],
          chip_temperature_max: null,
          chip_temperature_avg: null,
          expected_chips: 114,
          bad_chips: null,
          expected_hashrate: null,
        },
      ],
      flags: [FLAG],
    });
  });

  test('of a miner that says nothing invents nothing', () => {
    const { document, extras } = toMinerDocument(facts({ reading: {}, isMining: undefined }));
    expect(document).toMatchObject({
      mac: '',
      serial_number: null,
      model: null,
      hashrate: null,
      hashrate_24h: null,
      power: null,
      temp: null,
      efficiency: null,
      total_chips: null,
      expected_chips: null,
      is_mining: false,
      mining_mode: 'normal',
      uptime: 0,
      hashboards: [],
      pools: [],
      psus: [],
      errors: [],
    });
    expect(minerDocumentSchema.safeParse(document).error).toBeUndefined();
    expect(minerExtrasSchema.safeParse(extras).error).toBeUndefined();
  });
});

describe('single fields', () => {
  test('a miner that does not hash has no efficiency', () => {
    expect(read({ powerW: 50, hashrateHs: 0 }).efficiency).toBeNull();
    expect(read({ powerW: 50 }).efficiency).toBeNull();
    expect(read({ hashrateHs: 1e12 }).efficiency).toBeNull();
  });

  test('a sum of chips is only given when every board says', () => {
    expect(read({ boards: [{ slot: 0, chips: 100 }, { slot: 1 }] }).total_chips).toBeNull();
    expect(read({ boards: [{ slot: 0 }], totalChips: 88 }).total_chips).toBe(88);
    expect(read({ boards: [], totalChips: 88 }).total_chips).toBe(88);
  });

  test('the temperature is the hottest chip, else the hottest board', () => {
    expect(
      read({
        boards: [
          { slot: 0, chipTempMaxC: 70, boardTempsC: [90] },
          { slot: 1, chipTempAvgC: 75 },
        ],
      }).temp,
    ).toBe(75);
    expect(read({ boards: [{ slot: 0, boardTempsC: [60, 64] }, { slot: 1 }] }).temp).toBe(64);
  });

  test('inlet and outlet are the mean of the boards where the device gives no whole', () => {
    const document = read({
      boards: [
        { slot: 0, inletTempC: 20, outletTempC: 40 },
        { slot: 1, inletTempC: 24 },
      ],
    });
    expect([document.temperature_inlet_avg, document.temperature_outlet_avg]).toEqual([22, 40]);
  });

  test('mining is what was last proven, else what was last reported', () => {
    const previous = toMinerDocument(facts({ isMining: true }));
    expect(documentOf({ isMining: true }).is_mining).toBe(true);
    expect(documentOf({ isMining: false, previous }).is_mining).toBe(false);
    expect(documentOf({ reading: {}, isMining: undefined, previous }).is_mining).toBe(true);
    expect(documentOf({ reading: {}, isMining: undefined }).is_mining).toBe(false);
  });

  describe('the mode', () => {
    const modeOf = (change: Partial<DocumentFacts>) => {
      const { document, extras } = toMinerDocument(facts(change));
      return [document.mining_mode, extras.mining_mode_reported];
    };

    test('of a device that tells none is the text that is required, and said to be that', () => {
      expect(modeOf({ reading: {} })).toEqual(['normal', false]);
      expect(modeOf({ reading: { miningMode: 'normal' } })).toEqual(['normal', undefined]);
      const previous = toMinerDocument(facts({ reading: {} }));
      expect(modeOf({ reading: {}, previous })).toEqual(['normal', false]);
    });

    test('stands while an answer fails, but for a sleep that is over and for another firmware', () => {
      const previous = toMinerDocument(facts());
      expect(modeOf({ reading: {}, previous })).toEqual(['low', undefined]);
      expect(modeOf({ reading: {}, previous, driverId: 'vnish' })).toEqual(['normal', false]);
      const asleep = toMinerDocument(facts({ reading: { miningMode: 'sleep' } }));
      expect(modeOf({ reading: {}, previous: asleep, isMining: false })).toEqual(['sleep', undefined]);
      expect(modeOf({ reading: {}, previous: asleep, isMining: true })).toEqual(['normal', false]);
    });
  });

  test("the agent's own 24 h average stands in where the device has none", () => {
    expect(documentOf({ hashrate24hHs: 98e12 }).hashrate_24h).toBe(99e12);
    expect(documentOf({ reading: {}, hashrate24hHs: 98e12 }).hashrate_24h).toBe(98e12);
  });

  test.each([['00:00:00:00:00:00'], ['ff:ff:ff:ff:ff:ff'], ['n/a']])(
    'an invalid MAC is shown as none, even if an older one is known: %s',
    (mac) => {
      expect(documentOf({ reading: { mac }, known: { mac: 'AA:BB:CC:DD:EE:0F' } }).mac).toBe('');
    },
  );

  test('what this reading is silent about is taken from what is known of the miner', () => {
    const known = { mac: 'AA:BB:CC:DD:EE:0F', serialNumber: 'S1', make: 'Bitmain', model: 'S19', firmwareVersion: '1' };
    const { document, extras } = toMinerDocument(facts({ reading: { mac: ' ' }, known }));
    expect([document.mac, document.serial_number, document.model, document.firmware_version, extras.make]).toEqual([
      'AA:BB:CC:DD:EE:0F',
      'S1',
      'S19',
      '1',
      'Bitmain',
    ]);
  });

  test('flags become bits', () => {
    expect(documentOf({ flags: [FLAG, OFFLINE] }).anomaly_flags).toBe(17);
  });
});

describe('a failed poll', () => {
  const previous = toMinerDocument(facts());
  const failed = (flags: Flag[]) =>
    facts({
      reading: undefined,
      previous,
      isLastCheckOk: false,
      flags,
      unstableReason: 'mac_duplicate',
      ip: '10.0.0.8',
    });

  test('leaves the values of the last reading, and says that it failed', () => {
    const { document, extras } = toMinerDocument(failed([FLAG]));
    expect(document).toEqual({
      ...previous.document,
      ip: '10.0.0.8',
      last_check_succeed: false,
      unstable_reason: 'mac_duplicate',
      anomaly_flags: 1,
    });
    expect(extras).toEqual({ ...previous.extras, flags: [FLAG] });
  });

  test('of a miner that is known to be offline no longer claims that it mines', () => {
    expect(toMinerDocument(failed([])).document.is_mining).toBe(true);
    expect(toMinerDocument(failed([OFFLINE])).document.is_mining).toBe(false);
    expect(toMinerDocument(failed([{ ...OFFLINE, source: 'mac' }])).document.is_mining).toBe(true);
  });

  test('of a miner that was never read gives a whole document of unknowns', () => {
    const { document, extras } = toMinerDocument(
      facts({ reading: undefined, isMining: undefined, isLastCheckOk: false, lastReadingAtMs: undefined }),
    );
    expect(document).toMatchObject({
      last_updated_at: null,
      last_check_succeed: false,
      hashrate: null,
      is_mining: false,
    });
    expect(minerDocumentSchema.safeParse(document).error).toBeUndefined();
    expect(minerExtrasSchema.safeParse(extras).error).toBeUndefined();
  });
});

describe('hostile texts', () => {
  const nasty = fc.string({ unit: 'binary', maxLength: 2_000 });

  test('never reach the document unclean, and it always fits its schema', () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (a, b, c) => {
        const reading: Reading = {
          mac: a,
          serialNumber: b,
          model: c,
          make: a,
          hostname: b,
          firmwareVersion: c,
          controllerSerialNumber: a,
          miningModePreset: b,
          boards: [{ slot: 0, serialNumber: c }],
          psus: [{ serialNumber: a }],
          pools: [{ index: 0, url: b, user: c }],
          errors: [{ code: a, message: b, category: 'unknown' }],
        };
        const { document, extras } = toMinerDocument(facts({ reading }));
        expect(minerDocumentSchema.safeParse(document).error).toBeUndefined();
        expect(minerExtrasSchema.safeParse(extras).error).toBeUndefined();
        const texts = [document, extras].flatMap((part) => leaves(part)).filter((leaf) => typeof leaf === 'string');
        for (const text of texts) {
          expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
          expect(text.length).toBeLessThanOrEqual(512);
        }
      }),
    );
  });
});

function leaves(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value];
}

test('an error is told with the time at which the device says that it began', () => {
  const errors: Reading['errors'] = [
    { code: '218', message: 'low mains', category: 'psu', since: '2022-04-12 05:12:11' },
    { code: '110', category: 'fan', since: '2022-04-12 05:12:11' },
  ];
  const { document } = toMinerDocument(facts({ reading: { errors } }));
  expect(document.errors).toEqual([
    { code: '218', message: 'low mains, since 2022-04-12 05:12:11' },
    { code: '110', message: 'since 2022-04-12 05:12:11' },
  ]);
});
