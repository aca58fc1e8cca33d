// Codes in the answers to commands that say more than no, of either API; all others are refusals of the thing itself.
import type { PeerError } from '../../src/base/errors.ts';

export const REFUSALS: Readonly<Record<number, PeerError['code']>> = {
  14: 'peer.unsupported',
  23: 'peer.auth',
  45: 'peer.permission',
  135: 'peer.auth',
  136: 'peer.busy',
  [-1]: 'peer.unsupported',
  [-4]: 'peer.permission',
};
