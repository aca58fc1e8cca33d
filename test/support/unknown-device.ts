// A device that no driver knows, on real sockets: CGMiner's API on one port, a web behind a login on another. Made by
// nobody, so that what reads it was not written for it.
import { createHash } from 'node:crypto';
import { createServer as createWeb, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

export const LOGIN = { user: 'root', password: 'opens-acme-9-panels' };
export const TOKEN = 'tok-5f3a9c77e1';
const MAC = '02:11:22:33:44:55';
/** What must not be in a recording. */
export const PRIVATE = [LOGIN.password, TOKEN, MAC, 'ACM0001234500', 'bob.rig7', 'pool.acme-owner.com'];

export type WebLogin = 'digest' | 'basic' | 'token' | 'cookie';

const status = (Msg: string) => [{ STATUS: 'S', When: 1_700_000_001, Code: 11, Msg, Description: 'acmeminer 2.1' }];
const SUMMARY = { Elapsed: 86_412, 'MHS av': 90_100_000, 'MHS 5s': 89_500_000.5, Accepted: 10, Rejected: 1 };
const POOL = {
  POOL: 0,
  URL: 'stratum+tcp://pool.acme-owner.com:3333',
  Status: 'Alive',
  User: 'bob.rig7',
  Accepted: 10,
};
const ANSWERS: Readonly<Record<string, object>> = {
  version: { STATUS: status('versions'), VERSION: [{ AcmeMiner: '2.1', API: '3.7', Type: 'Acme One 90T' }], id: 1 },
  summary: { STATUS: status('Summary'), SUMMARY: [SUMMARY], id: 1 },
  pools: { STATUS: status('1 Pool(s)'), POOLS: [POOL], id: 1 },
};
const UNKNOWN = { STATUS: [{ STATUS: 'E', Code: 14, Msg: 'Invalid command', Description: 'acmeminer 2.1' }], id: 1 };
export const PAGE = { uptime: 86_412, mac: MAC, serial: 'ACM0001234500', power: 3_010, firmware: '2.1.0' };

export type UnknownDevice = {
  readonly ip: string;
  /** Every port that a scan asks leads to it, or to nothing. */
  readonly portMap: Readonly<Record<number, number>>;
  /** Requests to the web, with the login or without. */
  readonly asked: string[];
  stop(): Promise<void>;
};

const NOTHING_LISTENS = 1;

export async function startUnknownDevice(ip: string, login: WebLogin, hasTcp = true): Promise<UnknownDevice> {
  const asked: string[] = [];
  const web = createWeb((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      asked.push(`${request.method} ${request.url}`);
      answer(login, request, Buffer.concat(chunks).toString(), response);
    });
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => socket.end(`${JSON.stringify(ANSWERS[commandIn(chunk.toString())] ?? UNKNOWN)}\0`));
  });
  const ports = [await listen(web, ip), hasTcp ? await listen(tcp, ip) : NOTHING_LISTENS];
  const [webPort = NOTHING_LISTENS, tcpPort = NOTHING_LISTENS] = ports;
  return {
    ip,
    asked,
    portMap: { 80: webPort, 443: NOTHING_LISTENS, 4028: tcpPort, 4433: NOTHING_LISTENS, 8359: NOTHING_LISTENS },
    async stop() {
      web.closeAllConnections();
      await Promise.all([web, tcp].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function commandIn(text: string): string {
  try {
    return String(Object(JSON.parse(text)).command);
  } catch {
    return text.trim();
  }
}

const listen = (server: Server, ip: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, ip, () => {
      const address: AddressInfo | string | null = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });

const REALM = 'Acme Panel';
const LOGIN_PAGE = '<html><head><title>Acme Panel</title></head><body><input type="password" name="pw"></body></html>';

function answer(login: WebLogin, request: IncomingMessage, body: string, response: ServerResponse): void {
  const { url = '/' } = request;
  const json = (value: object, headers: Readonly<Record<string, string>> = {}) => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
  if (url === '/api/login' && request.method === 'POST') {
    const isRight = body.includes(LOGIN.password) && body.includes(LOGIN.user);
    if (login === 'cookie') json({ ok: isRight }, isRight ? { 'Set-Cookie': `acme=${TOKEN}; HttpOnly` } : {});
    else json(isRight ? { token: TOKEN } : { error: 'wrong password' });
    return;
  }
  if (isLetIn(login, request)) {
    if (url === '/api/status') json(PAGE);
    else response.writeHead(404).end('not found');
    return;
  }
  switch (login) {
    case 'digest':
      response.setHeader('WWW-Authenticate', `Digest realm="${REALM}", qop="auth", nonce="0123456789abcdef"`);
      break;
    case 'basic':
      response.setHeader('WWW-Authenticate', `Basic realm="${REALM}"`);
      break;
    case 'token':
    case 'cookie':
      // One page for everything.
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end(LOGIN_PAGE);
      return;
  }
  response.writeHead(401, { Server: 'acme-httpd/1.0' });
  response.end('<html>401</html>');
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

function isLetIn(login: WebLogin, { method, url, headers }: IncomingMessage): boolean {
  const { authorization = '', cookie = '' } = headers;
  switch (login) {
    case 'digest': {
      const pairs = [...authorization.matchAll(/(\w+)="?([^",]*)"?/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]);
      const { nonce, nc, cnonce, qop, response, uri } = Object.fromEntries(pairs);
      const ha1 = md5(`${LOGIN.user}:${REALM}:${LOGIN.password}`);
      return uri === url && response === md5(`${ha1}:${nonce}:${nc}:${cnonce}:${qop}:${md5(`${method}:${url}`)}`);
    }
    case 'basic':
      return authorization === `Basic ${Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString('base64')}`;
    case 'token':
      return authorization === `Bearer ${TOKEN}`;
    case 'cookie':
      return cookie.includes(`acme=${TOKEN}`);
  }
}
