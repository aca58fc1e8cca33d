// Which failures of a poll show that the host is up and only its interface is not.
import { expect, it } from 'vitest';
import { showsHost } from '../../../../src/agent/fleet/sighting.ts';
import { type PeerCode, PeerError } from '../../../../src/base/errors.ts';

it.each<[PeerCode, boolean | undefined, boolean]>([
  ['peer.refused', false, true],
  ['peer.reset', true, true],
  ['peer.unparsable', true, true],
  ['peer.too-large', true, true],
  ['peer.timeout', true, true],
  ['peer.busy', undefined, true],
  // Nothing took the request.
  ['peer.timeout', false, false],
  ['peer.timeout', undefined, false],
  ['peer.unreachable', false, false],
  // The agent itself did not ask.
  ['peer.busy', false, false],
  // It answers, and does not let us in.
  ['peer.auth', undefined, false],
])('%s, sent: %s: %s', (code, wasSent, isUp) => {
  expect(showsHost(new PeerError(code, 'ask', 'soon', undefined, { wasSent }))).toBe(isUp);
});
