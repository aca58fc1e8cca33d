// One port of a recorded device: what was asked there, and the bounds of every server that replays it.
import type { Exchange } from '../format.ts';

/** What was recorded at one port. */
export type Port = { readonly responses: readonly Exchange[]; bytesOf(response: Exchange): Buffer };

export const MAX_REQUEST_BYTES = 64 * 1024;
/** Longer than any exchange with a device: a connection that is open then is closed. */
export const IDLE_MS = 60_000;

/** How the device failed to answer, done again: a silence stays one until the client gives up. */
export const isSilence = ({ failure }: Exchange, bytes: Buffer) => failure === 'peer.timeout' && bytes.length === 0;
