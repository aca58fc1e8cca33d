// Stands between an agent and a service and makes each of them one of another version, by the frozen messages of that
// version: what it says has the fields that they have, from the enrolment on. It also says for each side what was
// frozen, word for word.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { decodeSlice, encodeSlice, parseJson } from '../../src/wire/frames.ts';
import { CHALLENGE_HEADER } from '../../src/wire/protocol.ts';

const messagesSchema = z.array(z.record(z.string(), z.unknown()));
const versionSchema = z.object({ agent: messagesSchema, records: messagesSchema, service: messagesSchema });
type Message = z.output<typeof messagesSchema>[number];

export const VERSIONS = ['present', 'newer'] as const;
export type Version = (typeof VERSIONS)[number];

export const goldenOf = (version: Version) =>
  versionSchema.parse(
    JSON.parse(readFileSync(new URL(`../../fixtures/wire/${version}.json`, import.meta.url), 'utf8')),
  );

const present = goldenOf('present');
const sideOf = (side: 'agent' | 'service', type: unknown) => present[side].find((message) => message.type === type);

/** The frame as that version would have sent it; what today's code adds for versions before it stays. */
function spoken(frame: Message, side: 'agent' | 'service', version: Version | undefined): Message {
  const golden = version === undefined ? undefined : goldenOf(version)[side].find(({ type }) => type === frame.type);
  if (version === 'present' || golden === undefined) return frame;
  const known = sideOf(side, frame.type) ?? {};
  const fields = Object.entries(golden).flatMap(([name, value]) => {
    if (name in frame) return [[name, frame[name]] as const];
    return name in known ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(Object.entries(frame).filter(([name]) => !(name in known))),
    ...Object.fromEntries(fields),
  };
}

/** A message of the enrolment, of which nothing is frozen: a newer version has a field more. */
const enrolling = (text: string, version: Version | undefined): string => {
  const message = parseJson(text);
  const isNewer = version === 'newer' && typeof message === 'object' && message !== null;
  return isNewer ? JSON.stringify({ ...message, newer_field: { of: ['a', 'newer', 'version'] } }) : text;
};

/** Answers to these would go astray; those before the welcome have their own place. */
const NOT_REPEATED = new Set(['hello', 'welcome', 'ack', 'epoch']);

export type Between = {
  readonly url: string;
  /** Frames and records that were said word for word. */
  said(): number;
  /** How connections ended, other than by `stop`. */
  readonly ends: string[];
  stop(): Promise<void>;
};

/** A side without a version is what it is: it is passed on as it speaks, and nothing frozen is said for it. */
export type SpeaksAs = { readonly agent?: Version; readonly service?: Version };

export async function startBetween(serviceUrl: string, { agent, service }: SpeaksAs): Promise<Between> {
  const server = createServer((request, response) => {
    const forward = async () => {
      const answer = await fetch(serviceUrl + request.url, {
        ...{ method: request.method ?? 'GET', body: enrolling(await text(request), agent) },
        headers: { 'content-type': request.headers['content-type'] ?? '' },
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(enrolling(await answer.text(), service));
    };
    forward().catch(() => response.destroy());
  });
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const challenges = new WeakMap<IncomingMessage, string>();
  sockets.on('headers', (headers, request) => headers.push(`${CHALLENGE_HEADER}: ${challenges.get(request)}`));
  let said = 0;
  let isStopped = false;
  let hasRecords = agent === undefined;
  const ends: string[] = [];

  server.on('upgrade', (request, socket, head) => {
    const far = new WebSocket(serviceUrl.replace('http', 'ws') + request.url, {
      headers: { authorization: request.headers.authorization ?? '' },
      perMessageDeflate: false,
    });
    far.on('error', () => socket.destroy());
    far.on('upgrade', ({ headers }) => {
      challenges.set(request, String(headers[CHALLENGE_HEADER]));
      sockets.handleUpgrade(request, socket, head, (near) => join(near, far));
    });
  });

  const join = (near: WebSocket, far: WebSocket) => {
    const early: (readonly [Buffer, boolean])[] = [];
    const bytesOf = (data: RawData) => (Buffer.isBuffer(data) ? data : Buffer.from(data.toString()));
    const sayAll = (to: WebSocket, messages: readonly Message[]) => {
      for (const message of messages) {
        if (NOT_REPEATED.has(String(message.type))) continue;
        to.send(JSON.stringify(message));
        said++;
      }
    };

    const up = (bytes: Buffer, isBinary: boolean) => {
      if (isBinary) return far.send(hasRecords ? bytes : withRecords(bytes));
      const frame = z.record(z.string(), z.unknown()).parse(JSON.parse(bytes.toString('utf8')));
      far.send(JSON.stringify(spoken(frame, 'agent', agent)));
    };
    const withRecords = (bytes: Buffer) => {
      const slice = decodeSlice(bytes);
      if (slice === undefined) throw new Error('the agent sent no slice');
      hasRecords = true;
      const { records } = goldenOf(agent ?? 'present');
      said += records.length;
      return encodeSlice(slice.header, zstdCompressSync(Buffer.from(JSON.stringify({ v: 1, records }))));
    };
    const down = (bytes: Buffer) => {
      const frame = z.record(z.string(), z.unknown()).parse(JSON.parse(bytes.toString('utf8')));
      near.send(JSON.stringify(spoken(frame, 'service', service)));
      if (frame.type !== 'welcome') return;
      if (service !== undefined) sayAll(near, goldenOf(service).service);
      if (agent !== undefined) sayAll(far, goldenOf(agent).agent);
    };

    near.on('message', (data, isBinary) => {
      if (far.readyState === WebSocket.OPEN) up(bytesOf(data), isBinary);
      else early.push([bytesOf(data), isBinary]);
    });
    far.on('open', () => {
      for (const [bytes, isBinary] of early) up(bytes, isBinary);
    });
    far.on('message', (data) => down(bytesOf(data)));
    for (const [name, one, other] of [
      ['agent', near, far],
      ['service', far, near],
    ] as const) {
      one.on('error', () => {});
      one.on('close', (code, reason) => {
        if (!isStopped && other.readyState === WebSocket.OPEN) ends.push(`${name}: ${code} ${reason}`);
        other.terminate();
      });
    }
  };

  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    said: () => said,
    ends,
    async stop() {
      isStopped = true;
      for (const client of sockets.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
