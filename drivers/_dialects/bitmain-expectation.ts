// What a machine of Bitmain's dialect should have and do: as the device reports it, else from the table of models.
import { first } from '../../src/driver/fields.ts';
import type { Model } from '../../src/driver/kit/models/models.ts';
import { type OwnBuild, withOwnBuild } from '../../src/driver/kit/models/own-build.ts';
import type { Expectation, MiningMode, Reading } from '../../src/model/reading.ts';
import type { Stats } from './bitmain.ts';
import { fansBuiltIn } from './bitmain-fans.ts';
import { present } from './cgminer.ts';

/** The device's own figures where it has them. A nameplate stands for normal mode only. */
export function expectation(
  model: Model | undefined,
  stats: Stats | undefined,
  mode: MiningMode | undefined,
): Reading['expected'] {
  const { hashrateHs: nameplateHs, ...parts } = model?.expected ?? {};
  const hashrateHs = first(stats?.idealHs, mode === undefined || mode === 'normal' ? nameplateHs : undefined);
  return present({ ...withOwnBuild(parts, ownBuild(stats, parts)), hashrateHs });
}

/** What the answer says of how the machine was built. */
function ownBuild(stats: Stats | undefined, { boards, fans, cooling }: Expectation): OwnBuild {
  const shown = stats?.boards ?? [];
  const [chips, ...others] = new Set(shown.map(({ reading }) => reading.chips));
  const isWhole = boards !== undefined && shown.length >= boards && shown.length > 1 && others.length === 0;
  return {
    // A lost board is not in the list: only one more than the table has is of the build.
    boards: boards !== undefined && shown.length > boards ? shown.length : undefined,
    // Boards that are all there do not lose the same number of chips each.
    chipsPerBoard: isWhole && shown.every(({ reading }) => (reading.badChips ?? 0) === 0) ? chips : undefined,
    fans: cooling === 'liquid' || stats === undefined ? undefined : fansBuiltIn(stats, fans),
  };
}
