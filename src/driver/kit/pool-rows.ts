// Which rows of a list of pools are configured pools, for every family. An address that cannot be read does not mean
// that there is none.
const MOST = 64;

/**
 * The configured pools, in the device's order, each as `read` gives it. Empty only where the device says so: its list
 * has no rows, or each row has an empty address (`''`, see `poolAddress`). Undefined without a list, and where no
 * address can be read.
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

/**
 * The address with a scheme, as most devices leave that out; `port` where it stands in a field of its own, unless the
 * address has one.
 */
export function poolUrl(address: string, port?: number, scheme = 'stratum+tcp'): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `${scheme}://${address}`;
  const whole = port === undefined || /:\d+$/.test(url) ? url : `${url}:${port}`;
  // As long as a Reading may have it: a device that writes more writes no address.
  return whole.slice(0, 512);
}
