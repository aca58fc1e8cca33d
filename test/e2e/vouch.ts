// A person's word for the devices of a simulated farm that give no proof without a login: what an operator does once,
// after the first scan.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openTrustRecord, TRUST_FILE } from '../../src/agent/device/trust/trust-record.ts';
import { systemClock } from '../../src/base/clock.ts';

/** As far as a person has to know it. */
export type VouchedFarm = { readonly devices: readonly { readonly ip: string; readonly driver: string }[] };

export function vouchFor(stateDir: string, farm: VouchedFarm): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const record = openTrustRecord(join(stateDir, TRUST_FILE), systemClock);
  const isWritten = record.vouch(farm.devices);
  record.close();
  if (!isWritten) throw new Error(`no trust could be written in ${stateDir}: ${record.fault()}`);
}
