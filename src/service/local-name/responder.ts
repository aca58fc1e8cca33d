// Answers the networks of this host that ask for its local name, so that people need no address to open the page. It
// sends nothing that was not asked for, and answers nothing that comes from beyond those networks.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import { createRound, type Part } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import type { Link } from '../../base/net/intervals.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { createRateLimit } from '../../base/time/rate-limit.ts';
import { answerTo, MDNS_PORT, readQuery } from './answer.ts';

const GROUP = '224.0.0.251';
/** Packets that crossed a router have less, and are none of this network (RFC 6762 section 11). */
const HOPS = 255;

const LOOK_MS = 60_000;
const SECOND_MS = 1_000;
/** In each network: the same answer to all (RFC 6762 section 6), answers to single hosts, and packets that are read. */
const [MOST_TO_ALL, MOST_ONCE, MOST_READ] = [1, 20, 200];

type Options = {
  readonly name: () => string;
  /** As they are now. */
  readonly links: () => readonly Link[];
  readonly port?: number;
  readonly clock: Clock;
  readonly log: Log;
};

/** Looks once a minute which addresses this host has. Where the port cannot be had, it says so once and tries again. */
export function createLocalName({ name, links, port = MDNS_PORT, clock, log }: Options): Part {
  const open = new Map<string, Socket>();
  const reported = new Set<string>();

  const refuse = (link: Link, socket: Socket, error: unknown) => {
    const key = keyOf(link);
    if (open.get(key) !== socket) return;
    open.delete(key);
    socket.close();
    const data = { address: link.address, port, cause: renderError(error) };
    if (!reported.has(key))
      log.warn(data, `this network cannot be told where ${name()} is: people open the page by its address there`);
    reported.add(key);
  };

  const answerIn = (link: Link) => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    open.set(keyOf(link), socket);
    const onPacket = createPacketHandler({ own: () => ({ name: name(), address: link.address }), port, clock });
    socket.on('error', (error) => refuse(link, socket, error));
    socket.on('message', (bytes, from) => {
      if (isWithin(link, from.address)) onPacket(socket, bytes, from);
    });
    socket.bind(port, () => {
      if (open.get(keyOf(link)) !== socket) return;
      try {
        join(socket, link.address);
        reported.delete(keyOf(link));
      } catch (error) {
        refuse(link, socket, error);
      }
    });
  };

  const look = () => {
    const wanted = new Map(links().map((link) => [keyOf(link), link]));
    for (const [key, socket] of open)
      if (!wanted.has(key)) {
        open.delete(key);
        socket.close();
      }
    for (const [key, link] of wanted) if (!open.has(key)) answerIn(link);
  };
  const round = createRound('answering to the local name', LOOK_MS, look, clock, log);
  return {
    name: 'local name',
    start: round.start,
    async stop() {
      await round.stop();
      const sockets = [...open.values()];
      open.clear();
      await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
    },
  };
}

const keyOf = ({ address, first, last }: Link): string => `${address} ${first} ${last}`;

function join(socket: Socket, address: string): void {
  socket.addMembership(GROUP, address);
  socket.setMulticastInterface(address);
  socket.setMulticastTTL(HOPS);
}

/** A system gives a packet for all to each socket of the port, whichever network it came from. */
const isWithin = ({ first, last }: Link, sender: string): boolean => {
  const address = parseIpv4(sender) ?? -1;
  return address >= first && address <= last;
};

type HandlerOptions = Pick<Options, 'clock'> & {
  readonly own: () => { readonly name: string; readonly address: string };
  readonly port: number;
};

function createPacketHandler({ own, port, clock }: HandlerOptions) {
  const mayRead = createRateLimit(clock, MOST_READ, SECOND_MS);
  const mayAnswerAll = createRateLimit(clock, MOST_TO_ALL, SECOND_MS);
  const mayAnswerOne = createRateLimit(clock, MOST_ONCE, SECOND_MS);
  return (socket: Socket, bytes: Buffer, from: RemoteInfo): void => {
    if (!mayRead()) return;
    const query = readQuery(bytes, from.port, port, own());
    if (query === undefined) return;
    if (!(query.isOnce ? mayAnswerOne() : mayAnswerAll())) return;
    const [toPort, to] = query.isOnce ? [from.port, from.address] : [port, GROUP];
    // What cannot be sent is asked for again.
    socket.send(answerTo(query, own()), toPort, to, () => {});
  };
}
