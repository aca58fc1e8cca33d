// Several firmwares have the name `rwglr` in `version`: MSKMiner, Hiveon, and community builds of Bitmain's old
// firmware for the L3+ (atlas 15, 16). Which one a device runs, from its evidence alone, and the keys that they add to
// Bitmain's statistics.
import type { Evidence } from '../../src/driver/contract.ts';
import { first, toNumber, toText } from '../../src/driver/fields.ts';
import type { FanReading, PsuReading } from '../../src/model/reading.ts';
import type { Row } from './bitmain-boards.ts';
import { isFineWord } from './bitmain-web.ts';
import { versionTexts } from './cgminer.ts';

/** MSKMiner writes its own version behind the model; Bitmain's web guards every page with its own realm. */
export function isMskMiner({ family, version, web }: Evidence): boolean {
  if (family !== 'mskminer') return false;
  const type = versionTexts(version).Type;
  if (type !== undefined) return / v\.\S/.test(type) || !/^antminer\b/i.test(type);
  return !(web?.authenticate?.includes('antMiner') ?? false);
}

/** With `fan_pwm`, one figure for all of them. */
export function withDuty(fans: readonly FanReading[] | undefined, rows: readonly Row[]): FanReading[] | undefined {
  const dutyPercent = first(...rows.map((row) => toNumber(row.fan_pwm, { min: 0, max: 100 })));
  return fans?.map((fan) => (dutyPercent === undefined ? fan : { ...fan, dutyPercent }));
}

/**
 * `psu_status`: `OK`, `PSU OK`. Machines that hash on a separate supply write `PSU power lost` too, so it says nothing.
 */
export function psusOf(rows: readonly Row[]): PsuReading[] | undefined {
  const status = first(...rows.map((row) => toText(row.psu_status, 64)));
  const isOk = isFineWord(status?.replace(/^psu\s+/i, ''));
  return isOk === undefined ? undefined : [{ isOk }];
}
