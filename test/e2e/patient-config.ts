// A configuration for scans whose results are judged: on a busy machine a farm answers slowly, and only few at once are
// answered in time.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type PatientConfig = { readonly path: string; readonly stateDir: string; remove(): void };

/** `portMap` as farms have it. The limits on the time of a device are as wide as they can be set. */
export function patientConfig(portMap: Readonly<Record<number, number>>): PatientConfig {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-patient-'));
  const path = join(folder, 'pithead.json');
  const scan = { timeout: '10s', maxIdentifying: 12 };
  writeFileSync(path, JSON.stringify({ portMap, scan, poll: { deadline: '60s' } }));
  // Where the configuration names none.
  return {
    path,
    stateDir: join(folder, 'pithead-state'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
