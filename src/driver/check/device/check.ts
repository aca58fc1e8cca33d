// The contract with simulated devices of one driver: what it reads of them in each state, and what each of its
// abilities does to them.
import { type Check, type Finding, runCheck } from '../finding.ts';
import type { DeviceSubject } from './bench.ts';
import { commands } from './commands.ts';
import { poolPlaces } from './pools.ts';
import { STATE_CHECKS } from './states.ts';
import { unsent } from './unsent.ts';

export const DEVICE_CHECKS: readonly Check<DeviceSubject>[] = [...STATE_CHECKS, commands, poolPlaces, unsent];

/** Empty = it keeps the contract. */
export async function checkOnDevices(
  subject: DeviceSubject,
  checks: readonly Check<DeviceSubject>[] = DEVICE_CHECKS,
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const check of checks) found.push(...(await runCheck(check, subject)));
  return found;
}
