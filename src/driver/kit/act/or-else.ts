// What to do instead where a device refuses in a certain way: builds of one family know a command by different names,
// and some show to everybody what others show after a login.
import { PeerError } from '../../../base/errors.ts';

/**
 * What `act` gives; where it ends with one of these errors of the device (default: with any), what `other` gives.
 */
export async function orElse<T, O>(
  act: () => Promise<T>,
  other: () => O,
  codes?: readonly PeerError['code'][],
): Promise<T | Awaited<O>> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof PeerError) || codes?.includes(error.code) === false) throw error;
    return await other();
  }
}

/**
 * What comes of the first of several ways that the device knows. Each may end as `peer.unsupported` only if nothing was
 * done.
 */
export async function firstKnown<W, T>(ways: readonly [W, ...W[]], go: (way: W) => Promise<T>): Promise<T> {
  const [way, next, ...rest] = ways;
  if (next === undefined) return go(way);
  const others = () => firstKnown([next, ...rest], go);
  return orElse(() => go(way), others, ['peer.unsupported']);
}
