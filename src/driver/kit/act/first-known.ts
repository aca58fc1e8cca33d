// Devices that know one of several words for the same thing, by their version. A word that a device does not know has
// done nothing, so the next one may be tried.
import { PeerError } from '../../../base/errors.ts';

/** What comes of the first way that the device knows. Each may end as `peer.unsupported` only if nothing was done. */
export async function firstKnown<W, T>(ways: readonly [W, ...W[]], go: (way: W) => Promise<T>): Promise<T> {
  const [way, next, ...rest] = ways;
  try {
    return await go(way);
  } catch (error) {
    if (next === undefined || !(error instanceof PeerError) || error.code !== 'peer.unsupported') throw error;
    return firstKnown([next, ...rest], go);
  }
}
