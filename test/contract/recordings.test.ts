// Recorded answers of real devices: every value that somebody asserted or read by hand is read right or is listed as not read, with a reason.
// And with any one answer missing or damaged the other fields stay, nothing throws and nothing becomes 0.
import { describe, expect, test } from 'vitest';
import { readStats, statsReply } from '../../drivers/_families/bitmain.ts';
import { drivers } from '../../drivers/index.ts';
import { DRIVER_NAMES } from '../../fixtures/farm/families/index.ts';
import type { Driver, EvidenceLevel, Known } from '../../src/driver/contract.ts';
import { type Reading, readingSchema } from '../../src/model/reading.ts';
import { repairJson } from '../../src/transport/json-repair.ts';
import {
  asLinkWould,
  bytesByAsk,
  bytesOf,
  cases,
  hasRecordings,
  mustHaveRecordings,
  type Recording,
  rawOf,
  recordings,
} from './answers.ts';
import { numbersOf } from './mutate.ts';
import { BOARD_PLACES, NOT_READ, PLACES, POOL_PLACES, PSU_PLACES, TOLERANCE } from './recorded-values.ts';

/** Firmware of the index → driver id, and what identification would know. */
const DRIVER_OF: Readonly<Record<string, string>> = {
  'antminer-stock': 'antminer-stock',
  'auradine-fluxos': 'auradine-fluxos',
  'avalon-stock': 'avalon',
  'elphapex-stock': 'elphapex',
  'epic-umcos': 'epic-umcos',
  'hammer-stock': 'hammer',
  'proto-os': 'proto',
  axeos: 'axeos',
  'braiins-os': 'braiins-os',
  luxos: 'luxos',
  'volcminer-stock': 'volcminer',
  'whatsminer-stock': 'whatsminer',
};
const KNOWN: Readonly<Record<string, Known>> = {
  'avalon--a1246-21072802': { generation: 'a' },
  'avalon--q-25052801': { generation: 'home' },
  'whatsminer-api1--m20s-20210322': { generation: 'api1', model: 'M20S V10' },
  'whatsminer-api3--m60s-20251209': { generation: 'api3', model: 'M60S VK40' },
  'whatsminer-api3--error-code-shapes': { generation: 'api3' },
};
const sets = [...recordings, ...cases].flatMap((recording) => {
  const driver = drivers.find(({ id }) => id === (DRIVER_OF[recording.firmware] ?? recording.firmware));
  return driver === undefined ? [] : [{ id: recording.id, recording, driver }];
});

test('the recordings are there wherever they are required', () => {
  expect(hasRecordings || !mustHaveRecordings).toBe(true);
});

test('each case of our own names a driver and says what is to be read', () => {
  expect(cases.length).toBeGreaterThan(0);
  const lame = cases.filter(
    ({ id, expect: wanted }) => !sets.some((set) => set.id === id) || Object.keys(wanted).length < 3,
  );
  expect(lame.map(({ id }) => id)).toEqual([]);
});

describe('a row of evidence has its proof', () => {
  const claiming = (level: EvidenceLevel) =>
    drivers.filter(({ covers }) => covers.some(({ evidence }) => evidence === level)).map(({ id }) => id);

  test.skipIf(!hasRecordings)('`recording`: answers of a real device that are read here', () => {
    const real = new Set(sets.filter(({ recording }) => recordings.includes(recording)).map(({ driver }) => driver.id));
    expect(claiming('recording').filter((id) => !real.has(id))).toEqual([]);
  });

  test('`simulated`: a device in the simulated farm', () => {
    expect(claiming('simulated').filter((id) => !DRIVER_NAMES.includes(id))).toEqual([]);
  });
});

describe('recordings', () => {
  test.skipIf(!hasRecordings)('of each driver that there is are used', () => {
    expect(sets.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['antminer-stock--s19pro-s21-2022', 'avalon--a1246-21072802', 'avalon--q-25052801']),
    );
    const ofWhatsminer = sets.filter(
      ({ driver, recording }) => driver.id === 'whatsminer' && recordings.includes(recording),
    );
    expect(ofWhatsminer).toHaveLength(3);
  });

  describe.each(sets)('$id', ({ recording, driver }) => {
    const known = KNOWN[recording.id] ?? recording.known ?? {};
    const bytes = bytesByAsk(driver, recording, known);
    const read = (raw: Readonly<Record<string, unknown>>) => {
      const { reading } = driver.read(raw, known);
      expect(readingSchema.safeParse(reading).error?.issues ?? []).toEqual([]);
      return reading;
    };
    const whole = read(rawOf(driver, bytes));

    test('every value is read right, or listed as not read', () => {
      // What the source's own test asserts and what was read by hand may differ: the latter is then the newer judgement.
      compare(recording, whole, { ...recording.expect, ...recording.reading });
    });

    test.each(recording.variants ?? [])('variant $id', ({ replace, expect: wanted }) => {
      const names = Object.fromEntries(Object.entries(replace).map(([from, to]) => [from, to]));
      const reading = read(rawOf(driver, bytesByAsk(driver, recording, known, names)));
      const errors: unknown = wanted.errors;
      if (!Array.isArray(errors)) throw new Error('the variant has nothing that this test knows how to compare');
      expect(reading.errors?.map(({ code, index }) => ({ code, index }))).toEqual(
        errors.map(({ code, index }) => ({ code: String(code), index })),
      );
    });

    describe.each(Object.keys(bytes))('with a bad answer to %s', (bad) => {
      const others = Object.fromEntries(Object.entries(bytes).filter(([name]) => name !== bad));
      const withoutIt = read(rawOf(driver, others));

      test.each(Object.entries(damages(driver, bad, bytes[bad])))('%s', (_, answer) => {
        const raw = rawOf(driver, others);
        const damaged = read(answer === undefined ? raw : { ...raw, [bad]: answer });
        // The other answers still tell what they tell, unless a better source was saved.
        for (const [field, value] of leaves(withoutIt)) {
          const may = [value, Reflect.get(whole, field)];
          expect(may, `${field} was lost or changed`).toContainEqual(Reflect.get(damaged, field));
        }
        const zerosBefore = zeroCount(whole);
        expect(zeroCount(damaged)).toBeLessThanOrEqual(zerosBefore);
      });
    });
  });
});

/** The ways in which an answer goes bad, as the link hands them over: nothing at all, or what could be saved. */
function damages(driver: Driver, name: string, bytes: Buffer | undefined): Record<string, unknown> {
  const ask = driver.asks[name];
  if (ask === undefined || bytes === undefined) return {};
  const cut = (share: number) => asLinkWould(ask, bytes.subarray(0, Math.floor(bytes.length * share)));
  return {
    'missing, or the connection was reset': undefined,
    empty: asLinkWould(ask, Buffer.alloc(0)),
    'an HTML page': asLinkWould(ask, Buffer.from('<html><body>404 Not Found</body></html>')),
    'an HTML page that reached the driver': '<html><body>404 Not Found</body></html>',
    'an empty object': {},
    'cut at a quarter': cut(0.25),
    'cut in the middle': cut(0.5),
    'cut near the end': cut(0.9),
    refused: { STATUS: [{ STATUS: 'E', Code: 45, Msg: 'Access denied' }] },
  };
}

/** Texts and numbers of a reading. Lists grow with what is known: their items may move, so they are left out. The clock goes with its answer. */
function leaves(reading: Reading): [string, unknown][] {
  return Object.entries(reading).filter(([field, value]) => typeof value !== 'object' && field !== 'deviceTimeS');
}

const zeroCount = (reading: Reading) =>
  numbersOf(reading).filter(([path, value]) => value === 0 && !/\.(slot|index)$/.test(path)).length;

function compare(recording: Recording, reading: Reading, wanted: Readonly<Record<string, unknown>>): void {
  const notRead = NOT_READ[recording.id] ?? {};
  for (const [key, value] of Object.entries(wanted)) {
    if (key in notRead) continue;
    if (key === 'boards') {
      for (const [place, item] of listOf(value).entries()) {
        const { slot, chips, active } = Object(item);
        const board =
          slot === undefined ? reading.boards?.[place] : reading.boards?.find((entry) => entry.slot === slot);
        if (active === false && chips === 0) {
          // An empty slot is no board, and one that is switched off says so.
          expect(board?.isAlive ?? false, `${recording.id} board in slot ${slot}`).toBe(false);
          continue;
        }
        compareItem(recording.id, key, item, (field) => board && placeOf(BOARD_PLACES, key, field)(board));
      }
    } else if (key === 'pools') {
      for (const [place, item] of listOf(value).entries()) {
        const pool = reading.pools?.[place];
        compareItem(recording.id, key, item, (field) => pool && placeOf(POOL_PLACES, key, field)(pool));
      }
    } else if (key === 'psu') {
      const psu = reading.psus?.[0];
      compareItem(recording.id, key, value, (field) => psu && placeOf(PSU_PLACES, key, field)(psu));
    } else same(recording.id, key, placeOf(PLACES, '', key)(reading), value);
  }
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('the index has no list here');
  return value;
}

function compareItem(id: string, list: string, item: unknown, found: (field: string) => unknown): void {
  for (const [field, value] of Object.entries(Object(item))) {
    if (`${list}.${field}` in (NOT_READ[id] ?? {})) continue;
    same(id, `${list}.${field}`, found(field), value);
  }
}

function placeOf<T>(
  places: Readonly<Record<string, (from: T) => unknown>>,
  list: string,
  field: string,
): (from: T) => unknown {
  const place = places[field];
  if (place === undefined) throw new Error(`no place for ${list}.${field}: read it, or say in NOT_READ why not`);
  return place;
}

function same(id: string, key: string, found: unknown, wanted: unknown): void {
  const where = `${id} ${key}`;
  if (wanted === null) expect(found, where).toBeUndefined();
  else if (Array.isArray(wanted)) {
    expect(Array.isArray(found) ? found.length : found, where).toBe(wanted.length);
    for (const [place, value] of wanted.entries())
      same(id, key, Array.isArray(found) ? found[place] : undefined, value);
  } else if (typeof wanted === 'number') {
    const { relative = 1e-12 } = TOLERANCE[`${id}.${key}`] ?? {};
    expect(typeof found, `${where}: ${String(found)}`).toBe('number');
    expect(Math.abs(Number(found) - wanted), `${where}: ${String(found)} is not ${wanted}`).toBeLessThanOrEqual(
      Math.abs(wanted) * relative,
    );
  } else expect(found, where).toBe(wanted);
}

test.skipIf(!hasRecordings)('Antminer: the hottest chip of each recorded board', () => {
  const set = sets.find(({ driver }) => driver.id === 'antminer-stock');
  if (set === undefined) throw new Error('no recording');
  const { reading } = set.driver.read(rawOf(set.driver, bytesByAsk(set.driver, set.recording)), {});
  expect(reading.boards?.map((board) => board.chipTempMaxC)).toEqual([78, 71, 69]);
  // The PIC sensors of this unit show the intake hotter than the exhaust: another layout than the one we know, so nothing is told.
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
    const set = sets.find(({ driver }) => driver.id === 'luxos');
    if (set === undefined) throw new Error('no recording');
    const { reading } = set.driver.read(rawOf(set.driver, bytesByAsk(set.driver, set.recording)), {});
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

test.skipIf(!hasRecordings)('Elphapex: chip sensors in thousandths, kHz, its own clock; no board sensors', () => {
  const set = sets.find(({ driver }) => driver.id === 'elphapex');
  if (set === undefined) throw new Error('no recording');
  const { reading } = set.driver.read(rawOf(set.driver, bytesByAsk(set.driver, set.recording)), {});
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
  expect(reading.boards?.[0]).toMatchObject({ slot: 3, chipTempMaxC: 25.687, frequencyMhz: 89, badChips: 0 });
  expect(reading.boards?.[0]?.chipTempAvgC).toBeCloseTo(25.5465, 9);
  expect(reading.boards?.[0]).not.toHaveProperty('boardTempsC');
});

test.skipIf(!hasRecordings)('Hammer: the last of the repeated keys is a chip; the light answers with a code', () => {
  const set = sets.find(({ driver }) => driver.id === 'hammer');
  if (set === undefined) throw new Error('no recording');
  const { reading } = set.driver.read(rawOf(set.driver, bytesByAsk(set.driver, set.recording)), {});
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
  const stats = readStats(statsReply.parse(answer));
  expect([stats?.fanSlots, stats?.boards.map(({ slot, reading }) => [slot, reading.chips])]).toEqual([
    [5_610],
    [[0, 105]],
  ]);
});

test.skipIf(!hasRecordings)('VolcMiner: MH/s whatever the key says, fans that turn, its host name as its type', () => {
  const set = sets.find(({ driver }) => driver.id === 'volcminer');
  if (set === undefined) throw new Error('no recording');
  const { reading } = set.driver.read(rawOf(set.driver, bytesByAsk(set.driver, set.recording)), {});
  expect(reading).toMatchObject({ make: 'VolcMiner', model: 'D1', controlBoard: 'Xilinx', tempC: 57 });
  expect(reading.boards).toMatchObject([{ slot: 0, chips: 120, frequencyMhz: 2_000, boardTempsC: [55, 57] }]);
  expect(reading.expected).toMatchObject({ fans: 4, boards: 3 });
});

function readingOf(id: string): Reading {
  const set = sets.find((entry) => entry.id === id);
  if (set === undefined) throw new Error('no recording');
  return set.driver.read(rawOf(set.driver, bytesByAsk(set.driver, set.recording)), {}).reading;
}

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
    expect(reading.expected).toMatchObject({ chipsPerBoard: 120, boards: 4, fans: 4 });
  });
});
