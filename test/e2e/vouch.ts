// A person's word for the devices of a simulated farm that give no proof without a login: what an operator does once, after the first scan.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Farm } from '../../fixtures/farm/farm.ts';
import { openTrustRecord, TRUST_FILE } from '../../src/agent/device/trust-record.ts';
import { systemClock } from '../../src/base/clock.ts';

export function vouchFor(stateDir: string, farm: Pick<Farm, 'devices'>): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const record = openTrustRecord(join(stateDir, TRUST_FILE), systemClock);
  const isWritten = record.vouch(farm.devices);
  record.close();
  if (!isWritten) throw new Error(`no trust could be written in ${stateDir}: ${record.fault()}`);
}
