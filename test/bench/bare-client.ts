// The yardstick: the same exchanges with bare sockets, nothing parsed, nothing kept. One connection per command, as the
// devices want it.
import { connect } from 'node:net';

/** Sends each command to the miner, one after the other; resolves with the bytes read. */
export async function bareExchanges(ip: string, port: number, requests: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const request of requests) bytes += await bareExchange(ip, port, request);
  return bytes;
}

function bareExchange(host: string, port: number, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const socket = connect({ host, port }, () => socket.write(request));
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (chunk[chunk.length - 1] === 0) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(bytes));
  });
}

/**
 * Runs `work` over the items again and again, `width` at a time and each item once at a time, for `durationMs`; gives
 * the count of finished items.
 */
export async function runFor<T>(
  items: readonly T[],
  width: number,
  durationMs: number,
  work: (item: T) => Promise<unknown>,
): Promise<{ done: number; elapsedMs: number; cpuUs: number }> {
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  const waiting = [...items];
  let done = 0;
  const worker = async () => {
    while (performance.now() - startMs < durationMs) {
      const item = waiting.shift();
      if (item === undefined) return;
      await work(item);
      waiting.push(item);
      done++;
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  const { user, system } = process.cpuUsage(startCpu);
  return { done, elapsedMs: performance.now() - startMs, cpuUs: user + system };
}
