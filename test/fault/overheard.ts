// Listeners in front of simulated devices: everything that is sent to a device goes through, and is kept.
import { connect, createServer, type Server, type Socket } from 'node:net';

export type Overheard = {
  /** What was sent to each address so far, as Latin-1. */
  texts(): Readonly<Record<string, string>>;
  forget(): void;
  stop(): Promise<void>;
};

/** Every port of a farm. */
const PORTS = [80, 443, 4028, 4433, 5000, 6060, 8080, 8359];

/** `ways` = each address that listens, and the device behind it. Both sides use the same ports. */
export async function overhear(
  ways: ReadonlyMap<string, string>,
  portMap: Readonly<Record<number, number>>,
): Promise<Overheard> {
  const heard = new Map<string, Buffer[]>();
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  for (const [ip, behind] of ways) {
    for (const port of new Set(PORTS.map((each) => portMap[each] ?? each))) {
      const server = createServer({ allowHalfOpen: true }, (front) => {
        keep(front);
        const back = connect({ host: behind, port, allowHalfOpen: true });
        keep(back);
        back.once('error', () => front.destroy());
        front.on('data', (bytes: Buffer) => heard.set(ip, [...(heard.get(ip) ?? []), bytes]));
        front.pipe(back);
        back.pipe(front);
        front.once('close', () => back.destroy());
        back.once('close', () => front.destroy());
      });
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, ip, resolve);
      });
    }
  }
  return {
    texts: () => Object.fromEntries([...heard].map(([ip, chunks]) => [ip, Buffer.concat(chunks).toString('latin1')])),
    forget: () => heard.clear(),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
    },
  };
}
