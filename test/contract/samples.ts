// Everything that a driver can be fed with in tests: the cases in its folder, and the recordings where they are at
// hand, also those of other firmwares.

import { sampleOf } from '../../src/driver/check/cases/case-file.ts';
import type { Sample } from '../../src/driver/check/finding.ts';
import type { Driver } from '../../src/driver/contract.ts';
import { cases, recordings } from './answers.ts';
import { KNOWN, sets } from './recorded-sets.ts';

export function samplesOf(driver: Driver): Sample[] {
  const own = cases.filter(({ firmware }) => firmware === driver.id);
  const ofIt = new Set(sets.filter((set) => set.driver.id === driver.id).map(({ id }) => id));
  const all = [...own, ...recordings].map((one) => {
    const sample = sampleOf(driver, one, KNOWN[one.id] ?? one.known);
    return own.includes(one) || ofIt.has(one.id) ? sample : { ...sample, isReal: false, isForeign: true as const };
  });
  return all.filter(({ raw }) => Object.keys(raw).length > 0);
}

/** The answers of a case of the driver, by the name of its folder. */
export function caseAnswers(driver: Driver, name: string): Record<string, unknown> {
  const one = cases.find(({ firmware, folder }) => firmware === driver.id && folder.endsWith(`/cases/${name}`));
  if (one === undefined) throw new Error(`${driver.id} has no case ${name}`);
  return { ...sampleOf(driver, one).raw };
}
