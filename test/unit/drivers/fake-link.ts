// A link that answers from a script and notes what it was asked: for abilities, whose conversation with the device is
// what matters.
import { PeerError } from '../../../src/base/errors.ts';
import type { MinerLink, MinerRequest } from '../../../src/transport/request.ts';

export type Answering = (request: MinerRequest) => unknown;

/** `answer` may throw what a real link throws. */
export function fakeLink(answer: Answering): MinerLink & { readonly sent: MinerRequest[] } {
  const sent: MinerRequest[] = [];
  return {
    ip: '10.0.0.9',
    sent,
    send: async (request) => {
      sent.push(request);
      return answer(request);
    },
  };
}

export function lostAfterSending(): PeerError {
  return new PeerError('peer.reset', 'write', 'soon', undefined, { wasSent: true });
}
export function neverSent(): PeerError {
  return new PeerError('peer.refused', 'write', 'soon', undefined, { wasSent: false });
}

/** The `code` of the PeerError that the promise ends with. */
export async function refusalOf(action: Promise<unknown>): Promise<string> {
  try {
    await action;
    return 'no refusal';
  } catch (error) {
    if (error instanceof PeerError) return error.code;
    throw error;
  }
}
