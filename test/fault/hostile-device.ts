// A device that answers every request with something hostile, as a process of its own, so that its work does not count as ours. It tells its port, and at
// the end how many requests it saw. Arguments: seed.
import { createServer, type Socket } from 'node:net';
import { seeded } from '../contract/mutate.ts';
import { BODIES, BOMB, damaged } from './hostile-replies.ts';

const random = seeded(Number(process.argv[2] ?? 1));
const bodies = Object.values(BODIES);
let requests = 0;

const server = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => {});
  socket.setTimeout(20_000, () => socket.destroy());
  socket.on('data', (bytes) => {
    requests++;
    answer(socket, bytes);
  });
  socket.on('end', () => socket.end());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.on('SIGTERM', () => {
  process.stdout.write(`${requests}\n`, () => process.exit());
});

const body = () =>
  random() < 0.3 ? (bodies[Math.floor(random() * bodies.length)] ?? damaged(random)) : damaged(random);

function answer(socket: Socket, request: Buffer): void {
  const isHttp = /^[A-Z]{3,7} \//.test(request.subarray(0, 16).toString('latin1'));
  const isFramed = !isHttp && request[0] !== 0x7b;
  if (random() < 0.004) return;
  if (random() < 0.01) {
    socket.resetAndDestroy();
    return;
  }
  if (random() < 0.006) {
    drip(socket, isHttp ? 'HTTP/1.1 200 OK\r\n\r\n' : '');
    return;
  }
  if (isHttp) {
    answerHttp(socket);
    return;
  }
  const bytes = body();
  if (!isFramed) {
    socket.write(bytes);
    if (random() < 0.9) socket.end();
    return;
  }
  const length = Buffer.alloc(4);
  length.writeUInt32LE(random() < 0.1 ? Math.floor(random() * 0xffff_ffff) : bytes.length);
  socket.end(Buffer.concat([length, bytes]));
}

function answerHttp(socket: Socket): void {
  const kind = random();
  const bytes = body();
  if (kind < 0.02) {
    flood(socket, 'HTTP/1.1 200 OK\r\n', 'x-header: and one more\r\n');
    return;
  }
  if (kind < 0.04) {
    flood(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n', '{"a":[');
    return;
  }
  if (kind < 0.07) {
    socket.end(Buffer.concat([head('200 OK', BOMB.length, 'content-encoding: gzip\r\n'), BOMB]));
    return;
  }
  if (kind < 0.12) {
    socket.end(head('302 Found', 0, 'location: http://169.254.169.254/latest\r\n'));
    return;
  }
  if (kind < 0.16) {
    socket.end(
      head(
        '401 Unauthorized',
        0,
        `www-authenticate: Digest realm="${'r'.repeat(2_000)}", qop="auth,,", nonce="\\"\r\n`,
      ),
    );
    return;
  }
  if (kind < 0.2) {
    socket.end(Buffer.concat([head('200 OK', bytes.length + 7), bytes]));
    return;
  }
  if (kind < 0.24) {
    socket.end(damaged(random, [Buffer.concat([head('200 OK', bytes.length), bytes.subarray(0, 2_000)])]));
    return;
  }
  if (kind < 0.28) {
    socket.end(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'), damaged(random)]));
    return;
  }
  const status = ['200 OK', '200 OK', '200 OK', '500 Oops', '404 Not Found', '429 Too Many', '999 ?'][
    Math.floor(random() * 7)
  ];
  socket.end(Buffer.concat([head(status ?? '200 OK', bytes.length, 'set-cookie: a=b; c\r\n'), bytes]));
}

const head = (status: string, length: number, more = '') =>
  Buffer.from(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${more}\r\n`);

/** Writes as fast as it is taken, without end. */
function flood(socket: Socket, first: string, unit: string): void {
  const chunk = unit.repeat(2_000);
  socket.write(first);
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

function drip(socket: Socket, first: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(' '), 50);
  socket.once('close', () => clearInterval(timer));
}
