// Figures of the overview in words. Pure.
import { unitOf } from '../../../model/board/algorithm-units.ts';
import type { AlgorithmFigures } from '../../model/overview.ts';
import type { Format } from '../../text/format.ts';

/** A share of nearly all: a half percent of a day counts. */
export const precise = (show: Format, share: number | null): string =>
  show.withUnit(share === null ? null : share * 100, '%', 1);

/** In the unit of its algorithm: `29.5 J/TH`. */
export function efficiencyText(show: Format, { algorithm, wattsPerHs }: AlgorithmFigures): string {
  const { sizeHs, efficiency } = unitOf(algorithm);
  return show.withUnit(wattsPerHs === null ? null : wattsPerHs * sizeHs, efficiency, 1);
}
