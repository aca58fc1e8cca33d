// Recorded answers of real devices: every value that somebody asserted or read by hand is read right or is listed as
// not read, with a reason. And with any one answer missing or damaged the other fields stay, nothing throws and nothing
// becomes 0.
import { describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { DRIVER_NAMES } from '../../fixtures/farm/mix.ts';
import type { Driver, EvidenceLevel } from '../../src/driver/contract.ts';
import { type Reading, readingSchema } from '../../src/model/reading.ts';
import {
  asLinkWould,
  bytesByAsk,
  cases,
  hasRecordings,
  mustHaveRecordings,
  type Recording,
  rawOf,
  recordings,
} from './answers.ts';
import { numbersOf } from './mutate.ts';
import { KNOWN, sets } from './recorded-sets.ts';
import {
  BOARD_PLACES,
  isElsewhere,
  lostPlaces,
  PLACES,
  POOL_PLACES,
  PSU_PLACES,
  TOLERANCE,
} from './recorded-values.ts';

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
    const real = new Set(sets.filter(({ recording }) => recording.isSimulated !== true).map(({ driver }) => driver.id));
    expect(claiming('recording').filter((id) => !real.has(id))).toEqual([]);
  });

  test('`simulated`: a device in the simulated farm', () => {
    expect(claiming('simulated').filter((id) => !DRIVER_NAMES.includes(id))).toEqual([]);
  });
});

describe('recordings', () => {
  test.skipIf(!hasRecordings)('what is compared elsewhere is compared there', () => expect(lostPlaces()).toEqual([]));

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
      // What the source's own test asserts and what was read by hand may differ: the latter is then the newer
      // judgement.
      compare(recording, whole, { ...recording.expect, ...recording.reading });
    });

    test('an answer that came often is read as the first time', () => {
      // By then the check of the answers is compiled.
      for (let times = 0; times < 40; times++) driver.read(rawOf(driver, bytes), known);
      expect(read(rawOf(driver, bytes))).toEqual(whole);
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

/**
 * Texts and numbers of a reading. Lists grow with what is known: their items may move, so they are left out. The clock
 * goes with its answer.
 */
function leaves(reading: Reading): [string, unknown][] {
  return Object.entries(reading).filter(([field, value]) => typeof value !== 'object' && field !== 'deviceTimeS');
}

const zeroCount = (reading: Reading) =>
  numbersOf(reading).filter(([path, value]) => value === 0 && !/\.(slot|index)$/.test(path)).length;

function compare(recording: Recording, reading: Reading, wanted: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(wanted)) {
    if (isElsewhere(recording.id, key)) continue;
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
    if (isElsewhere(id, `${list}.${field}`)) continue;
    same(id, `${list}.${field}`, found(field), value);
  }
}

function placeOf<T>(
  places: Readonly<Record<string, (from: T) => unknown>>,
  list: string,
  field: string,
): (from: T) => unknown {
  const place = places[field];
  if (place === undefined)
    throw new Error(`no place for ${list}.${field}: read it, or say in not-reported.data.ts why not`);
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
