// Which of the places for fans that a device lists are fans: many write 0 where none is built in, and only the model
// tells how many there are.
import type { FanReading } from '../../model/reading.ts';
import { toNumber } from '../fields.ts';
import type { Answer } from './answer.ts';
import type { FanDraft } from './draft.ts';

/** Most places that are looked at. */
const MOST = 32;

/**
 * Fans that turn, and of those that stand the first `usual` ones (undefined = the model does not tell). `index` is the
 * place in the list. Undefined where no speed can be read.
 */
export function fansOf(speeds: readonly unknown[] | undefined, usual: number | undefined): FanReading[] | undefined {
  const rpms = speeds?.slice(0, MOST).map((speed) => toNumber(speed, { min: 0, max: 30_000 }));
  if (rpms === undefined || rpms.every((rpm) => rpm === undefined)) return undefined;
  return rpms.flatMap((rpm, index) => (rpm !== undefined && (rpm > 0 || index < (usual ?? 0)) ? [{ index, rpm }] : []));
}

/**
 * The same of a list of fans that have more than a speed: the first `usual` ones, or those that turn where the model
 * does not tell. `keys` = where a fan has its number (absent: its place in the list) and its speed.
 */
export const listedFans = (
  rows: readonly Answer[] | undefined,
  usual: number | undefined,
  keys: { readonly index: string; readonly rpm: string },
  dutyPercent: (row: Answer) => number | undefined,
): (FanDraft | undefined)[] | undefined =>
  rows?.slice(0, MOST).map((row, place) => {
    const rpm = row.rpm(keys.rpm);
    const isFan = usual === undefined ? rpm !== undefined && rpm > 0 : place < usual;
    const index = row.int(keys.index, { min: 0, max: 31 }) ?? place;
    return isFan ? { index, rpm, dutyPercent: dutyPercent(row) } : undefined;
  });
