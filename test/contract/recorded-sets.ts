// Which driver reads which set of answers, and what identification would have told it.
import { drivers } from '../../drivers/index.ts';
import { bytesByAsk, rawOf } from '../../src/driver/check/cases/case-file.ts';
import type { Known } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';
import { cases, recordings } from './answers.ts';
import { contracts, recordingData } from './contract-files.ts';

/** Firmware of the index → driver id. */
const DRIVER_OF: ReadonlyMap<string, string> = new Map(
  [...contracts].flatMap(([id, { recordedAs }]) => (recordedAs === undefined ? [] : [[recordedAs, id] as const])),
);

export const KNOWN: Readonly<Record<string, Known>> = Object.fromEntries(
  [...recordingData].flatMap(([id, { known }]) => (known === undefined ? [] : [[id, known]])),
);

export const sets = [...recordings, ...cases].flatMap((recording) => {
  const driver = drivers.find(({ id }) => id === (DRIVER_OF.get(recording.firmware) ?? recording.firmware));
  return driver === undefined ? [] : [{ id: recording.id, recording, driver }];
});

/** What the driver of a set reads of all its answers. */
export function readingOf(id: string): Reading {
  const set = sets.find((entry) => entry.id === id);
  if (set === undefined) throw new Error(`no recording ${id}`);
  return set.driver.read(rawOf(set.driver, bytesByAsk(set.driver, set.recording)), {}).reading;
}

export function firstOf(driverId: string): string {
  const set = sets.find(({ driver }) => driver.id === driverId);
  if (set === undefined) throw new Error(`no recording for ${driverId}`);
  return set.id;
}
