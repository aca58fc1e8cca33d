// Every driver stands a thousand damaged answers, and no value of any answer becomes something else when it is 0,
// empty, a word for nothing, or gone.
import { describe, expect, test } from 'vitest';
import { blueprint } from '../../drivers/_blueprint/index.ts';
import { drivers } from '../../drivers/index.ts';
import { damageChecks } from '../../src/driver/check/answers/damage.ts';
import { withRows } from '../../src/driver/check/answers/unread-pools.ts';
import { HUNTS } from '../../src/driver/check/check.ts';
import { ALL, hold, subjectOf } from './subject.ts';

const MANY = 1_000;

describe.each(ALL)('%s', (_, driver) => {
  // The blueprint knows no device: what a 0 means there nobody can say.
  const checks = [...damageChecks(MANY), ...(driver === blueprint ? [] : HUNTS)];
  test.each(checks.map((check) => [check.owes, check] as const))('owes %s', async (_owes, check) => {
    await hold(check, subjectOf(driver));
  });
});

test('most drivers tell their pools in rows', () => {
  const count = drivers.filter((driver) => withRows(subjectOf(driver)).length > 0).length;
  expect(count).toBeGreaterThan(drivers.length * 0.8);
});
