// Several firmwares have the name `rwglr` in `version`: MSKMiner, Hiveon, and community builds of Bitmain's old
// firmware for the L3+ (atlas 15, 16). Which one a device runs, from its evidence alone, and the keys that they add to
// Bitmain's statistics.
import * as kit from '../../src/driver/kit/index.ts';
import { isFineWord } from './bitmain-web.ts';

/** MSKMiner writes its own version behind the model; Bitmain's web guards every page with its own realm. */
export function isMskMiner({ family, version, web }: kit.Evidence): boolean {
  if (family !== 'mskminer') return false;
  const type = kit.versionTexts(version).Type;
  if (type !== undefined) return / v\.\S/.test(type) || !/^antminer\b/i.test(type);
  return !(web?.authenticate?.includes('antMiner') ?? false);
}

/** With `fan_pwm`, one figure for all of them. */
export function withDuty(
  fans: readonly kit.FanDraft[] | undefined,
  rows: readonly kit.Answer[],
): kit.FanDraft[] | undefined {
  const dutyPercent = kit.first(...rows.map((row) => row.percent('fan_pwm')));
  return fans?.map((fan) => ({ ...fan, dutyPercent }));
}

/**
 * `psu_status`: `OK`, `PSU OK`. Machines that hash on a separate supply write `PSU power lost` too, so it says nothing.
 */
export function psusOf(rows: readonly kit.Answer[]): kit.Draft['psus'] {
  const status = kit.first(...rows.map((row) => row.text('psu_status', 64)));
  const isOk = isFineWord(status?.replace(/^psu\s+/i, ''));
  return isOk === undefined ? undefined : [{ isOk }];
}
