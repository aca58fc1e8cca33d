// Which rows of a list of pools are pools that are set, for every family: an address that cannot be read is no word that there is none.
const MOST = 64;

/**
 * The pools that are set, in the device's order, each as `read` tells it. Empty only where the device says so: its list has no rows, or each row has
 * an address that is written as empty (`''`, see `poolAddress`). Undefined without a list, and where no address can be read.
 */
export function setPools<R, P>(
  rows: readonly R[] | undefined,
  addressOf: (row: R) => string | undefined,
  read: (row: R, address: string, place: number) => P,
): P[] | undefined {
  if (rows === undefined) return undefined;
  const pools: P[] = [];
  let isUnread = false;
  for (const [place, row] of rows.slice(0, MOST).entries()) {
    const address = addressOf(row);
    if (address === undefined) isUnread = true;
    else if (address !== '') pools.push(read(row, address, place));
  }
  return pools.length === 0 && isUnread ? undefined : pools;
}
