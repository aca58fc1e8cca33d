// In which unit the `stats` of Bitmain's dialect writes its hashrates (atlas 3.3): what it mines decides where the answer does not say.
import { largest, toNumber, toText } from '../../src/driver/fields.ts';
import { rateHs, rateUnit } from './cgminer.ts';
import type { Model } from './models.ts';

/**
 * Of the rates that stand under keys without a unit, and of those under `GHS`: machines of other coins print MH/s there and say so in `rate_unit`
 * or, the old ones, nowhere. Undefined where it cannot be known.
 */
export function rateUnitOf(
  data: Readonly<Record<string, unknown>>,
  model: Pick<Model, 'algorithm' | 'expected'> | undefined,
) {
  if (data.rate_unit !== undefined) return rateUnit(toText(data.rate_unit));
  if (data['GHS 5s'] === undefined && data['MHS 5s'] !== undefined) return 'M';
  if (model === undefined) return 'G';
  switch (model.algorithm) {
    case null:
    case 'sha256':
      return 'G';
    // As a real L3+ (504 MH/s) was seen to print `GHS 5s` 514.859.
    case 'scrypt':
    case 'x11':
      return 'M';
    default: {
      const { hashrateHs } = model.expected;
      const written = largest(
        ['GHS av', 'GHS 5s', 'rate_avg', 'rate_5s'].map((key) => toNumber(data[key], { min: 0 })),
      );
      if (hashrateHs === undefined || written === undefined) return undefined;
      // A thousand lies between two units, so that at most one of them is near the nameplate.
      return (['K', 'M', 'G'] as const).find((unit) => isNear(rateHs(written, unit) ?? 0, hashrateHs));
    }
  }
}

const isNear = (rateHs: number, nameplateHs: number) => rateHs > nameplateHs / 10 && rateHs < nameplateHs * 3;
