// Clients that want to cost a service much, in a process of their own: headers and bodies that drip, bodies of a byte
// too many, pages of a thousand million, deep JSON, a thousand connections that say nothing, guessed keys and codes.
// Arguments: URL, key, a path that takes JSON, a path that gives a list. At a line on its standard input it tells, as
// JSON, how often each got which status.
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import { ENROL_PATH } from '../../src/wire/protocol.ts';

const [url = '', key = '', writePath = '', listPath = ''] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const counts: Record<string, Record<string, number>> = {};
function note(kind: string, status: string | number): void {
  counts[kind] ??= {};
  const of = counts[kind];
  of[status] = (of[status] ?? 0) + 1;
}

/** As bytes; the first answer counts. */
function open(kind: string, start: string): Socket {
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.once('data', (data) => note(kind, data.toString().split(' ')[1] ?? 'no status'));
  if (start !== '') socket.write(start);
  return socket;
}

function drip(kind: string, start: string, piece: string): void {
  const socket = open(kind, start);
  const timer = setInterval(() => socket.write(piece), 500);
  socket.on('close', () => {
    clearInterval(timer);
    drip(kind, start, piece);
  });
}

const POST = `POST ${writePath} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`;
for (let n = 0; n < 100; n++) {
  drip('slow headers', 'GET /healthz HTTP/1.1\r\nhost: x\r\n', 'x: y\r\n');
  drip('slow bodies', `${POST}content-length: 1000\r\n\r\n{`, ' ');
}
for (let n = 0; n < 800; n++) open('silent', '');

/** One after the other, so many a second. */
function keepAsking(kind: string, perSecond: number, ask: () => Promise<number>): void {
  setInterval(() => {
    ask().then(
      (status) => note(kind, status),
      () => note(kind, 'none'),
    );
  }, 1_000 / perSecond);
}
async function send(path: string, body: string | undefined, headers: Record<string, string>): Promise<number> {
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await request(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
  await answer.body.dump();
  return answer.statusCode;
}
const json = { 'content-type': 'application/json' };
const keyed = { ...json, 'x-api-key': key };
const large = `{}${' '.repeat(1024 * 1024 - 1)}`;
const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
const stranger = JSON.stringify({ code: 'guess', name: 'x', version: '1', protocol: 1, identity_key: 'x' });
keepAsking('large bodies', 5, () => send(writePath, large, keyed));
keepAsking('deep JSON', 5, () => send(writePath, deep, keyed));
keepAsking('large pages', 5, () => send(`${listPath}?page_size=1000000000`, undefined, keyed));
keepAsking('guessed keys', 30, () => send(listPath, undefined, { 'x-api-key': `pk_${Math.random()}` }));
keepAsking('guessed codes', 30, () => send(ENROL_PATH, stranger, json));

createInterface({ input: process.stdin }).on('line', () => process.stdout.write(`${JSON.stringify(counts)}\n`));
process.stdout.write('ready\n');
