// Words of MARA firmware for how it works (atlas 14), in small letters. Others exist; their meaning is unknown.
import type { Reading } from '../../src/model/reading.ts';

type Words = ReadonlyMap<string, Reading['miningMode']>;

export const SELECTORS: Words = new Map([
  ['sleep', 'sleep'],
  ['stock', 'normal'],
  ['fixed', 'normal'],
]);

/** What `auto` is tuned by. */
export const TUNERS: Words = new Map([
  ['powertarget', 'power_tuning'],
  ['hashrate', 'hashrate_tuning'],
]);
