// TLS before a plain port, as a device has it whose web wants to be read over HTTPS. Which key it shows can be swapped;
// it keeps what it was sent.
import { hash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createServer, type SecureVersion, type TLSSocket } from 'node:tls';

export type KeyPair = { readonly key: string; readonly cert: string };

/** As an agent names it: SHA-256 of the public key (SPKI). */
export const tlsKeyOf = ({ cert }: KeyPair): string =>
  hash('sha256', new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }), 'hex');

export async function startTlsFront(options: {
  readonly host: string;
  readonly port?: number;
  /** Where the decrypted bytes go. */
  readonly to: { readonly host: string; readonly port: number };
  readonly pair: KeyPair;
  readonly version?: SecureVersion;
}) {
  const { host, to, version } = options;
  const sockets = new Set<TLSSocket>();
  const connections = new Set<Socket>();
  let heard = '';
  let resumed = 0;
  let handshakes = 0;
  const versions = version && { minVersion: version, maxVersion: version };
  const server = createServer({ ...options.pair, ...versions }, (socket) => {
    handshakes++;
    if (socket.isSessionReused()) resumed++;
    sockets.add(socket);
    const behind = connect(to);
    const end = () => {
      sockets.delete(socket);
      socket.destroy();
      behind.destroy();
    };
    for (const side of [socket, behind]) side.on('error', end).on('close', end);
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      behind.write(bytes);
    });
    behind.on('data', (bytes) => socket.write(bytes));
  });
  server.on('tlsClientError', () => {});
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.listen({ host, port: options.port ?? 0 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the front has no port');
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  const drop = async () => {
    await Promise.all(
      [...sockets].map((socket) => {
        socket.end();
        return once(socket, 'close');
      }),
    );
  };
  return {
    port: address.port,
    /** All that it was sent, decrypted. */
    heard: () => heard,
    /** All that it was sent, as soon as everybody has hung up. */
    async heardInTheEnd() {
      await Promise.all([...connections].map((socket) => once(socket, 'close')));
      return heard;
    },
    /** What comes from now on. */
    listenAnew() {
      heard = '';
    },
    handshakes: () => handshakes,
    resumed: () => resumed,
    /** Hangs up. Everybody has seen it. */
    drop,
    /**
     * Another device stands there now: it shows this key to all who come. Everybody has seen that the one before has
     * left.
     */
    async swap(pair: KeyPair) {
      server.setSecureContext({ ...pair, ...versions });
      await drop();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      hangUp();
      await closed;
    },
  };
}

export type TlsFront = Awaited<ReturnType<typeof startTlsFront>>;
