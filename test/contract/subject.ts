// A driver that ships, as the checks of the contract want it, and their findings as a test fails with them.
import { blueprint } from '../../drivers/_blueprint/index.ts';
import { drivers, families } from '../../drivers/index.ts';
import { type Check, type Finding, runCheck, type Subject } from '../../src/driver/check/finding.ts';
import type { Driver } from '../../src/driver/contract.ts';
import { contractOf } from './contract-files.ts';
import { samplesOf } from './samples.ts';

export const ALL: readonly (readonly [string, Driver])[] = [...drivers, blueprint].map((driver) => [driver.id, driver]);

export const subjectOf = (driver: Driver): Subject => ({
  driver,
  folder: `drivers/${driver === blueprint ? '_blueprint' : driver.id}`,
  families,
  samples: samplesOf(driver),
  exceptions: contractOf(driver.id),
});

const MOST_SHOWN = 20;

export const render = (found: readonly Finding[]): string =>
  [
    ...found.slice(0, MOST_SHOWN).map(({ check, seen, next }) => `${check}: ${seen}\n    → ${next}`),
    ...(found.length > MOST_SHOWN ? [`… and ${found.length - MOST_SHOWN} more`] : []),
  ].join('\n');

/** Throws with all that was found and what to do about it. */
export async function hold<S extends Pick<Subject, 'folder'>>(check: Check<S>, subject: S): Promise<void> {
  const found = await runCheck(check, subject);
  if (found.length > 0) throw new Error(`it owes ${check.owes}\n${render(found)}`);
}
