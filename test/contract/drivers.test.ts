// What every driver owes the core, checked for all of them at once by the shared contract (src/driver/check).
import { describe, expect, test } from 'vitest';
import { blueprint } from '../../drivers/_blueprint/index.ts';
import { drivers, families } from '../../drivers/index.ts';
import { FIRST_LOOK, QUICK_CHECKS } from '../../src/driver/check/check.ts';
import { LACKING } from '../../src/driver/check/data.ts';
import type { Evidence } from '../../src/driver/contract.ts';
import { ALL, hold, subjectOf } from './subject.ts';

test('the registry is sorted, ids are unique, and the blueprint is not in it', () => {
  const ids = drivers.map(({ id }) => id);
  expect(ids, 'sort drivers/index.ts by id').toEqual([...new Set(ids)].toSorted());
  expect(ids).not.toContain(blueprint.id);
});

test('no two drivers cover the same thing', () => {
  const rows = ALL.flatMap(([id, { covers }]) =>
    covers.map(({ models, firmware }) => ({ id, row: `${models} | ${firmware}` })),
  );
  const twice = rows.filter(({ row }, nth) => rows.findIndex((other) => other.row === row) !== nth);
  expect(twice, 'tell `models` or `firmware` of these rows of `covers` apart').toEqual([]);
});

test('no family is claimed for sure by two drivers', () => {
  for (const { id: family } of families.all) {
    const evidence: Evidence = { family, version: '{"STATUS":[{"STATUS":"S"}],"VERSION":[{}]}' };
    const sure = drivers.filter((driver) => driver.identify(evidence)?.confidence === 'sure').map(({ id }) => id);
    expect(sure.length, `${family}: let all but one of ${sure.join(', ')} refuse it in \`identify\``).toBeLessThan(2);
  }
});

describe.each(ALL)('%s', (_, driver) => {
  test.each(QUICK_CHECKS.map((check) => [check.owes, check] as const))('owes %s', async (_owes, check) => {
    await hold(check, subjectOf(driver));
  });
});

test.each(drivers.map((driver) => [driver.id, driver] as const))(
  '%s has each ability, or a reason',
  async (_, driver) => {
    await hold(LACKING, subjectOf(driver));
  },
);

test('the first look at damaged answers is a look', () => expect(FIRST_LOOK).toBeGreaterThan(0));
