// What every driver owes the core, checked for all of them at once: tidy tables, and a `read` that no answer can upset.
import { describe, expect, test } from 'vitest';
import { blueprint } from '../../drivers/_blueprint/index.ts';
import { drivers, families } from '../../drivers/index.ts';
import { ABILITY_NAMES, type Driver, type Evidence } from '../../src/driver/contract.ts';
import { EFFECTS } from '../../src/model/tasks/task-kinds.data.ts';
import { readStrictly, standsDamage } from './damage.ts';
import { mutate, numbersOf, seeded } from './mutate.ts';
import { samplesOf } from './samples.ts';

const all: readonly Driver[] = [...drivers, blueprint];
/** A first look; `damaged.long.test.ts` has the rest. */
const MUTATIONS = 60;

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
  for (const { id: family } of families.all) {
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

  test('has substitutes only for asks that exist, and of no other generations', () => {
    for (const ask of Object.values(driver.asks)) {
      if (ask.insteadOf === undefined) continue;
      const first = driver.asks[ask.insteadOf];
      expect(first).toBeDefined();
      if (first?.generations !== undefined)
        expect(first.generations).toEqual(expect.arrayContaining([...(ask.generations ?? ['all'])]));
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
    for (const family of [undefined, ...families.all.map(({ id }) => id)]) {
      for (const text of ['', '{', 'null', '"', '{"VERSION":[{"Type":7}]}', '\u0000', '"'.repeat(9_999)]) {
        const web = { status: 200, body: text, authenticate: text, location: text };
        const whatsminer3 = mutate({ code: 0, msg: { miner: { type: 'M60S' } } }, random);
        expect(() => driver.identify({ family, version: text, devdetails: text, web, whatsminer3 })).not.toThrow();
      }
    }
  });

  test('has answers to be tested with', () => expect(samplesOf(driver).length).toBeGreaterThan(0));

  standsDamage(driver, MUTATIONS);
});
