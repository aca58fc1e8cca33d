// Bounds how many connections an HTTP server holds. When it is nearly full, it closes the connection that has been
// silent longest, so that a crowd of idle ones keeps no client out. Those that never asked anything go first. It never
// closes a connection with a request under way, or one that was taken over by an upgrade.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Socket, Server as TcpServer } from 'node:net';

/** A share of the bound that stays free for those who come next. */
const SPARE_SHARE = 0.05;

type Connection = { readonly socket: Socket; underWay: number };

/**
 * `most` connections at once: one more is refused. Call it before the server listens. `upgrades` says that the server
 * takes upgrades: the connection then belongs to who took it. `front` accepts connections and hands them to the server
 * later, perhaps through TLS: they count from the moment when it has accepted them.
 */
export function boundConnections(
  server: Server,
  most: number,
  { upgrades, front }: { readonly upgrades: boolean; readonly front?: TcpServer | undefined },
): void {
  for (const listener of front === undefined ? [server] : [server, front]) listener.maxConnections = most;
  const keyOf = front !== undefined || server instanceof SecureServer ? endsOf : (socket: Socket) => socket;
  const spare = Math.ceil(most * SPARE_SHARE);
  /** In the order in which they fell silent. */
  const [neverAsked, answered] = [new Set<Connection>(), new Set<Connection>()];
  const connections = new Map<Socket | string, Connection>();
  const leave = (connection: Connection) => {
    neverAsked.delete(connection);
    answered.delete(connection);
  };
  const closeOldest = () => {
    const [oldest] = neverAsked.size > 0 ? neverAsked : answered;
    if (oldest === undefined) return;
    leave(oldest);
    oldest.socket.destroy();
  };
  const enter = (socket: Socket) => {
    const key = keyOf(socket);
    // The front has counted it.
    if (connections.has(key)) return;
    const connection: Connection = { socket, underWay: 0 };
    connections.set(key, connection);
    // Before the new one is silent too: it is about to ask.
    if (connections.size > most - spare) closeOldest();
    neverAsked.add(connection);
    socket.once('close', () => {
      leave(connection);
      if (connections.get(key) === connection) connections.delete(key);
    });
  };
  front?.on('connection', enter);
  server.on('connection', enter);
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(keyOf(socket));
    if (connection === undefined) return;
    leave(connection);
    connection.underWay++;
    response.once('close', () => {
      connection.underWay--;
      if (connection.underWay === 0 && !connection.socket.destroyed) answered.add(connection);
    });
  });
  if (!upgrades) return;
  server.on('upgrade', ({ socket }: IncomingMessage) => {
    const connection = connections.get(keyOf(socket));
    if (connection !== undefined) leave(connection);
  });
}

/** With TLS a request comes on another socket than the connection: both have the same ends. */
const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
