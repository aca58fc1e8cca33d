// UDP sockets for a set of ports that may change: what is missing is opened, what is no longer wanted is closed. A port
// that another program holds costs only that port, and is tried again.
import { createSocket, type Socket } from 'node:dgram';
import type { Cancel, Clock } from '../../base/clock.ts';

/** A port may be free later, and a process without free file descriptors may have some later. */
const RETRY_MS = 60_000;

type Options = {
  readonly clock: Pick<Clock, 'after'>;
  /** Where a standard port is bound; 0 = anywhere. */
  readonly portOf: (standard: number) => number;
  readonly onMessage: (standard: number, bytes: Buffer, sender: string) => void;
  /** Once, until it could be bound. */
  readonly onRefused: (standard: number, error: Error) => void;
};

export function createUdpPorts({ clock, portOf, onMessage, onRefused }: Options) {
  const sockets = new Map<number, Socket>();
  const retries = new Map<number, Cancel>();
  const refused = new Set<number>();

  const open = (standard: number): Promise<void> => {
    retries.delete(standard);
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    sockets.set(standard, socket);
    return new Promise((resolve) => {
      socket.on('error', (error) => {
        if (!refused.has(standard)) onRefused(standard, error);
        refused.add(standard);
        if (sockets.get(standard) === socket) {
          sockets.delete(standard);
          const retry = clock.after(RETRY_MS, () => void open(standard));
          retries.set(standard, retry);
        }
        socket.close();
        resolve();
      });
      socket.on('message', (bytes, { address }) => onMessage(standard, bytes, address));
      socket.bind(portOf(standard), () => {
        refused.delete(standard);
        resolve();
      });
    });
  };

  return {
    /** Resolves when each of these is bound or was refused, and all others are closed. */
    async hear(wanted: ReadonlySet<number>): Promise<void> {
      for (const [standard, cancel] of retries)
        if (!wanted.has(standard)) {
          cancel();
          retries.delete(standard);
        }
      const gone = [...sockets].filter(([standard]) => !wanted.has(standard));
      for (const [standard] of gone) sockets.delete(standard);
      const closed = gone.map(([, socket]) => new Promise<void>((resolve) => socket.close(() => resolve())));
      const missing = [...wanted].filter((standard) => !sockets.has(standard) && !retries.has(standard));
      await Promise.all([...closed, ...missing.map(open)]);
    },
    /** The bound port of each, by its standard port. */
    bound: (): ReadonlyMap<number, number> =>
      new Map([...sockets].map(([standard, socket]) => [standard, socket.address().port])),
  };
}
