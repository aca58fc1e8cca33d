// A device that plays what a test tells it to, on its web port and on CGMiner's: what it answers may change from one
// request to the next. Everything that it is sent is kept.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcp, type Server as TcpServer } from 'node:net';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};
/** `raw` = written as it is, in place of an answer of HTTP. */
export type Reply =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string | readonly string[]>>;
      readonly body?: string;
    }
  | { readonly raw: string };

/** What it does now; a test replaces it while the device runs. */
export type Act = {
  /** Undefined: 404. */
  web?: (asked: Asked) => Reply | undefined;
  /** Answer to what came on port 4028; undefined: it hangs up. */
  tcp?: (text: string) => string | undefined;
};

export type Actor = {
  readonly ip: string;
  act: Act;
  /** All that it was sent since the last `forget`, as Latin-1. */
  heard(): string;
  forget(): void;
  stop(): Promise<void>;
};

export async function startActor(
  ip: string,
  portMap: Readonly<Record<number, number>>,
  act: Act,
  webPorts: readonly number[] = [80],
): Promise<Actor> {
  let heard = '';
  const actor = { act };
  const onWeb = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const body = Buffer.concat(chunks).toString('latin1');
      const { method = '', url = '', headers, rawHeaders } = request;
      heard += `${[`${method} ${url}`, ...rawHeaders, body].join('\n')}\n`;
      const reply = actor.act.web?.({ method, path: url, headers, body }) ?? { status: 404 };
      if ('raw' in reply) return void request.socket.end(reply.raw, 'latin1');
      response.writeHead(
        reply.status ?? 200,
        Object.entries(reply.headers ?? {}).flatMap(([k, v]) => [v].flat().flatMap((each) => [k, each])),
      );
      response.end(reply.body ?? '');
    });
  };
  const servers: (Server | TcpServer)[] = [];
  const listen = (server: Server | TcpServer, port: number) => {
    servers.push(server);
    return new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(portMap[port] ?? port, ip, resolve);
    });
  };
  for (const port of webPorts) await listen(createServer({ keepAlive: true }, onWeb), port);
  const tcp = createTcp((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      heard += `${text}\n`;
      const answer = actor.act.tcp?.(text);
      if (answer === undefined) socket.destroy();
      else socket.end(answer, 'latin1');
    });
  });
  await listen(tcp, 4028);
  return {
    ip,
    get act() {
      return actor.act;
    },
    set act(next) {
      actor.act = next;
    },
    heard: () => heard,
    forget() {
      heard = '';
    },
    async stop() {
      await Promise.all(
        servers.map((server) => {
          if ('closeAllConnections' in server) server.closeAllConnections();
          return new Promise<void>((resolve) => server.close(() => resolve()));
        }),
      );
    },
  };
}
