// Plain clients for simulated devices, written from the protocols' descriptions and from nothing of ours: what they get
// is what is on the wire.
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { isRecord } from '../../../drivers/_farm/servers/cgminer-api.ts';
import { type Farm, type FarmOptions, startFarm } from '../../../fixtures/farm/farm.ts';
import { loopback } from '../../support/loopback.ts';

/** Where port 80 is in tests: an ordinary user may not bind 80. */
export const WEB_PORT = 8080;

/** A frozen farm without noise of its own making: read, then compare. */
export function testFarm(options: Partial<FarmOptions> & Pick<FarmOptions, 'miners'>): Promise<Farm> {
  return startFarm({ network: loopback().network, portMap: { 80: WEB_PORT, 8080: 18_080 }, freeze: true, ...options });
}

/** All bytes until the end. Rejects when the connection is refused or reset, and after `limitMs`. */
export function talk(ip: string, port: number, bytes: string | Buffer, limitMs = 30_000): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: ip, port }, () => socket.write(bytes));
    socket.setTimeout(limitMs, () => socket.destroy(new Error('silent')));
    socket.on('data', (chunk) => chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
    socket.on('error', reject);
    socket.on('end', () => resolve(Buffer.concat(chunks)));
    // After the rejection of an error this changes nothing.
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
}

/** Text of a CGMiner answer, its ending cut off. */
export async function askText(ip: string, body: object | string, limitMs?: number): Promise<string> {
  const bytes = await talk(ip, 4028, typeof body === 'string' ? body : JSON.stringify(body), limitMs);
  return bytes.toString('latin1').replace(/\0$/, '');
}

export async function ask(ip: string, command: string, more: object = {}): Promise<Json> {
  return new Json(JSON.parse(await askText(ip, { command, ...more })));
}

/** API 3 of Whatsminer. */
export async function askFramed(ip: string, body: object): Promise<Json> {
  const text = Buffer.from(JSON.stringify(body));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(text.length);
  const reply = await talk(ip, 4433, Buffer.concat([head, text]));
  if (reply.readUInt32LE(0) !== reply.length - 4) throw new Error('the frame has another length than it says');
  return new Json(JSON.parse(reply.toString('utf8', 4)));
}

/** A JSON value that is walked by path; what is not there is undefined. */
export class Json {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
  at(...path: readonly (string | number)[]): unknown {
    let value = this.value;
    for (const key of path) {
      if (Array.isArray(value)) value = value[Number(key)];
      else value = isRecord(value) ? value[key] : undefined;
    }
    return value;
  }
  text(...path: readonly (string | number)[]): string {
    return String(this.at(...path));
  }
  number(...path: readonly (string | number)[]): number {
    const value = this.at(...path);
    return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  }
  list(...path: readonly (string | number)[]): Json[] {
    const value = this.at(...path);
    return Array.isArray(value) ? value.map((entry) => new Json(entry)) : [];
  }
}

export type Page = { readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly body: string };

export type PageOptions = {
  readonly method?: string;
  readonly body?: string;
  readonly authorization?: string;
  readonly port?: number;
};

export function get(ip: string, path: string, options: PageOptions = {}): Promise<Page> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: ip,
        port: options.port ?? WEB_PORT,
        path,
        method: options.method ?? 'GET',
        agent: false,
        timeout: 5_000,
        headers: options.authorization ? { Authorization: options.authorization } : {},
      },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString('latin1');
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

export type Login = { readonly user: string; readonly password: string };
export const ROOT: Login = { user: 'root', password: 'root' };

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** The header for one request, from a challenge. */
export function digestHeader(
  challenge: string,
  { user, password }: Login,
  method: string,
  path: string,
  count = 1,
): string {
  const [, realm = ''] = /realm="([^"]*)"/.exec(challenge) ?? [];
  const [, nonce = ''] = /nonce="([^"]*)"/.exec(challenge) ?? [];
  const nc = count.toString(16).padStart(8, '0');
  const cnonce = '0a4f113b';
  const ha1 = md5(`${user}:${realm}:${password}`);
  const ha2 = md5(`${method}:${path}`);
  const response = md5(`${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`);
  return `Digest username="${user}", realm="${realm}", nonce="${nonce}", uri="${path}", qop=auth, nc=${nc}, cnonce="${cnonce}", response="${response}"`;
}

export async function challengeOf(ip: string): Promise<string> {
  return String((await get(ip, '/')).headers['www-authenticate']);
}

/** Challenge, then the request with the login. */
export async function getWithLogin(ip: string, path: string, login: Login, options: PageOptions = {}): Promise<Page> {
  const authorization = digestHeader(await challengeOf(ip), login, options.method ?? 'GET', path);
  return get(ip, path, { ...options, authorization });
}

export async function jsonPage(ip: string, path: string, login = ROOT, options: PageOptions = {}): Promise<Json> {
  return new Json(JSON.parse((await getWithLogin(ip, path, login, options)).body));
}

/** The code of the error that a promise ends with; undefined when it does not. */
export async function errorCode(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
