// The WebSocket endpoint for agents: checks the token before it upgrades, keeps the newest connection of each agent,
// pings, drops silent ones. Where the newest connection of an agent is on another copy, the one here closes.
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../base/clock.ts';
import { REFUSALS, RETRY_AFTER_S } from '../../base/error-codes.data.ts';
import { DatabaseError, renderError } from '../../base/errors.ts';
import { createRound } from '../../base/lifecycle.ts';
import type { Notice, TaskCommand } from '../../wire/frames.ts';
import {
  CHALLENGE_HEADER,
  MAX_FRAME_BYTES,
  PEER_SILENCE_MS,
  PING_INTERVAL_MS,
  UPLINK_PATH,
} from '../../wire/protocol.ts';
import { isSecretOf } from '../auth/secrets.ts';
import type { Agent, AgentStore, Availability, LinkStore } from '../store/store.ts';
import { CLOSE, type Connection, createConnection, NO_DATABASE } from './connection.ts';
import type { SessionParts } from './session.ts';

type UplinkParts = Omit<SessionParts, 'agent' | 'challenge' | 'onProven' | 'onHello'> & {
  readonly agents: Pick<AgentStore, 'find' | 'touch' | 'setHello' | 'findDismissed'>;
  readonly links: LinkStore;
  readonly availability: Availability;
  /** A connection of the agent has been claimed: other copies let theirs go. */
  readonly announceLink: (agentId: string) => void;
};

/** How long agents get to finish the closing handshake when the service stops. */
const CLOSE_GRACE_MS = 2_000;

/** Tokens cannot be guessed; this bounds the work of checking them. */
const MAX_AUTHENTICATING = 256;

/** For an agent to prove its key. */
const PROOF_MS = 15_000;

const TOOK_OVER = 'a newer connection of this agent took over';
const STOPS = 'the service stops';

export function createUplinks(parts: UplinkParts) {
  const { agents, clock, log } = parts;
  const connections = new Map<string, Connection>();
  /** Also those whose agent has not said hello, and those that were replaced. */
  const open = new Set<Connection>();
  /** The claim of each connection that has made one. */
  const claims = new WeakMap<Connection, string>();

  const accept = (socket: WebSocket, agent: Agent, challenge: string) => {
    const takeOver = () => {
      if (connections.get(agent.id) === connection) return;
      connections.get(agent.id)?.close(CLOSE.replaced, TOOK_OVER);
      connections.set(agent.id, connection);
    };
    const connection: Connection = createConnection(socket, {
      ...parts,
      agent,
      challenge,
      onProven: () => cancelPatience(),
      onHello: async (hello) => {
        takeOver();
        await agents.setHello(agent.id, hello);
        await agents.touch([agent.id], clock.nowMs());
        const linkId = randomUUID();
        await parts.links.claim(agent.id, linkId, clock.nowMs());
        claims.set(connection, linkId);
        parts.announceLink(agent.id);
      },
    });
    open.add(connection);
    // A peer that has only the token of an agent replaces no connection, and does not stay.
    const cancelPatience = clock.after(PROOF_MS, () => connection.terminate());
    log.info({ agentId: agent.id }, 'agent connected');
    socket.on('error', (error) => log.debug({ agentId: agent.id, error: renderError(error) }, 'uplink socket failed'));
    socket.on('close', (code) => {
      cancelPatience();
      open.delete(connection);
      if (connections.get(agent.id) === connection) connections.delete(agent.id);
      log.info({ agentId: agent.id, code }, 'agent disconnected');
    });
  };
  const upgrades = createUpgrades(parts, accept);
  // Another copy may have a database: agents come to it through the load balancer, or here again when there is one.
  parts.availability.onChange((unavailable) => {
    if (unavailable === undefined) return;
    for (const connection of connections.values()) connection.close(CLOSE.away, NO_DATABASE);
  });

  const round = createRound('tending uplinks', PING_INTERVAL_MS, () => tend(connections, claims, parts), clock, log);
  return {
    /** Takes the upgrade requests for UPLINK_PATH. */
    attach(server: Server): void {
      server.on('upgrade', (request, socket, head) => {
        if (request.url?.split('?')[0] !== UPLINK_PATH) return;
        upgrades.take(request, socket, head).catch((error: unknown) => {
          if (error instanceof DatabaseError) return void socket.end(UNAVAILABLE);
          log.error({ error: renderError(error) }, 'upgrade failed');
          socket.destroy();
        });
      });
    },
    /** Runs the pings until `stop`. */
    start: round.start,
    /** The agent is connected here and reads what it is sent. */
    hasRoom: (agentId: string): boolean => connections.get(agentId)?.hasRoom() ?? false,
    /** Closes the connections here (of this agent, or all) that are no longer the newest of their agent. */
    yieldReplaced: (agentId?: string) =>
      yieldReplaced(agentId === undefined ? [...connections.keys()] : [agentId], connections, claims, parts.links),
    countConnected: (): number => connections.size,
    connectedIds: (): readonly string[] => [...connections.keys()],
    /** False when the agent is not connected here. */
    send: (agentId: string, message: TaskCommand | Notice): boolean => connections.get(agentId)?.send(message) ?? false,
    /** Every agent is told that the service restarts, also one that is connecting now. */
    async stop(): Promise<void> {
      upgrades.refuse();
      const told = [...open];
      for (const connection of told) connection.close(CLOSE.restart, STOPS);
      await Promise.all([round.stop(), ...told.map((connection) => connection.drained())]);
      await upgrades.close(clock);
    },
  };
}

type Connections = ReadonlyMap<string, Connection>;
type Claims = WeakMap<Connection, string>;

async function yieldReplaced(ids: readonly string[], connections: Connections, claims: Claims, links: LinkStore) {
  // Claims made before the database is asked: it answers with these or later ones.
  const ours = ids.flatMap((id) => {
    const connection = connections.get(id);
    const linkId = connection && claims.get(connection);
    return connection === undefined || linkId === undefined ? [] : [{ id, connection, linkId }];
  });
  const current = await links.current(ours.map(({ id }) => id));
  for (const { id, connection, linkId } of ours)
    if (current.get(id) !== linkId) connection.close(CLOSE.replaced, TOOK_OVER);
}

/**
 * Closes replaced connections and those of revoked agents or archived farms, pings the others, drops the silent ones.
 */
async function tend(connections: Connections, claims: Claims, { agents, links, clock }: UplinkParts): Promise<void> {
  await yieldReplaced([...connections.keys()], connections, claims, links);
  const nowMs = clock.monotonicMs();
  for (const connection of connections.values()) {
    if (nowMs - connection.heardAtMs() > PEER_SILENCE_MS) connection.terminate();
    else connection.ping();
  }
  await agents.touch([...connections.keys()], clock.nowMs());
  for (const [id, why] of await agents.findDismissed([...connections.keys()]))
    connections
      .get(id)
      ?.close(CLOSE.refused, why === 'revoked' ? 'this agent was revoked' : REFUSALS['farm.archived'].text);
}

/** Upgrades requests with the token of an agent; each gets a challenge of its own. */
function createUpgrades(
  { agents, availability, log }: Pick<UplinkParts, 'agents' | 'availability' | 'log'>,
  accept: (socket: WebSocket, agent: Agent, challenge: string) => void,
) {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  const challenges = new WeakMap<IncomingMessage, string>();
  let authenticating = 0;
  let phase: 'open' | 'stopping' | 'closed' = 'open';
  sockets.on('headers', (headers, request) => {
    const challenge = newChallenge();
    challenges.set(request, challenge);
    headers.push(`${CHALLENGE_HEADER}: ${challenge}`);
  });
  /** Told what all agents are told: it comes back later. A 5xx would look like a fault of the service. */
  const sendAway = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (phase === 'closed') return void socket.destroy();
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => {});
      webSocket.close(CLOSE.restart, STOPS);
    });
  };
  return {
    async take(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
      if (phase !== 'open') return sendAway(request, socket, head);
      const onError = () => socket.destroy();
      socket.on('error', onError);
      if (availability.unavailable() !== undefined || authenticating >= MAX_AUTHENTICATING) {
        socket.end(UNAVAILABLE);
        return;
      }
      authenticating++;
      const agent = await authenticate(agents, request).finally(() => authenticating--);
      if (agent === undefined)
        log.info({ address: request.socket.remoteAddress }, 'uplink refused: no token of an agent');
      if (agent === undefined || socket.destroyed) {
        socket.end(UNAUTHORIZED);
        return;
      }
      socket.off('error', onError);
      if (phase !== 'open') return sendAway(request, socket, head);
      sockets.handleUpgrade(request, socket, head, (webSocket) =>
        accept(webSocket, agent, challenges.get(request) ?? newChallenge()),
      );
    },
    /** Accepts no agent any more. */
    refuse(): void {
      phase = 'stopping';
    },
    /** Resolves when all sockets are closed; those that do not say goodbye in time are cut. */
    async close(clock: Clock): Promise<void> {
      const cancel = clock.after(CLOSE_GRACE_MS, () => {
        phase = 'closed';
        for (const client of sockets.clients) client.terminate();
      });
      // Also those that are sent away meanwhile.
      for (const client of sockets.clients) await new Promise((resolve) => client.once('close', resolve));
      phase = 'closed';
      cancel();
    },
  };
}

const newChallenge = () => randomBytes(24).toString('base64url');

/** `Authorization: Bearer <agent id>.<token>`. */
async function authenticate(agents: Pick<AgentStore, 'find'>, request: IncomingMessage): Promise<Agent | undefined> {
  const match = /^Bearer ([0-9a-f-]{36})\.([A-Za-z0-9_-]{20,128})$/.exec(request.headers.authorization ?? '');
  const [, id, token] = match ?? [];
  if (id === undefined || token === undefined) return undefined;
  const agent = await agents.find(id);
  return agent !== undefined && !agent.isRevoked && isSecretOf(token, agent.tokenHash) ? agent : undefined;
}

function refusal(statusCode: number, error: string, message: string, header = ''): string {
  const body = JSON.stringify({ statusCode, message, error });
  return `HTTP/1.1 ${statusCode} ${error}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n${header}\r\n${body}`;
}

const UNAUTHORIZED = refusal(401, 'Unauthorized', 'Invalid or missing agent token');
const UNAVAILABLE = refusal(
  503,
  'Service Unavailable',
  'The service is busy or without its database, try again',
  `retry-after: ${RETRY_AFTER_S}\r\n`,
);
