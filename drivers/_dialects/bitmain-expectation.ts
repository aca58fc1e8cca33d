// What a machine of Bitmain's dialect should have and do: as the device reports it, else from the table of models.
import * as kit from '../../src/driver/kit/index.ts';
import type { Stats } from './bitmain.ts';
import { fansBuiltIn } from './bitmain-fans.ts';

/** The device's own figures where it has them. A nameplate stands for normal mode only. */
export const expectation = (
  { hashrateHs: nameplateHs, ...parts }: kit.Expectation = {},
  stats: Stats,
  mode?: kit.Reading['miningMode'],
): kit.Draft['expected'] => ({
  ...kit.withOwnBuild(parts, ownBuild(stats, parts)),
  hashrateHs: kit.first(stats.idealHs, mode === undefined || mode === 'normal' ? nameplateHs : undefined),
});

/** What the answer says of how the machine was built. */
function ownBuild(stats: Stats, { boards, fans, cooling }: kit.Expectation): kit.OwnBuild {
  const shown = stats.boards ?? [];
  const [chips, ...others] = new Set(shown.map(({ reading }) => reading.chips));
  const isWhole = boards !== undefined && shown.length >= boards && shown.length > 1 && others.length === 0;
  return {
    // A lost board is not in the list: only one more than the table has is of the build.
    boards: boards !== undefined && shown.length > boards ? shown.length : undefined,
    // Boards that are all there do not lose the same number of chips each.
    chipsPerBoard: isWhole && shown.every(({ reading }) => (reading.badChips ?? 0) === 0) ? chips : undefined,
    fans: cooling === 'liquid' ? undefined : fansBuiltIn(stats, fans),
  };
}
