// A device that answers every request with something hostile, as a process of its own, so that its work does not count
// as ours. It has many addresses with one port: what comes from one of them depends on the seed and on what that one
// was asked before, never on time. The first answers of the addresses go through all kinds. It tells its port, and at
// the end how many requests it saw and the kinds that it sent. Arguments: seed, addresses.
import { createServer, type Server, type Socket } from 'node:net';
import { type Random, seeded } from '../../src/driver/check/answers/mutate.ts';
import { BODIES, BOMB, damaged } from './hostile-replies.ts';

type Protocol = 'http' | 'plain' | 'framed';
type Answer = {
  readonly kind: string;
  readonly chance: number;
  readonly send: (socket: Socket, random: Random) => void;
};

const [seed, ...addresses] = process.argv.slice(2);
let requests = 0;
const kindsSent = new Set<string>();

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

const STATUSES = ['200 OK', '200 OK', '200 OK', '500 Oops', '404 Not Found', '429 Too Many', '999 ?'];
const REALM = 'r'.repeat(2_000);

/** How a body goes out of each protocol. */
const CARRY: Readonly<Record<Protocol, (socket: Socket, random: Random, body: Buffer) => void>> = {
  http(socket, random, body) {
    const status = STATUSES[Math.floor(random() * STATUSES.length)] ?? '200 OK';
    socket.end(Buffer.concat([head(status, body.length, 'set-cookie: a=b; c\r\n'), body]));
  },
  plain(socket, random, body) {
    socket.write(body);
    if (random() < 0.9) socket.end();
  },
  framed(socket, _, body) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(body.length);
    socket.end(Buffer.concat([length, body]));
  },
};

const odd = (kind: string, chance: number, send: Answer['send']): Answer => ({ kind, chance, send });

const anywhere = (first: string): Answer[] => [
  odd('silence', 0.004, () => {}),
  odd('a reset', 0.01, (socket) => socket.resetAndDestroy()),
  odd('a drip', 0.006, (socket) => drip(socket, first)),
];

const ODD: Readonly<Record<Protocol, readonly Answer[]>> = {
  plain: anywhere(''),
  framed: [
    ...anywhere(''),
    odd('a wrong length', 0.1, (socket, random) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Math.floor(random() * 0xffff_ffff));
      socket.end(Buffer.concat([length, damaged(random)]));
    }),
  ],
  http: [
    ...anywhere('HTTP/1.1 200 OK\r\n\r\n'),
    odd('endless headers', 0.02, (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'x-header: and one more\r\n')),
    odd('a body of 1 GiB', 0.02, (socket) =>
      flood(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n', '{"a":['),
    ),
    odd('a bomb', 0.03, (socket) =>
      socket.end(Buffer.concat([head('200 OK', BOMB.length, 'content-encoding: gzip\r\n'), BOMB])),
    ),
    odd('a redirect', 0.05, (socket) =>
      socket.end(head('302 Found', 0, 'location: http://169.254.169.254/latest\r\n')),
    ),
    odd('a challenge', 0.04, (socket) =>
      socket.end(
        head('401 Unauthorized', 0, `www-authenticate: Digest realm="${REALM}", qop="auth,,", nonce="\\"\r\n`),
      ),
    ),
    odd('a body that is too short', 0.04, (socket, random) => {
      const body = damaged(random);
      socket.end(Buffer.concat([head('200 OK', body.length + 7), body]));
    }),
    odd('a damaged head', 0.04, (socket, random) => {
      const body = damaged(random);
      socket.end(damaged(random, [Buffer.concat([head('200 OK', body.length), body.subarray(0, 2_000)])]));
    }),
    odd('damaged chunks', 0.04, (socket, random) =>
      socket.end(
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'), damaged(random)]),
      ),
    ),
  ],
};

const protocols = ['http', 'plain', 'framed'] as const;
const NAMED_CHANCE = 0.3 / Object.keys(BODIES).length;

function answersOf(protocol: Protocol): readonly Answer[] {
  const named = Object.entries(BODIES).map(([kind, body]) =>
    odd(kind, NAMED_CHANCE, (socket, random) => CARRY[protocol](socket, random, body)),
  );
  const damage = odd('damage', 1, (socket, random) => CARRY[protocol](socket, random, damaged(random)));
  return [...ODD[protocol], ...named, damage];
}

const ANSWERS = { http: answersOf('http'), plain: answersOf('plain'), framed: answersOf('framed') };

function protocolOf(request: Buffer): Protocol {
  if (/^[A-Z]{3,7} \//.test(request.subarray(0, 16).toString('latin1'))) return 'http';
  return request[0] === 0x7b ? 'plain' : 'framed';
}

function chosen(answers: readonly Answer[], random: Random): Answer | undefined {
  let left = random();
  return answers.find(({ chance }) => {
    left -= chance;
    return left < 0;
  });
}

function startAddress(index: number): Server {
  const seedOf = (protocol: number) => Number(seed) + index * protocols.length + protocol;
  const random = { http: seeded(seedOf(0)), plain: seeded(seedOf(1)), framed: seeded(seedOf(2)) };
  const isFirst = new Set<Protocol>(protocols);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    socket.setTimeout(20_000, () => socket.destroy());
    socket.on('data', (bytes) => {
      requests++;
      const protocol = protocolOf(bytes);
      const answers = ANSWERS[protocol];
      const answer = isFirst.delete(protocol) ? answers[index % answers.length] : chosen(answers, random[protocol]);
      kindsSent.add(`${protocol}: ${answer?.kind}`);
      answer?.send(socket, random[protocol]);
    });
    socket.on('end', () => socket.end());
  });
  return server;
}

const listen = (server: Server, port: number, address: string) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      const taken = server.address();
      resolve(typeof taken === 'object' ? (taken?.port ?? 0) : 0);
    });
  });

let port = 0;
for (const [index, address] of addresses.entries()) port = await listen(startAddress(index), port, address);
const kinds = protocols.flatMap((protocol) => ANSWERS[protocol].map(({ kind }) => `${protocol}: ${kind}`));
process.stdout.write(`${port}\n`);
process.on('SIGTERM', () => {
  const end = { requests, kinds: kindsSent.size, missing: kinds.filter((kind) => !kindsSent.has(kind)) };
  process.stdout.write(`${JSON.stringify(end)}\n`, () => process.exit());
});
