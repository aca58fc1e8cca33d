// The web server of a recorded device: its pages, and the login that stands before them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Exchange } from '../format.ts';
import { answersToPage, type WebQuestion } from './answers.ts';
import {
  createDigestGuard,
  grantsOf,
  holdsPassword,
  isPasswordVisible,
  type ReplayLogin,
  type WebRequest,
} from './login.ts';
import { IDLE_MS, isSilence, MAX_REQUEST_BYTES, type Port } from './port.ts';

export function webServer(port: Port, login: ReplayLogin): (socket: Socket) => void {
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
  const grants = responses.flatMap((each) =>
    each.auth === 'login' ? grantsOf(each, bytesOf(each).toString('utf8')) : [],
  );
  const saysAuth = responses.some(({ auth }) => auth !== undefined);
  const isDigest = realmOf(responses) !== undefined;

  /** Whether the client has shown what the answer was given for. */
  const isLetIn = (recorded: Exchange, request: WebRequest & WebQuestion): boolean => {
    const { auth, status = 0 } = recorded;
    const sent = [request.url, request.body, ...Object.values(request.headers).flat()].join('\n');
    switch (auth) {
      case 'digest':
        return guard.letsIn(request);
      case 'session':
        return grants.length === 0 || isMissing(status) || grants.some((word) => sent.includes(word));
      case 'carried':
        return holdsPassword(sent, login);
      case 'login':
        return !isPasswordVisible(recorded) || holdsPassword(sent, login);
      default:
        // Cases without `auth` say it by the challenge only. Then the refusal alone is open.
        return saysAuth || !isDigest || status === 401 || guard.letsIn(request);
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
    if (found !== undefined) send(response, found, bytesOf(found), guard.challenge);
    else if (all.length > 0) refuse(response, isDigest);
    else {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end(`the case holds no answer to ${request.method} ${request.url}\n`);
    }
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

/** With a session or without. */
const isMissing = (status: number): boolean => status >= 400 && status !== 401 && status !== 403;

const realmOf = (responses: readonly Exchange[]): string | undefined =>
  responses
    .flatMap(({ headers = {} }) => /^digest.*?realm="([^"]*)"/i.exec(headers['www-authenticate'] ?? '')?.[1] ?? [])
    .at(0);
