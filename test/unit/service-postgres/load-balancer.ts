// A load balancer before copies of the service: it asks each for its readiness once a second, as the handbook wants,
// and passes a new connection to a copy that is ready. Connections that are open it leaves alone.
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

const LOOK_MS = 1_000;

/** Gives its URL. `urls` in the order in which they are taken. */
export async function startLoadBalancer(urls: readonly string[]): Promise<string> {
  const ready = new Set(urls);
  const look = async (url: string) => {
    const isReady = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      (response) => response.status === 200,
      () => false,
    );
    if (isReady) ready.add(url);
    else ready.delete(url);
  };
  const looking = setInterval(() => {
    for (const url of urls) void look(url);
  }, LOOK_MS);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const url = urls.find((one) => ready.has(one));
    if (url === undefined) return void near.resetAndDestroy();
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    clearInterval(looking);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}
