// The one question that every action has to answer when the exchange fails: may the device have acted on it?
// It judges no answer: what a refusal looks like is each family's own.
import { PeerError } from '../../../base/errors.ts';
import type { ActResult } from '../../contract.ts';

/**
 * The result of `act`, or `lost-reply` when the request went out and no usable answer came. Other errors are thrown on.
 */
export async function orLostReply(act: () => Promise<ActResult>): Promise<ActResult> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof PeerError && error.wasSent === true) return { kind: 'lost-reply' };
    throw error;
  }
}

/** What is asked before anything is changed: when it fails, the action cannot have happened. */
export async function beforeAct<T>({ ip }: { readonly ip: string }, what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    const isNonsense = error.code === 'peer.unparsable' || error.code === 'peer.too-large';
    const code = isNonsense ? 'peer.rejected' : error.code;
    throw new PeerError(code, `prepare to ${what} ${ip}`, error.retry, error, { wasSent: false });
  }
}
