// Which driver reads which set of recordings, and what identification would have told it.
import { drivers } from '../../drivers/index.ts';
import type { Known } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';
import { bytesByAsk, cases, rawOf, recordings } from './answers.ts';

/** Firmware of the index → driver id, and what identification would know. */
const DRIVER_OF: Readonly<Record<string, string>> = {
  'antminer-stock': 'antminer-stock',
  'auradine-fluxos': 'auradine-fluxos',
  'avalon-stock': 'avalon',
  'elphapex-stock': 'elphapex',
  'epic-umcos': 'epic-umcos',
  'hammer-stock': 'hammer',
  'proto-os': 'proto',
  axeos: 'axeos',
  'braiins-os': 'braiins-os',
  luxos: 'luxos',
  'volcminer-stock': 'volcminer',
  'whatsminer-stock': 'whatsminer',
};
export const KNOWN: Readonly<Record<string, Known>> = {
  'avalon--a1246-21072802': { generation: 'a' },
  'avalon--q-25052801': { generation: 'home' },
  'whatsminer-api1--m20s-20210322': { generation: 'api1', model: 'M20S V10' },
  'whatsminer-api3--m60s-20251209': { generation: 'api3', model: 'M60S VK40' },
  'whatsminer-api3--error-code-shapes': { generation: 'api3' },
};
export const sets = [...recordings, ...cases].flatMap((recording) => {
  const driver = drivers.find(({ id }) => id === (DRIVER_OF[recording.firmware] ?? recording.firmware));
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
