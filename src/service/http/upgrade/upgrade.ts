// WebSockets beside that of agents. A request for one goes through the routes as every other, so the guard, the limits
// and the log see it, and who is refused gets an ordinary answer. Its handler then takes the socket.
import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { RefusedError } from '../../../base/errors.ts';
import { isStream } from './paths.ts';

/** Of a request that asks for a WebSocket: `head` came behind it. */
type Upgrade = { readonly socket: Socket; readonly head: Buffer };

/** Readers send nothing; a longer message closes the socket with 1009. */
const MAX_MESSAGE_BYTES = 1_024;

type Routes = { routing(request: IncomingMessage, response: ServerResponse): void };

export type Upgrades = ReturnType<typeof createUpgrades>;

export function createUpgrades() {
  const asked = new WeakMap<IncomingMessage, Upgrade>();
  const sockets = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false },
  });
  return {
    attach(server: Server, app: Routes): void {
      server.on('upgrade', (request, socket, head) => {
        if (!isStream(request) || !(socket instanceof Socket)) return;
        asked.set(request, { socket, head });
        app.routing(request, answerOn(request, socket));
      });
    },
    /**
     * To be called by the handler of a route that the guard has let the request into: the socket is taken from the
     * answer. `accept` is not called where the handshake is wrong. Throws RefusedError `request.upgrade` where the
     * request asks for no WebSocket, and what `admitUpgrade` throws.
     */
    take(request: FastifyRequest, reply: FastifyReply, accept: (socket: WebSocket) => void): void {
      const upgrade = asked.get(request.raw);
      if (upgrade === undefined) {
        reply.header('connection', 'upgrade').header('upgrade', 'websocket');
        throw new RefusedError('request.upgrade');
      }
      admitUpgrade(request);
      const { socket, head } = upgrade;
      reply.hijack();
      reply.raw.detachSocket(socket);
      sockets.handleUpgrade(request.raw, socket, head, accept);
    },
  };
}

/**
 * Beside what the guard asks of every request. A browser sends what it knows of its user with a WebSocket of any page,
 * so a page of another origin is refused: RefusedError `auth.origin`. Programs name no origin.
 */
function admitUpgrade({ headers: { origin }, host }: FastifyRequest): void {
  if (origin !== undefined && hostOf(origin) !== host.toLowerCase()) throw new RefusedError('auth.origin');
}

/** An answer on the socket, which ends with it, also where the client stays: no other request can be read from it. */
function answerOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  socket.on('error', () => socket.destroy());
  response.on('finish', () => {
    response.detachSocket(socket);
    socket.destroySoon();
  });
  return response;
}

/** As the header Host has it: without the port where that is the usual one. */
const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);
