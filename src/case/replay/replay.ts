// A case as a device: real sockets on this host that answer what the recorded device answered. It stands in for the
// device while a driver is written and checked.
import { createServer, type Server, type Socket } from 'node:net';
import { ConfigError } from '../../base/errors.ts';
import type { CaseFolder } from '../folder.ts';
import type { ReplayLogin } from './login.ts';
import { type ReplayServer, replayServers } from './servers.ts';

export type Replayed = {
  readonly ip: string;
  /** Port of the device → port here. Ports that the device had not open lead to one where nothing listens. */
  readonly portMap: ReadonlyMap<number, number>;
  readonly login: ReplayLogin;
  close(): Promise<void>;
};

type ReplayOptions = {
  readonly ip?: string;
  /** Port of the device → port to listen on; any free one without. */
  readonly portMap?: ReadonlyMap<number, number>;
  readonly login?: ReplayLogin;
};

export const REPLAY_LOGIN: ReplayLogin = { user: 'admin', password: 'admin' };
/** Needs the rights of an administrator, and is used by nothing. */
const NOTHING_LISTENS = 1;
const MAX_CONNECTIONS = 64;

/** Throws ConfigError when a port cannot be taken. */
export async function replay(recorded: CaseFolder, options: ReplayOptions = {}): Promise<Replayed> {
  const { ip = '127.0.0.1', login = REPLAY_LOGIN, portMap: wanted = new Map<number, number>() } = options;
  const portMap = new Map(Object.keys(recorded.about.ports).map((port) => [Number(port), NOTHING_LISTENS]));
  const listeners: Listener[] = [];
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  try {
    for (const server of replayServers(recorded, login)) {
      const listener = await listen(server, ip, wanted.get(server.port) ?? 0);
      listeners.push(listener);
      portMap.set(server.port, listener.port);
    }
  } catch (error) {
    await close();
    const message = `${error instanceof Error ? error.message : error}: name other ports with --port-map`;
    throw new ConfigError(`replay ${recorded.folder}`, [{ path: ip, message }]);
  }
  return { ip, portMap, login, close };
}

type Listener = { readonly port: number; close(): Promise<void> };

async function listen({ accept }: ReplayServer, ip: string, port: number): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    accept(socket);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: ip, port, exclusive: true }, () => resolve());
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system gives no port');
  return {
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
