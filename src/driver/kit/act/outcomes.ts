// What abilities answer in the same words everywhere: done, done before, and what the device has not.
import { PeerError } from '../../../base/errors.ts';
import type { ActResult } from '../../contract.ts';

export const ACCEPTED = { kind: 'accepted' } as const satisfies ActResult;
export const SO_ALREADY = { ...ACCEPTED, note: 'it was so already' } as const satisfies ActResult;
/** Of pools. */
export const THEY_WERE_SO = { ...ACCEPTED, note: 'they were so already' } as const satisfies ActResult;

/** Nothing has been sent that could change anything. `what` as in "set the mode of"; `why` for people. */
export const unsupported = ({ ip }: { readonly ip: string }, what: string, why?: string): PeerError =>
  new PeerError('peer.unsupported', `${what} ${ip}`, 'never', why === undefined ? undefined : new Error(why), {
    wasSent: false,
  });
