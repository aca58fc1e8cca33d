// Agents in a process of their own, for the service that is tested: steady ones, that poll each miner once a minute and
// report once a second, or one that reports its miners and from the line `go` on stdin on sends as fast as it is let.
// To each line they answer with the slices that were acknowledged since the last one: when each was sent and when it
// was acknowledged, in ms. The flood begins with some slices that are sent one after the other: they show how long one
// takes alone.
// Arguments: `steady` or `flood`, the service's URL, miners of an agent, identities as JSON.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { zstdCompressSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { encodeSlice, serviceFrameSchema } from '../../src/wire/frames.ts';
import { CHALLENGE_HEADER, UPLINK_PATH } from '../../src/wire/protocol.ts';
import { hostRecord, minerRecord } from '../unit/service-http/records.ts';
import { helloOf, type Identity } from '../unit/service-http/wire-agent.ts';

const [mode, url = '', miners, identities = '[]'] = process.argv.slice(2);
const PERIOD_MS = 1_000;
/** Polls a minute apart. */
const PERIODS = 60_000 / PERIOD_MS;
/** The most that an agent puts into one. */
const SLICE_RECORDS = 250;
/** Of a flood: many small ones are in the way of more slices of others than a few large ones. */
const SMALL_SLICE_RECORDS = 25;
/**
 * What a flood begins with: one large slice again and again. It uses up what a new farm may report at once, as others
 * would, and the service works less for it. Not quite all of that: then it would wait.
 */
const REPEATED = 60;
/** Slices that are sent one after the other, before the flood. */
const ALONE = 50;
/** Of a flood: more would only lie in our own memory. */
const MAX_UNSENT_BYTES = 4e6;
const agents = z.array(z.object({ agentId: z.string(), token: z.string() })).parse(JSON.parse(identities));

type Miner = { readonly key: string; readonly n: number };
const newMiners = (): Miner[] => Array.from({ length: Number(miners) }, (_, n) => ({ key: randomUUID(), n }));

function packSlice(part: readonly Miner[], atMs: number): Buffer {
  const records = part.map(({ key, n }) => minerRecord(n, atMs, { key }));
  const body = { v: 1, records: [hostRecord(atMs), ...records] };
  return zstdCompressSync(Buffer.from(JSON.stringify(body)));
}

/** The share of the period, of so many. */
const shareOf = (all: readonly Miner[], period: number, periods: number) => {
  const size = Math.ceil(all.length / periods);
  return all.slice((period % periods) * size, ((period % periods) + 1) * size);
};

async function connect(identity: Identity, onAck: (seq: number) => void) {
  const epoch = randomUUID();
  const socket = new WebSocket(url.replace('http', 'ws') + UPLINK_PATH, {
    headers: { authorization: `Bearer ${identity.agentId}.${identity.token}` },
    perMessageDeflate: false,
  });
  socket.on('error', () => {});
  socket.on('close', (code, reason) => {
    if (reason.length > 0) process.stderr.write(`closed: ${code} ${reason}\n`);
  });
  const welcomed = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const frame = serviceFrameSchema.parse(JSON.parse(String(data)));
      if (frame.type === 'welcome') resolve();
      else if (frame.type === 'ack') onAck(frame.seq);
    });
  });
  let challenge = '';
  socket.on('upgrade', ({ headers }) => {
    challenge = String(headers[CHALLENGE_HEADER]);
  });
  socket.on('open', () => socket.send(JSON.stringify(helloOf({ identity, epoch, challenge }))));
  await welcomed;
  let seq = 0;
  const sendAs = (number: number, body: Buffer) => {
    socket.send(encodeSlice({ epoch, seq: number, produced_at: new Date().toISOString() }, body));
    return number;
  };
  return {
    socket,
    send: (body: Buffer) => sendAs(++seq, body),
    /** As if its acknowledgement had not come. */
    sendLastAgain: (body: Buffer) => void sendAs(seq, body),
  };
}

const say = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`);
/** The same in every process. */
const nowMs = () => performance.timeOrigin + performance.now();
let acknowledged: [sentMs: number, ackMs: number][] = [];
const commands = new Map<string, () => void>();
createInterface({ input: process.stdin }).on('line', (line) => {
  commands.get(line)?.();
  say(acknowledged);
  acknowledged = [];
});

/** Notes what becomes of the slices of one agent. */
function createNotes() {
  const sentMs = new Map<number, number>();
  return {
    sent: (seq: number) => void sentMs.set(seq, nowMs()),
    onAck(upTo: number) {
      for (const [seq, atMs] of sentMs) {
        if (seq > upTo) continue;
        acknowledged.push([atMs, nowMs()]);
        sentMs.delete(seq);
      }
    },
  };
}

const slicesOf = (all: readonly Miner[], size: number, atMs: number) => {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, n) => packSlice(shareOf(all, n, count), atMs));
};

async function reportSteadily(identity: Identity, startMs: number): Promise<void> {
  const notes = createNotes();
  const agent = await connect(identity, notes.onAck);
  const all = newMiners();
  for (const body of slicesOf(all, SLICE_RECORDS, Date.now())) agent.send(body);
  let period = 0;
  const reportOnce = () => {
    const body = packSlice(shareOf(all, period++, PERIODS), Date.now());
    notes.sent(agent.send(body));
  };
  setTimeout(() => setInterval(reportOnce, PERIOD_MS), startMs);
}

/** Its miners are stored when it is ready. */
async function prepareFlood(identity: Identity) {
  const all = newMiners();
  const [first = Buffer.alloc(0), ...others] = slicesOf(all, SLICE_RECORDS, Date.now());
  const notes = createNotes();
  let heard = (_seq: number) => {};
  const agent = await connect(identity, (seq) => {
    notes.onAck(seq);
    heard(seq);
  });
  const sendAndWait = (body: Buffer, note = (_seq: number) => {}) =>
    new Promise<void>((resolve) => {
      const seq = agent.send(body);
      note(seq);
      heard = (upTo) => void (upTo >= seq && resolve());
    });
  for (const body of [...others, first]) await sendAndWait(body);
  const alone = slicesOf(all, SMALL_SLICE_RECORDS, Date.now() + 1_000).slice(0, ALONE);
  for (const body of alone) await sendAndWait(body, notes.sent);

  const minutes = Array.from({ length: 10 }, (_, n) => slicesOf(all, SMALL_SLICE_RECORDS, Date.now() + n * 1_000));
  const bodies = minutes.flat();
  let next = 0;
  commands.set('go', () => {
    agent.send(first);
    for (let n = 0; n < REPEATED; n++) agent.sendLastAgain(first);
    setInterval(() => {
      while (agent.socket.bufferedAmount < MAX_UNSENT_BYTES) {
        const body = bodies[next++ % bodies.length];
        if (body !== undefined) notes.sent(agent.send(body));
      }
    }, 5);
  });
  // The service gives up a silent connection.
  setInterval(() => agent.socket.ping(), PERIOD_MS);
}

if (mode === 'steady') {
  // Spread over the period: agents do not know of each other.
  for (const [i, identity] of agents.entries()) await reportSteadily(identity, (i * PERIOD_MS) / agents.length);
} else {
  for (const identity of agents) await prepareFlood(identity);
}
say('ready');
