// The server socket: plain or TLS, with a bound on every wait for a client and on the number of clients. Requests are
// handled in server.ts. Certificate and key are checked before anything listens: they can be read, are what they should
// be, and belong together.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createPlain, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure, type Server as SecureServer } from 'node:https';
import { ConfigError, type Problem } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { boundConnections } from '../../base/net/bounded-connections.ts';
import { connectionsWithin, openFileLimit } from '../../base/platform/fd-limit.ts';
import { UPLINK_PATH } from '../../wire/protocol.ts';

export type SocketLimits = {
  /** For the headers, and for the whole of a request, to arrive. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** A connection that asks nothing. */
  readonly idleMs: number;
  readonly connections: number;
};

/** How often late clients are looked for; each is cut at most this much later than its limit. */
const LOOK_SHARE = 5;

/**
 * Some clients offer HTTP/2 with every request (`Upgrade: h2c`): what we do not take up is a request like any other.
 */
const isForUplink = ({ url, headers }: IncomingMessage) =>
  url?.split('?')[0] === UPLINK_PATH && headers.upgrade?.toLowerCase() === 'websocket';

/** Only what asks for the uplink becomes an `upgrade`. A request without `Host` is the handler's to refuse. */
export function createHttpServer(handler: RequestListener, limits: SocketLimits, tls: TlsMaterial | undefined): Server {
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    shouldUpgradeCallback: isForUplink,
    // Refused here it would have no body.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.ceil(Math.min(limits.headersMs, limits.requestMs) / LOOK_SHARE),
  };
  const server =
    tls === undefined
      ? createPlain(options, handler)
      : createSecure({ ...options, ...tls, handshakeTimeout: limits.headersMs }, handler);
  // An unknown `Expect` header gets an ordinary answer.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  boundConnections(server, connectionsWithin(limits.connections, openFileLimit()), { upgrades: true });
  return server;
}

/** PEM files. The certificate file holds the whole chain, ours first. */
export type TlsFiles = { readonly certFile: string; readonly keyFile: string };

/** As Node takes it; nothing older than TLS 1.2 is spoken. */
export type TlsMaterial = { readonly cert: Buffer; readonly key: Buffer; readonly minVersion: 'TLSv1.2' };

/**
 * Looks whether the files have changed, and if they are good, has the server use them for new connections: certificates
 * are renewed often.
 */
export function createRenewal(files: TlsFiles, server: SecureServer, first: TlsMaterial, log: Log): () => void {
  let current = first;
  return () => {
    const { material } = readTls(files);
    if (material.cert.equals(current.cert) && material.key.equals(current.key)) return;
    server.setSecureContext(material);
    current = material;
    log.info({ certFile: files.certFile }, 'the certificate was renewed');
  };
}

/** Throws ConfigError that names every file that is no good, never what is in it. */
export function readTls({ certFile, keyFile }: TlsFiles): { material: TlsMaterial; expiresAtMs: number } {
  const problems: Problem[] = [];
  const read = <T>(path: string, file: string, what: string, parse: (bytes: Buffer) => T) => {
    try {
      const bytes = readFileSync(file);
      try {
        return { bytes, parsed: parse(bytes) };
      } catch {
        problems.push({ path, message: `${file} is not ${what}` });
      }
    } catch {
      problems.push({ path, message: `${file} cannot be read: does it exist, may this user read it?` });
    }
    return undefined;
  };
  const cert = read('listen.tls.certFile', certFile, 'a certificate in PEM', (bytes) => new X509Certificate(bytes));
  const key = read('listen.tls.keyFile', keyFile, 'a private key in PEM without a password', (bytes) =>
    createPrivateKey(bytes),
  );
  if (cert !== undefined && key !== undefined && !cert.parsed.checkPrivateKey(key.parsed))
    problems.push({ path: 'listen.tls.keyFile', message: `${keyFile} is not the key of ${certFile}` });
  if (cert === undefined || key === undefined || problems.length > 0)
    throw new ConfigError('read the certificate', problems);
  return {
    material: { cert: cert.bytes, key: key.bytes, minVersion: 'TLSv1.2' },
    expiresAtMs: cert.parsed.validToDate.getTime(),
  };
}
