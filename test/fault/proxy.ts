// A TCP proxy that spoils what passes through it, as networks do: latency, slices, a narrow line, resets, silence. It
// forwards bytes and knows no protocol. What is set holds for connections that are open already too.
import { createServer, type Server, Socket } from 'node:net';
import { seeded } from '../../src/driver/check/answers/mutate.ts';

export type Toxics = {
  /** Each chunk comes this much later. */
  readonly latencyMs?: number;
  /** Chunks are cut into pieces of this size. */
  readonly sliceBytes?: number;
  readonly bytesPerS?: number;
  /** Share of chunks that end their connection with a reset. */
  readonly resets?: number;
  /** Connections stay open and nothing passes; new ones are taken. */
  readonly isBlackhole?: boolean;
  /** Connections that are open lose their peer for good and are not told; new ones find silence. */
  readonly isHalfOpen?: boolean;
  /** New connections are refused by a reset, those that are open are cut. */
  readonly isDown?: boolean;
};

export type FaultProxy = {
  readonly port: number;
  set(toxics: Toxics): void;
  /** Connections taken, resets and bytes passed, since the start. */
  stats(): { readonly connections: number; readonly resets: number; readonly bytes: number };
  stop(): Promise<void>;
};

/** More waits in no direction of one connection: the sender is held up instead. */
const MAX_QUEUED = 256 * 1024;

export async function startProxy(
  target: { readonly host: string; readonly port: number },
  seed = 1,
): Promise<FaultProxy> {
  const random = seeded(seed);
  const pairs = new Set<readonly [Socket, Socket]>();
  /** Half open: whatever comes is swallowed. */
  const dead = new WeakSet<readonly [Socket, Socket]>();
  const isSilent = () => toxics.isBlackhole === true || toxics.isHalfOpen === true;
  const accepted = new Set<Socket>();
  const counts = { connections: 0, resets: 0, bytes: 0 };
  let toxics: Toxics = {};

  const cut = (pair: readonly [Socket, Socket]) => {
    counts.resets++;
    for (const socket of pair) socket.resetAndDestroy();
  };

  /** One direction: a queue that a timer empties, so that order is kept whatever is set. */
  const pass = (from: Socket, to: Socket, pair: readonly [Socket, Socket]) => {
    const queue: { readonly bytes: Buffer; readonly dueMs: number }[] = [];
    let queued = 0;
    let isOver = false;
    let freeMs = 0;
    const pump = () => {
      if ((from.destroyed && to.destroyed) || dead.has(pair)) return;
      const nowMs = performance.now();
      while (!isSilent() && queue[0] !== undefined && Math.max(queue[0].dueMs, freeMs) <= nowMs) {
        const head = queue.shift();
        if (head === undefined) break;
        queued -= head.bytes.length;
        if (random() < (toxics.resets ?? 0)) {
          cut(pair);
          return;
        }
        counts.bytes += head.bytes.length;
        if (toxics.bytesPerS !== undefined) freeMs = nowMs + (head.bytes.length / toxics.bytesPerS) * 1_000;
        to.write(head.bytes);
      }
      if (queued < MAX_QUEUED) from.resume();
      if (queue.length === 0 && isOver) to.end();
      else if (queue.length > 0) setTimeout(pump, isSilent() ? 100 : 2);
    };
    from.on('data', (bytes: Buffer) => {
      if (dead.has(pair)) return;
      const size = toxics.sliceBytes ?? bytes.length;
      for (let at = 0; at < bytes.length; at += size)
        queue.push({ bytes: bytes.subarray(at, at + size), dueMs: performance.now() + (toxics.latencyMs ?? 0) });
      queued += bytes.length;
      if (queued >= MAX_QUEUED) from.pause();
      if (queue.length > 0) pump();
    });
    from.on('end', () => {
      isOver = true;
      pump();
    });
  };

  const server: Server = createServer({ allowHalfOpen: true }, (near) => {
    counts.connections++;
    accepted.add(near);
    near.on('close', () => accepted.delete(near));
    near.on('error', () => {});
    if (toxics.isDown) {
      near.resetAndDestroy();
      return;
    }
    const far = new Socket({ allowHalfOpen: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    far.on('error', () => near.destroy());
    for (const socket of pair) {
      socket.on('close', () => {
        pairs.delete(pair);
        if (!dead.has(pair)) for (const other of pair) if (other !== socket) other.destroy();
      });
    }
    far.connect(target);
    pass(near, far, pair);
    pass(far, near, pair);
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  return {
    port,
    set(next) {
      toxics = next;
      if (next.isDown) for (const pair of pairs) cut(pair);
      if (!next.isHalfOpen) return;
      for (const pair of pairs) {
        dead.add(pair);
        pair[0].resume();
        pair[1].destroy();
      }
    },
    stats: () => ({ ...counts }),
    stop: () =>
      new Promise((resolve) => {
        for (const pair of pairs) for (const socket of pair) socket.destroy();
        for (const near of accepted) near.destroy();
        server.close(() => resolve());
      }),
  };
}
