// Stands between an agent and a service and makes each of them one of another version, by the frozen messages of that version: what it says has the
// fields that they have, what it does not know it does not hear. It also says for each side what was frozen, word for word.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { zstdCompressSync } from 'node:zlib';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { decodeSlice, encodeSlice } from '../../src/wire/frames.ts';

const messagesSchema = z.array(z.record(z.string(), z.unknown()));
const versionSchema = z.object({ agent: messagesSchema, records: messagesSchema, service: messagesSchema });
type Message = z.output<typeof messagesSchema>[number];

export const VERSIONS = ['first', 'present', 'newer'] as const;
export type Version = (typeof VERSIONS)[number];

export const goldenOf = (version: Version) =>
  versionSchema.parse(
    JSON.parse(readFileSync(new URL(`../../fixtures/wire/${version}.json`, import.meta.url), 'utf8')),
  );

const words = z.array(z.string()).catch([]);
const present = goldenOf('present');
const sideOf = (side: 'agent' | 'service', type: unknown) => present[side].find((message) => message.type === type);

/** The frame as that version would have sent it; undefined when it knows none like it. */
function spoken(frame: Message, side: 'agent' | 'service', version: Version): Message | undefined {
  if (version === 'present') return frame;
  const golden = goldenOf(version)[side].find(({ type }) => type === frame.type);
  if (golden === undefined) return undefined;
  const known = sideOf(side, frame.type) ?? {};
  const fields = Object.entries(golden).flatMap(([name, value]) => {
    if (name === 'understands') {
      const more = words.parse(value).filter((word) => !words.parse(known[name]).includes(word));
      return [[name, [...words.parse(frame[name]), ...more]] as const];
    }
    if (name in frame) return [[name, frame[name]] as const];
    return name in known ? [] : [[name, value] as const];
  });
  return Object.fromEntries(fields);
}

/** What a reader of that version takes of the frame. Newer ones take all: that is the code of today. */
const heard = (frame: Message, side: 'agent' | 'service', version: Version) =>
  version === 'first' ? spoken(frame, side, 'first') : frame;

/** Answers to these would go astray; those before the welcome have their own place. */
const NOT_REPEATED = new Set(['hello', 'welcome', 'ack', 'lane']);

export type Between = {
  readonly url: string;
  /** Frames and records that were said word for word. */
  said(): number;
  /** Types of frames that a peer was sent although its version does not know them. */
  readonly unasked: string[];
  /** How connections ended, other than by `stop`. */
  readonly ends: string[];
  stop(): Promise<void>;
};

export async function startBetween(serviceUrl: string, agent: Version, service: Version): Promise<Between> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  await new Promise((resolve) => server.once('listening', resolve));
  let said = 0;
  let isStopped = false;
  let hasRecords = false;
  const unasked: string[] = [];
  const ends: string[] = [];

  server.on('connection', (near, request) => {
    const far = new WebSocket(serviceUrl.replace('http', 'ws') + request.url, {
      headers: { authorization: request.headers.authorization ?? '' },
      perMessageDeflate: false,
    });
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
      const out = spoken(frame, 'agent', agent);
      const taken = out && heard(out, 'agent', service);
      if (taken !== undefined) far.send(JSON.stringify(taken));
      else if (out !== undefined) unasked.push(`service: ${frame.type}`);
    };
    const withRecords = (bytes: Buffer) => {
      const slice = decodeSlice(bytes);
      if (slice === undefined) throw new Error('the agent sent no slice');
      hasRecords = true;
      const { records } = goldenOf(agent);
      said += records.length;
      return encodeSlice(slice.header, zstdCompressSync(Buffer.from(JSON.stringify({ v: 1, records }))));
    };
    const down = (bytes: Buffer) => {
      const frame = z.record(z.string(), z.unknown()).parse(JSON.parse(bytes.toString('utf8')));
      const out = spoken(frame, 'service', service);
      const taken = out && heard(out, 'service', agent);
      if (taken === undefined) unasked.push(`agent: ${frame.type}`);
      else near.send(JSON.stringify(taken));
      if (frame.type !== 'welcome') return;
      sayAll(near, agent === 'first' ? goldenOf('first').service : goldenOf(service).service);
      sayAll(far, service === 'first' ? goldenOf('first').agent : goldenOf(agent).agent);
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
  });

  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    said: () => said,
    unasked,
    ends,
    async stop() {
      isStopped = true;
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
