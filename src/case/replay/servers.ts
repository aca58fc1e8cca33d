// The ports of a recorded device as servers: CGMiner's API, Whatsminer's frames and the web, each with the bytes that
// the device sent. It changes no answer and takes no command: what was not asked of the device it does not know.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CaseFolder } from '../folder.ts';
import type { Exchange } from '../format.ts';
import { answersToPage, answerToCommand, answerToFrame, parseCommand, type WebQuestion } from './answers.ts';
import {
  createDigestGuard,
  grantsOf,
  holdsPassword,
  isPasswordVisible,
  type ReplayLogin,
  type WebRequest,
} from './login.ts';

/** `port` = the one that the device had. */
export type ReplayServer = { readonly port: number; accept(socket: Socket): void };

type Port = { readonly responses: readonly Exchange[]; bytesOf(response: Exchange): Buffer };

const MAX_REQUEST_BYTES = 64 * 1024;
/** A client that says nothing is not waited for. */
const IDLE_MS = 30_000;
/** Recorded over TLS: a replayed device has no certificate. */
const TLS_PORT = 443;

export function replayServers({ about, bytesOf }: CaseFolder, login: ReplayLogin): readonly ReplayServer[] {
  const ports = new Set(about.responses.map(({ port }) => port));
  ports.delete(TLS_PORT);
  return [...ports].map((number) => {
    const responses = about.responses.filter(({ port }) => port === number);
    const port: Port = { responses, bytesOf: ({ file }) => bytesOf(file) };
    const isWeb = responses.some(({ transport, status }) => transport === 'http' && status !== undefined);
    const accept = isWeb ? webServer(port, login) : tcpServer(port);
    return {
      port: number,
      accept(socket) {
        socket.setTimeout(IDLE_MS, () => socket.destroy());
        socket.on('error', () => socket.destroy());
        accept(socket);
      },
    };
  });
}

/** How the device failed to answer, done again: a silence stays one until the client gives up. */
const isSilence = ({ failure }: Exchange, bytes: Buffer) => failure === 'peer.timeout' && bytes.length === 0;

function tcpServer({ responses, bytesOf }: Port): (socket: Socket) => void {
  const isFramed = responses.some(({ transport }) => transport === 'whatsminer-v3');
  return (socket) => {
    let got = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]);
      if (got.length > MAX_REQUEST_BYTES) {
        socket.destroy();
        return;
      }
      const reply = isFramed ? frameFor(responses, bytesOf, got) : commandFor(responses, bytesOf, got);
      if (reply === 'wait') return;
      got = Buffer.alloc(0);
      if (reply === 'silence') return;
      if (isFramed) socket.write(reply);
      else socket.end(reply);
    });
  };
}

type Reply = Buffer | 'wait' | 'silence';

function commandFor(responses: Port['responses'], bytesOf: Port['bytesOf'], got: Buffer): Reply {
  const command = parseCommand(got.toString('utf8'));
  if (command === undefined) return 'wait';
  const found = answerToCommand(responses, command);
  if (found === undefined) return Buffer.from(command.isBare ? UNKNOWN_TEXT : JSON.stringify(UNKNOWN));
  const bytes = bytesOf(found);
  return isSilence(found, bytes) ? 'silence' : bytes;
}

const UNKNOWN = { STATUS: [{ STATUS: 'E', Code: 14, Msg: 'Invalid command', Description: 'replayed' }], id: 1 };
const UNKNOWN_TEXT = 'STATUS=E,Code=14,Msg=Invalid command,Description=replayed|';

function frameFor(responses: Port['responses'], bytesOf: Port['bytesOf'], got: Buffer): Reply {
  if (got.length < 4 || got.length < 4 + got.readUInt32LE()) return 'wait';
  const found = answerToFrame(responses, parseJson(got.subarray(4, 4 + got.readUInt32LE()).toString('utf8')));
  const body = found === undefined ? Buffer.from(JSON.stringify({ code: -1, msg: 'invalid command' })) : bytesOf(found);
  if (found !== undefined && isSilence(found, body)) return 'silence';
  const header = Buffer.alloc(4);
  header.writeUInt32LE(body.length);
  return Buffer.concat([header, body]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function webServer(port: Port, login: ReplayLogin): (socket: Socket) => void {
  const page = createPages(port, login);
  const server = createServer({ keepAliveTimeout: 5_000, requestTimeout: IDLE_MS, headersTimeout: IDLE_MS });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_REQUEST_BYTES) request.socket.destroy();
      else chunks.push(chunk);
    });
    request.once('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { method = 'GET', url = '/', headers } = request;
      page({ method, url, headers, body }, response);
    });
  });
  // Some devices have a web server where others have CGMiner's API: what theirs says to a command was recorded.
  server.on('clientError', (_error, socket) => {
    const said = port.responses.find(({ transport, failure }) => transport === 'cgminer-tcp' && failure === undefined);
    if (socket.writable) socket.end(said === undefined ? 'HTTP/1.1 400 Bad Request\r\n\r\n' : port.bytesOf(said));
  });
  return (socket) => void server.emit('connection', socket);
}

function createPages({ responses, bytesOf }: Port, login: ReplayLogin) {
  const guard = createDigestGuard(realmOf(responses) ?? 'replay', login);
  const opening = responses.find(({ auth }) => auth === 'login');
  const grants = opening === undefined ? [] : grantsOf(opening, bytesOf(opening).toString('utf8'));
  const isDigest = realmOf(responses) !== undefined;

  /** Whether the client has shown what the answer was given for. */
  const isLetIn = ({ auth, status = 0, path }: Exchange, request: WebRequest & WebQuestion): boolean => {
    const sent = [request.url, request.body, ...Object.values(request.headers).flat()].join('\n');
    switch (auth) {
      case 'digest':
        return guard.letsIn(request);
      case 'session':
        return grants.length === 0 || grants.some((word) => sent.includes(word));
      case 'carried':
        return holdsPassword(sent, login);
      case 'login':
        return opening === undefined || !isPasswordVisible(opening) || holdsPassword(sent, login);
      case undefined:
        // Cases of before say it by the challenge only; the start page of a guarded web is the refusal itself.
        return !isDigest || status === 401 || path === undefined || guard.letsIn(request);
    }
  };
  const refuse = (response: ServerResponse, isOfDigest: boolean) => {
    response.writeHead(401, {
      'Content-Type': 'text/html',
      ...(isOfDigest && { 'WWW-Authenticate': guard.challenge() }),
    });
    response.end('<html><head><title>401 Unauthorized</title></head></html>');
  };

  return (request: WebRequest & WebQuestion, response: ServerResponse): void => {
    const all = answersToPage(responses, request);
    // The answer behind the login comes first.
    const ordered = all.toSorted((one, other) => Number(other.auth !== undefined) - Number(one.auth !== undefined));
    const found = ordered.find((recorded) => isLetIn(recorded, request));
    if (found !== undefined) return send(response, found, bytesOf(found), guard.challenge);
    if (all.length > 0) return refuse(response, isDigest);
    response.writeHead(404, { 'Content-Type': 'text/plain' });
    response.end(`the case holds no answer to ${request.method} ${request.url}\n`);
  };
}

function send(response: ServerResponse, found: Exchange, bytes: Buffer, challenge: () => string): void {
  if (isSilence(found, bytes)) return;
  if (found.status === undefined) {
    response.socket?.destroy();
    return;
  }
  const { 'www-authenticate': challenged, 'set-cookie': cookies, ...headers } = found.headers ?? {};
  const isAsking = found.status === 401 && challenged !== undefined;
  response.writeHead(found.status, {
    'Content-Length': bytes.length,
    ...headers,
    ...(cookies !== undefined && { 'Set-Cookie': cookies.split('\n') }),
    ...(isAsking && { 'WWW-Authenticate': /^digest/i.test(challenged) ? challenge() : challenged }),
  });
  response.end(bytes);
}

const realmOf = (responses: readonly Exchange[]): string | undefined =>
  responses
    .flatMap(({ headers = {} }) => /^digest.*?realm="([^"]*)"/i.exec(headers['www-authenticate'] ?? '')?.[1] ?? [])
    .at(0);
