// What a device says of its own build beats our table of models. Every driver whose device tells such a count hands it
// in here.
import type { BuildPart, Expectation } from '../../../model/reading.ts';

/** What the device says that it was built with; absent = it does not say. */
export type OwnBuild = Readonly<Partial<Record<BuildPart, number | undefined>>>;

const PARTS = ['boards', 'chipsPerBoard', 'fans'] as const satisfies readonly BuildPart[];

/**
 * `expected` (of the model, or undefined) with the device's own counts in place of the table's. Where both are known
 * and differ, `contradicted` says so, and the core makes one event of it; it raises no flag.
 *
 * Hand in only what states the build (`Hash Board: 2`, `fan_num`, `asic_count` of the configuration), never a count of
 * what answers now: a lost board would make itself expected. A count of 0 boards or chips is no build and is ignored; 0
 * fans is one (immersion, liquid).
 */
export function withOwnBuild(expected: Expectation | undefined, own: OwnBuild): Expectation {
  const told = PARTS.flatMap((what) => {
    const device = own[what];
    const least = what === 'fans' ? 0 : 1;
    return device !== undefined && Number.isInteger(device) && device >= least ? [{ what, device }] : [];
  });
  if (told.length === 0) return expected ?? {};
  const contradicted = told.flatMap(({ what, device }) => {
    const table = expected?.[what];
    return table === undefined || table === device ? [] : [{ what, device, table }];
  });
  return {
    ...expected,
    ...Object.fromEntries(told.map(({ what, device }) => [what, device])),
    own: told.map(({ what }) => what),
    ...(contradicted.length > 0 && { contradicted }),
  };
}
