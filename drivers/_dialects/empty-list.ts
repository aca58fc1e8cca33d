// What an empty list of a device says: of boards something only beside a rate of 0, of fans nothing at all.

/** The boards, or undefined for an empty list of a machine that is not known to stand still: it hashes on something. */
export const boardsBeside = <T>(boards: T[] | undefined, hashrateHs: number | undefined): T[] | undefined =>
  boards?.length === 0 && hashrateHs !== 0 ? undefined : boards;

/** The list, or undefined if it is empty. */
export const unlessEmpty = <T>(list: T[] | undefined): T[] | undefined => (list?.length === 0 ? undefined : list);
