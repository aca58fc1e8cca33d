// Devices that say yes and change nothing. It looks once, right after the yes; what shows later is for the next visits.
import { PeerError } from '../../../base/errors.ts';
import type { ActResult, MinerLink } from '../../contract.ts';

/**
 * The result of `set`, unless the device has something else afterwards: then it has refused. `isKept` looks; where it
 * fails or cannot tell (undefined), the result stands.
 */
export async function orNotKept(
  link: MinerLink,
  what: string,
  set: () => Promise<ActResult>,
  isKept: () => Promise<boolean | undefined>,
): Promise<ActResult> {
  const result = await set();
  if (result.kind === 'lost-reply') return result;
  try {
    if ((await isKept()) !== false) return result;
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    return result;
  }
  const cause = new Error('the device says yes and keeps what it had');
  throw new PeerError('peer.rejected', `${what} ${link.ip}`, 'never', cause);
}
