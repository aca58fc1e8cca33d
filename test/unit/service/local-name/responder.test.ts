// The local name on real sockets: multicast on the loopback interface alone, whose packets leave no host.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type DecodedPacket, decode, encode, type Question } from 'dns-packet';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Link } from '../../../../src/base/net/intervals.ts';
import { parseIpv4 } from '../../../../src/base/net/ipv4.ts';
import { createLocalName } from '../../../../src/service/local-name/responder.ts';
import { untilSoon } from '../../../e2e/until.ts';
import { loopback } from '../../../support/loopback.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { recordingLog } from '../../service-http/rig.ts';

const GROUP = '224.0.0.251';
const NAME = 'pithead-test.local';
const lan = loopback(28);
const other = loopback(28);
const linkOf = (network: typeof lan, offset: number): Link => {
  const first = parseIpv4(network.ip(0)) ?? 0;
  return { address: network.ip(offset), first, last: first + 15 };
};

/** In place of 5353, which services beside this test answer at. */
let port: number;
beforeEach(async () => {
  const socket = await bound(createSocket('udp4'), 0, '127.0.0.1');
  ({ port } = socket.address());
  await new Promise<void>((resolve) => socket.close(() => resolve()));
});

async function bound(socket: Socket, at: number, address?: string): Promise<Socket> {
  socket.bind(at, address);
  await once(socket, 'listening');
  return socket;
}

/** A host at this address that hears all, or that asks from a port of its own. */
async function host(address: string, kind: 'hears all' | 'asks once') {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  onTestFinished(() => void socket.close());
  const heard: { readonly packet: DecodedPacket; readonly from: RemoteInfo }[] = [];
  socket.on('message', (bytes, from) => {
    const packet = decode(bytes);
    if (packet.type === 'response') heard.push({ packet, from });
  });
  if (kind === 'hears all') {
    await bound(socket, port);
    socket.addMembership(GROUP, address);
  } else await bound(socket, 0, address);
  socket.setMulticastInterface(address);
  return {
    heard: () => heard.flatMap(({ packet }) => packet.answers ?? []).map((answer) => [answer.type, answer.name]),
    addresses: () =>
      heard.flatMap(({ packet }) => packet.answers ?? []).map((answer) => answer.type === 'A' && answer.data),
    ports: () => heard.map(({ from }) => from.port),
    async ask(name = NAME, type: Question['type'] = 'A') {
      const bytes = encode({ type: 'query', id: 9, questions: [{ type, name }] });
      await new Promise<void>((resolve, reject) =>
        socket.send(bytes, port, GROUP, (error) => (error === null ? resolve() : reject(error))),
      );
    },
  };
}

async function start(links: () => readonly Link[]) {
  const clock = createVirtualClock();
  const log = recordingLog();
  const part = createLocalName({ name: () => NAME, links, port, clock, log });
  await part.start();
  onTestFinished(() => part.stop());
  const warnings = () => log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
  return { clock, part, warnings };
}

/** Until it has answered: before its socket is bound nothing is heard. */
async function untilAnswered(asker: Awaited<ReturnType<typeof host>>, count = 1) {
  await untilSoon(
    async () => {
      if (asker.heard().length < count) await asker.ask();
      return asker.heard().length;
    },
    (heard) => heard >= count,
  );
}

test('a phone that asks once is answered at its own port, with the address in its network', async () => {
  await start(() => [linkOf(lan, 1), linkOf(other, 1)]);
  const [phone, stranger] = [await host(lan.ip(9), 'asks once'), await host(other.ip(9), 'asks once')];
  await untilAnswered(phone);
  await untilAnswered(stranger);
  expect(new Set(phone.addresses())).toEqual(new Set([lan.ip(1)]));
  expect(new Set(stranger.addresses())).toEqual(new Set([other.ip(1)]));
  expect(new Set([...phone.ports(), ...stranger.ports()])).toEqual(new Set([port]));
});

test('who asks all is answered before all, once a second', async () => {
  const { clock } = await start(() => [linkOf(lan, 1)]);
  const [asker, listener] = [await host(lan.ip(8), 'hears all'), await host(lan.ip(9), 'hears all')];
  await untilAnswered(asker);
  await asker.ask();
  await asker.ask();
  await clock.advance(1_000);
  await untilAnswered(asker, 3);
  const whole = [
    ['A', NAME],
    ['NSEC', NAME],
  ];
  await untilSoon(listener.heard, ({ length }) => length === 4);
  expect(asker.heard()).toEqual([...whole, ...whole]);
});

test('from beyond its networks, and for another name, nothing is answered', async () => {
  const { clock } = await start(() => [linkOf(lan, 1)]);
  const [phone, stranger] = [await host(lan.ip(9), 'asks once'), await host(other.ip(9), 'asks once')];
  await untilAnswered(phone);
  await stranger.ask();
  await phone.ask('pithead-other.local');
  await clock.advance(1_000);
  const before = phone.heard().length;
  await untilAnswered(phone, before + 1);
  expect(phone.heard().every(([, name]) => name === NAME)).toBe(true);
  expect(stranger.heard()).toEqual([]);
});

test('a flood of questions costs twenty answers a second', async () => {
  await start(() => [linkOf(lan, 1)]);
  const phone = await host(lan.ip(9), 'asks once');
  await untilAnswered(phone);
  for (let count = 0; count < 100; count += 1) await phone.ask();
  await untilSoon(phone.heard, ({ length }) => length >= 20);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(phone.heard()).toHaveLength(20);
});

test('it follows the addresses of the host, and is silent after its end', async () => {
  let links = [linkOf(lan, 1)];
  const { clock, part } = await start(() => links);
  const phone = await host(lan.ip(9), 'asks once');
  await untilAnswered(phone);
  links = [linkOf(lan, 2)];
  await clock.advance(60_000);
  await untilSoon(
    async () => {
      await clock.advance(100);
      await phone.ask();
      return phone.addresses();
    },
    (addresses) => addresses.at(-1) === lan.ip(2),
  );
  await part.stop();
  const before = phone.heard().length;
  await phone.ask();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(phone.heard()).toHaveLength(before);
});

test('a network that becomes a larger one is answered as a whole', async () => {
  let link = { ...linkOf(lan, 1), last: (parseIpv4(lan.ip(0)) ?? 0) + 7 };
  const { clock } = await start(() => [link]);
  const [near, far] = [await host(lan.ip(6), 'asks once'), await host(lan.ip(9), 'asks once')];
  await far.ask();
  await untilAnswered(near);
  expect(far.heard()).toEqual([]);
  link = linkOf(lan, 1);
  await clock.advance(60_000);
  await untilAnswered(far);
});

test('a port that another program holds alone is said once, and tried again', async () => {
  const holder = await bound(createSocket('udp4'), port);
  const { clock, warnings } = await start(() => [linkOf(lan, 1)]);
  await untilSoon(warnings, ({ length }) => length === 1);
  expect(warnings()).toMatchObject([{ address: lan.ip(1), port, cause: expect.stringContaining('EADDRINUSE') }]);
  await clock.advance(60_000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(warnings()).toHaveLength(1);
  await new Promise<void>((resolve) => holder.close(() => resolve()));
  await clock.advance(60_000);
  await untilAnswered(await host(lan.ip(9), 'asks once'));
});
