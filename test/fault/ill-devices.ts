// Devices that do not end what they begin, or answer with something bad, as a process of its own. It hears `<address>
// <manner> <port>,…` line by line on its standard input and tells `ready` after an empty one; at SIGTERM it tells, as
// JSON, when each connection began and how long it lived.
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { BODIES } from './hostile-replies.ts';

const connections: { readonly ip: string; readonly manner: string; readonly atMs: number; lifeMs: number }[] = [];
const bodies = Object.values(BODIES);
let answered = 0;

const MANNERS: Readonly<Record<string, (socket: Socket) => void>> = {
  silent() {},
  drip(socket) {
    socket.write('{"STATUS":[');
    const timer = setInterval(() => socket.write(' '), 100);
    socket.once('close', () => clearInterval(timer));
  },
  half(socket) {
    socket.write('{"STATUS":[{"STATUS":"S","When":1,"Code":11,');
  },
  poison(socket) {
    const body = bodies[answered++ % bodies.length];
    if (body !== undefined) socket.end(body);
  },
  flood(socket) {
    const chunk = Buffer.alloc(256 * 1024, '{"a":[1,2,3],');
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  },
};

function listen(ip: string, manner: string, ports: readonly number[]): Promise<void>[] {
  return ports.map(async (port) => {
    const server = createServer((socket) => {
      const startMs = performance.now();
      const connection = { ip, manner, atMs: Date.now(), lifeMs: Number.POSITIVE_INFINITY };
      connections.push(connection);
      socket.on('error', () => {});
      socket.on('close', () => {
        connection.lifeMs = performance.now() - startMs;
      });
      socket.once('data', () => MANNERS[manner]?.(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: ip, port }, resolve);
    });
  });
}

const starting: Promise<void>[] = [];
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === '') {
    void Promise.all(starting).then(() => process.stdout.write('ready\n'));
    return;
  }
  const [ip = '', manner = '', ports = ''] = line.split(' ');
  starting.push(...listen(ip, manner, ports.split(',').map(Number)));
});
process.once('SIGTERM', () => process.stdout.write(`${JSON.stringify(connections)}\n`, () => process.exit()));
