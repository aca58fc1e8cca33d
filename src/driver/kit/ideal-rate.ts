// What a machine should make by its own word: the sum of the ideals of its boards, where that is believable.

import type { Expectation } from '../../model/reading.ts';
import { sumOfAll } from '../fields.ts';
import type { BoardDraft } from './draft.ts';
import { positive } from './figures.ts';

/** Faster than that no board runs beside its own ideal: some builds print the ideal of a chip, or 0. */
const MOST = 1.5;

/** An ideal that is not far below what is made now; else undefined. */
export const believableHs = (idealHs: number | undefined, hashrateHs: number | undefined): number | undefined =>
  idealHs !== undefined && idealHs > 0 && (hashrateHs ?? 0) <= idealHs * MOST ? idealHs : undefined;

/** The ideal of the boards if all that belong there have one and it fits the nameplate; else the nameplate. */
export function idealOr(
  { hashrateHs: nameplateHs, boards: usual }: Expectation,
  boards: readonly (Pick<BoardDraft, 'expectedHashrateHs'> | undefined)[] = [],
  hashrateHs: number | undefined,
): number | undefined {
  const ideals = boards.flatMap((board) => (board === undefined ? [] : [board.expectedHashrateHs]));
  const sumHs = ideals.length === (usual ?? ideals.length) ? positive(sumOfAll(ideals)) : undefined;
  const isFit = nameplateHs === undefined || (sumHs ?? 0) * MOST >= nameplateHs;
  return (isFit ? believableHs(sumHs, hashrateHs) : undefined) ?? nameplateHs;
}
