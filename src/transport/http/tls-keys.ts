// The keys by which devices are known over TLS. No authority signs certificates of miners, so only the key is checked.
// It is read once per connection; sessions are not resumed, so each connection shows one.
import { hash } from 'node:crypto';
import { createSecureContext, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';

/** Which connection a request would go over: the address and the port. */
type Peer = { readonly ip: string; readonly port: number };

const nameOf = ({ ip, port }: Peer) => `${ip}:${port}`;

/** `connector` is for a dispatcher with one connection per address and port; `of` = the key on the open one. */
export function createTlsKeys(connectTimeoutMs: number) {
  const connect = buildConnector({
    ...{ timeout: connectTimeoutMs, allowH2: false, rejectUnauthorized: false, maxCachedSessions: 0 },
    // One for all: otherwise each connection makes its own, in memory that a collection frees late.
    secureContext: createSecureContext(),
  });
  const open = new Map<string, { readonly socket: TLSSocket; readonly key: string }>();

  const note = (name: string, socket: TLSSocket, key: string) => {
    open.set(name, { socket, key });
    socket.once('close', () => {
      if (open.get(name)?.socket === socket) open.delete(name);
    });
  };

  const connector: buildConnector.connector = (options, callback) =>
    connect(options, (error, socket) => {
      if (error !== null) return callback(error, null);
      if (socket instanceof TLSSocket) {
        const key = keyOn(socket);
        if (key === undefined) {
          socket.destroy();
          return callback(new Error('it shows no key that can be read'), null);
        }
        note(nameOf({ ip: options.hostname, port: Number(options.port || 443) }), socket, key);
      }
      callback(null, socket);
    });

  return { connector, of: (peer: Peer): string | undefined => open.get(nameOf(peer))?.key };
}

/** SHA-256 of the public key (SPKI, DER), in hex; undefined where there is none. */
function keyOn(socket: TLSSocket): string | undefined {
  try {
    const publicKey = socket.getPeerX509Certificate()?.publicKey;
    return publicKey && hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'hex');
  } catch {
    return undefined;
  }
}

/** Of a key, as people compare it. */
export const shortKey = (key: string): string => key.slice(0, 16);
