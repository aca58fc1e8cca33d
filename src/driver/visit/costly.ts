// Bounds what one miner's answers may take of the processor. Reading is not interrupted: it is measured, and the miner
// is set aside afterwards.
import { PeerError } from '../../base/errors.ts';

/** Of this thread, since its start, ms. Time in which the host lets others work does not count. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** A large answer takes some milliseconds on a fast host, and a tenth of this on a slow one. */
export const MAX_READ_MS = 1_000;

/** To read one visit's answers took more than MAX_READ_MS of the processor. */
export class CostlyAnswer extends PeerError {
  readonly tookMs: number;
  constructor(what: string, tookMs: number) {
    super('peer.costly', `${what}: it took ${Math.round(tookMs)} ms of the processor`, 'never');
    this.tookMs = tookMs;
  }
}
