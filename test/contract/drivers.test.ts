// What every driver owes the core, checked for all of them at once: tidy tables, and a `read` that no answer can upset.
import { describe, expect, test } from 'vitest';
import { blueprint } from '../../drivers/_blueprint/driver.ts';
import { drivers } from '../../drivers/index.ts';
import { systemClock } from '../../src/base/clock.ts';
import { PeerError } from '../../src/base/errors.ts';
import { ABILITY_NAMES, type Driver, type Evidence, type ReadResult } from '../../src/driver/contract.ts';
import { FAMILY_IDS } from '../../src/driver/families.data.ts';
import { createVisitMemory, visit } from '../../src/driver/visit.ts';
import { readingSchema } from '../../src/model/reading.ts';
import { EFFECTS } from '../../src/model/task.ts';
import type { MinerLink } from '../../src/transport/request.ts';
import { asLinkWould } from './answers.ts';
import { mutate, numbersOf, type Random, seeded } from './mutate.ts';
import { type Sample, samplesOf } from './samples.ts';

const all: readonly Driver[] = [...drivers, blueprint];
const MUTATIONS = 1_000;

/** `read` must not throw and its reading must be a Reading. */
function readStrictly(driver: Driver, raw: Readonly<Record<string, unknown>>, known = {}): ReadResult {
  const result = driver.read(raw, known);
  const checked = readingSchema.safeParse(result.reading);
  if (!checked.success)
    throw new Error(`${JSON.stringify(checked.error.issues.slice(0, 3))} from ${JSON.stringify(raw).slice(0, 2_000)}`);
  return result;
}

test('the registry is sorted, ids are unique and kebab-case, and the blueprint is not in it', () => {
  const ids = drivers.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].toSorted());
  expect(ids).not.toContain(blueprint.id);
  for (const id of [...ids, blueprint.id]) expect(id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
});

test('no two drivers cover the same thing', () => {
  const rows = all.flatMap(({ id, covers }) =>
    covers.map(({ models, firmware }) => ({ id, row: `${models} | ${firmware}` })),
  );
  expect(new Set(rows.map(({ row }) => row)).size).toBe(rows.length);
});

test('no family is claimed for sure by two drivers', () => {
  for (const family of FAMILY_IDS) {
    const evidence: Evidence = { family, version: '{"STATUS":[{"STATUS":"S"}],"VERSION":[{}]}' };
    const sure = drivers.filter((driver) => driver.identify(evidence)?.confidence === 'sure');
    expect(sure.length).toBeLessThanOrEqual(1);
  }
});

describe.each(all.map((driver) => [driver.id, driver] as const))('%s', (_, driver) => {
  test('has rows that say what it covers', () => {
    expect(driver.covers.length).toBeGreaterThan(0);
    expect(driver.make).not.toBe('');
  });

  test('reads exactly what it asks', () => {
    const strange = Object.fromEntries(
      [...Object.keys(driver.asks), 'noSuchAsk'].map((name) => [name, Symbol.iterator]),
    );
    const { unparsable } = driver.read(strange, {});
    expect(new Set(unparsable)).toEqual(new Set([...Object.keys(driver.asks), 'noSuchAsk']));
  });

  test('has substitutes only for asks that exist, of the same generations', () => {
    for (const ask of Object.values(driver.asks)) {
      if (ask.insteadOf === undefined) continue;
      const first = driver.asks[ask.insteadOf];
      expect(first).toBeDefined();
      expect(first?.generations).toEqual(ask.generations);
      expect(ask.every).toBe(first?.every);
    }
  });

  test('leaves asks alone only for the sake of an ask that exists and is sent at each poll', () => {
    for (const { goesWith } of Object.values(driver.asks)) {
      if (goesWith !== undefined) expect(driver.asks[goesWith]?.every).toBe('poll');
    }
  });

  test('asks something at each poll, whatever the generation', () => {
    const generations = new Set(Object.values(driver.asks).flatMap((ask) => ask.generations ?? []));
    for (const generation of generations.size > 0 ? generations : ['any']) {
      const polled = Object.values(driver.asks).filter(
        (ask) => ask.every === 'poll' && !ask.insteadOf && (ask.generations?.includes(generation) ?? true),
      );
      expect(polled.length).toBeGreaterThan(0);
      expect(polled.length).toBeLessThanOrEqual(5);
    }
  });

  test('has abilities with an effect, a schema and a time off the network', () => {
    for (const [name, ability] of Object.entries(driver.abilities)) {
      expect(ABILITY_NAMES).toContain(name);
      expect(EFFECTS).toContain(ability.effect);
      expect(ability.params.safeParse(undefined).success).toBe(false);
      const [shortest, longest] = ability.offlineS;
      expect(shortest).toBeGreaterThanOrEqual(0);
      expect(longest).toBeGreaterThanOrEqual(shortest);
      if (name === 'reboot') expect([ability.effect, longest > 0]).toEqual(['once', true]);
    }
  });

  test('says nothing of a device that says nothing', () => {
    const { reading, unparsable } = readStrictly(driver, {});
    expect(unparsable).toEqual([]);
    expect(numbersOf({ ...reading, expected: {} })).toEqual([]);
    for (const field of ['isMining', 'boards', 'fans', 'pools', 'errors', 'mac', 'serialNumber'] as const)
      expect(reading).not.toHaveProperty(field);
  });

  const NOTHING = [null, '', '<html>404</html>', 0, [], {}, [[]], 'Socket connect failed: Connection refused\n'];
  test.each(NOTHING.map((answer) => [answer] as const))('says nothing when every answer is %j', (answer) => {
    const raw = Object.fromEntries(Object.keys(driver.asks).map((name) => [name, answer]));
    const { reading } = readStrictly(driver, raw);
    expect(numbersOf({ ...reading, expected: {} })).toEqual([]);
  });

  test('identifies nothing from nothing, and no evidence upsets it', () => {
    expect(driver.identify({ family: undefined })).toBeUndefined();
    const random = seeded(7);
    for (const family of [undefined, ...FAMILY_IDS]) {
      for (const text of ['', '{', 'null', '"', '{"VERSION":[{"Type":7}]}', '\u0000', '"'.repeat(9_999)]) {
        const web = { status: 200, body: text, authenticate: text, location: text };
        const whatsminer3 = mutate({ code: 0, msg: { miner: { type: 'M60S' } } }, random);
        expect(() => driver.identify({ family, version: text, devdetails: text, web, whatsminer3 })).not.toThrow();
      }
    }
  });

  test('has answers to be tested with', () => expect(samplesOf(driver).length).toBeGreaterThan(0));

  test(`stands ${MUTATIONS} damaged answers`, () => {
    const samples = samplesOf(driver);
    const random = seeded(20_260_102);
    let slowestMs = 0;
    let largest = 0;
    for (let round = 0; round < MUTATIONS; round++) {
      const sample = samples[round % samples.length];
      if (sample === undefined) throw new Error('no sample');
      const raw = mutate(sample.raw, random);
      const startMs = performance.now();
      const { reading } = readStrictly(driver, raw, sample.known);
      largest = Math.max(largest, JSON.stringify(reading).length);
      slowestMs = Math.max(slowestMs, performance.now() - startMs);
    }
    // Generous, because the machine is shared: it is there to catch what grows faster than its input.
    expect(slowestMs).toBeLessThan(1_000);
    // What a reading may keep of a hostile answer.
    expect(largest).toBeLessThan(256 * 1024);
  });

  test(`stands ${MUTATIONS} damaged bytes of answers: a reading or a declared failure, never anything else`, async () => {
    const samples = samplesOf(driver);
    const random = seeded(20_260_103);
    const outcomes = new Map<string, number>();
    for (let round = 0; round < MUTATIONS; round++) {
      const sample = samples[round % samples.length];
      if (sample === undefined) throw new Error('no sample');
      const outcome = await visitDamaged(driver, sample, random);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    const declared: readonly string[] = ['reading', ...LOST, 'peer.unparsable'];
    expect([...outcomes.keys()].filter((outcome) => !declared.includes(outcome))).toEqual([]);
    expect(outcomes.get('reading')).toBeGreaterThan(0);
  });

  test('makes no zero out of what is gone', () => {
    const samples = samplesOf(driver);
    const random = seeded(42);
    for (let round = 0; round < MUTATIONS / 2; round++) {
      const sample = samples[round % samples.length];
      if (sample === undefined) throw new Error('no sample');
      const before = zeros(readStrictly(driver, sample.raw, sample.known).reading);
      const damaged = structuredClone({ ...sample.raw });
      const removed = removeLeaves(damaged, random);
      const after = zeros(readStrictly(driver, damaged, sample.known).reading);
      for (const [pattern, count] of after) {
        expect(count, `${pattern} of ${driver.id} ${sample.name} without ${removed}`).toBeLessThanOrEqual(
          before.get(pattern) ?? 0,
        );
      }
    }
  });
});

/** What connections say when an answer is lost. */
const LOST = ['peer.reset', 'peer.timeout', 'peer.refused', 'peer.auth', 'peer.busy', 'peer.too-large'] as const;

/** One visit whose answers arrive whole, with damaged bytes, or not at all; says how it ends. */
async function visitDamaged(driver: Driver, { raw, known }: Sample, random: Random): Promise<string> {
  const names = new Map(Object.entries(driver.asks).map(([name, ask]) => [ask, name]));
  const link: MinerLink = {
    ip: '127.0.0.1',
    async send(request) {
      const ask = [...names.keys()].find((one) => one === request);
      const answer = ask && raw[names.get(ask) ?? ''];
      const lost = LOST[Math.floor(random() * LOST.length * 4)];
      if (ask === undefined || answer === undefined || lost !== undefined) {
        throw new PeerError(lost ?? 'peer.reset', 'ask as the test says', 'later');
      }
      const bytes = damageBytes(Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)), random);
      const given = asLinkWould(ask, bytes);
      if (given === undefined) throw new PeerError('peer.unparsable', 'ask as the test says', 'later');
      return given;
    },
  };
  const memory = createVisitMemory();
  const rhythms = { slowMs: 300_000, staticMs: 3_600_000 };
  // No pauses: they are the devices' need, not the test's.
  const quick = { ...driver, quirks: {} };
  try {
    const { reading } = await visit({
      driver: quick,
      link,
      known,
      memory,
      rhythms,
      clock: systemClock,
      deadlineMs: 5_000,
    });
    return readingSchema.safeParse(reading).success ? 'reading' : 'an odd reading';
  } catch (error) {
    return error instanceof PeerError ? error.code : String(error);
  }
}

/** Most answers stay whole, so that the damaged ones meet others beside them. */
function damageBytes(bytes: Buffer, random: Random): Buffer {
  const at = Math.floor(random() * bytes.length);
  switch (Math.floor(random() * 10)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([Math.floor(random() * 256)]), bytes.subarray(at + 1)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes]);
    case 3:
      return Buffer.from('<html><body>502 Bad Gateway</body></html>');
    case 4:
      return Buffer.from(bytes.toString('latin1').replaceAll('},{', '}{').replaceAll(':0,', ':nan,'), 'latin1');
    case 5:
      return Buffer.alloc(0);
    default:
      return bytes;
  }
}

/** How many zeros a reading has, by path without positions. Places in a list may be 0. */
function zeros(reading: unknown): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [path, value] of numbersOf(reading)) {
    const pattern = path.replaceAll(/\.\d+/g, '[]');
    if (value === 0 && !/\.(slot|index)$/.test(pattern)) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  return counts;
}

/** Deletes one to three values of objects, at random depth; list lengths stay. Says which. */
function removeLeaves(root: Record<string, unknown>, random: () => number): string {
  const removed: string[] = [];
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    let at: object = root;
    for (let depth = 0; depth < 8; depth++) {
      const keys = Object.keys(at);
      const key = keys[Math.floor(random() * keys.length)];
      if (key === undefined) break;
      const child: unknown = Reflect.get(at, key);
      if (typeof child === 'object' && child !== null && Object.keys(child).length > 0 && random() < 0.9) {
        at = child;
      } else {
        if (!Array.isArray(at)) Reflect.deleteProperty(at, key);
        removed.push(key);
        break;
      }
    }
  }
  return removed.join(', ');
}
