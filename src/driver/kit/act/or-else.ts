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
