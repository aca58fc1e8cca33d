// Between a browser and the service: passes everything on, until it is asked to stall. Then what the service sends
// stays unread, as behind a phone that has lost its network without a word, and the connections stay open.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type StallingProxy = {
  readonly url: string;
  stall(): void;
  /** What was sent meanwhile comes now. */
  flow(): void;
  close(): Promise<void>;
};

export async function startStallingProxy(target: string): Promise<StallingProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let isStalled = false;
  const server = createServer((browser) => {
    const service = connect(Number(port), hostname);
    browser.pipe(service);
    service.pipe(browser);
    for (const socket of [browser, service]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        open.delete(socket);
        browser.destroy();
        service.destroy();
      });
    }
    ofService.add(service);
    service.on('close', () => ofService.delete(service));
    if (isStalled) service.pause();
  });
  const ofService = new Set<Socket>();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${own}`,
    stall() {
      isStalled = true;
      for (const socket of ofService) socket.pause();
    },
    flow() {
      isStalled = false;
      for (const socket of ofService) socket.resume();
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
