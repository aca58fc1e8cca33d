// What stands in front of the HTTP server where it has TLS: one port for those who speak TLS, for this host, which may
// speak plainly, and for people who typed http. The first byte of a connection tells them apart. It answers no request
// itself, and bounds how long a connection may take until there is one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTcp, type Socket, type Server as TcpServer } from 'node:net';
import { createServer as createTls } from 'node:tls';
import type { Cancel, Clock } from '../../base/clock.ts';
import { isLoopback } from '../../base/net/ipv4.ts';
import type { TlsMaterial } from '../certificates/tls-material.ts';
import { errorBody } from './shared/errors.ts';

/** A TLS connection begins with a record of a handshake; no method of HTTP begins with this byte. */
const HANDSHAKE = 0x16;

/** As a server of HTTP accepts connections. Not yet served: that server has to be known first. */
export const createFront = (): TcpServer => createTcp({ noDelay: true, allowHalfOpen: true });

/**
 * Hands each connection to `http`: through TLS, or as it is where `isPlainServed`. Who has not got so far within
 * `waitMs` is cut off; `closeWaiting` ends all of those. Call it before the front listens.
 */
export function serveTls(
  front: TcpServer,
  http: Server,
  {
    tls,
    waitMs,
    isPlainServed,
    clock,
  }: { tls: TlsMaterial; waitMs: number; isPlainServed: boolean; clock: Pick<Clock, 'after'> },
) {
  const waiting = new Map<string, { readonly socket: Socket; readonly cancel: Cancel }>();
  const waitNoMore = (peer: string) => {
    waiting.get(peer)?.cancel();
    waiting.delete(peer);
  };
  const handOver = (socket: Socket) => {
    waitNoMore(peerOf(socket));
    http.emit('connection', socket);
  };
  const secure = createTls({ ...tls, ALPNProtocols: ['http/1.1'] }, handOver);
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  const sort = (socket: Socket, first: number | undefined) => {
    if (first === HANDSHAKE) secure.emit('connection', socket);
    else if (isPlainServed) handOver(socket);
    else socket.destroy();
  };
  front.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    waiting.set(peer, { socket, cancel: clock.after(waitMs, () => socket.destroy()) });
    socket.on('error', () => socket.destroy()).once('close', () => waitNoMore(peer));
    socket.once('readable', () => {
      const bytes: unknown = socket.read();
      if (Buffer.isBuffer(bytes)) {
        socket.unshift(bytes);
        sort(socket, bytes[0]);
      } else socket.destroy();
    });
  });
  return {
    renew: (next: TlsMaterial) => secure.setSecureContext(next),
    closeWaiting() {
      for (const { socket } of waiting.values()) socket.destroy();
    },
  };
}

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

/** Came to the port of TLS in plain text, from beyond this host. */
export const isPlainFromAfar = (socket: Socket): boolean =>
  !('encrypted' in socket) && !isLoopback(socket.localAddress ?? '');

const CREDENTIALS = ['authorization', 'cookie', 'x-api-key'];
const HOST = /^([\w.-]+|\[[\da-fA-F:]+\])(:\d+)?$/;

/** A person who only looks is sent on; a program has to be told, for it goes on like this otherwise. */
export function sendToTls({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse): void {
  const { host = '' } = headers;
  const isHarmless = ['GET', 'HEAD'].includes(method) && !CREDENTIALS.some((name) => name in headers);
  const target = HOST.test(host) && url.startsWith('/') ? `https://${host}` : undefined;
  if (isHarmless && target !== undefined) {
    response.writeHead(308, { location: target + url, connection: 'close', 'content-length': 0 }).end();
    return;
  }
  const body = JSON.stringify(errorBody(400, `${REFUSED}: ask ${target ?? 'https'} instead. ${EXPOSED_KEY}`));
  response
    .writeHead(400, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(body);
}

const REFUSED = 'Beyond its own host this service answers by TLS alone, and has done nothing';
const EXPOSED_KEY = 'A key that came with this request was not encrypted: replace it';
