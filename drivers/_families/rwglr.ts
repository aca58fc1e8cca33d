// The name `rwglr` in `version` belongs to two firmwares: MSKMiner, and community builds of Bitmain's old firmware for the L3+ (atlas 16). Which of
// them a device runs, from its evidence alone.
import type { Evidence } from '../../src/driver/contract.ts';
import { versionTexts } from './cgminer.ts';

/** MSKMiner writes its own version behind the model; Bitmain's web guards every page with its own realm. */
export function isMskMiner({ family, version, web }: Evidence): boolean {
  if (family !== 'mskminer') return false;
  const type = versionTexts(version).Type;
  if (type !== undefined) return / v\.\S/.test(type) || !/^antminer\b/i.test(type);
  return !(web?.authenticate?.includes('antMiner') ?? false);
}
