// Agents in a process of their own, for the service that is tested: steady ones, that poll each miner once a minute and
// report once a second, or one with as many miners that sends as fast as it is let. To each line on stdin they answer
// with the slices that were acknowledged since the last one: when each was sent and when it was acknowledged, in ms.
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
const PERIODS = 60;
const SLICE_RECORDS = 250;
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
  socket.on('close', (code, reason) => process.stderr.write(`closed: ${code} ${reason}\n`));
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
  return {
    socket,
    send(body: Buffer) {
      socket.send(encodeSlice({ epoch, seq: ++seq, produced_at: new Date().toISOString() }, body));
      return seq;
    },
  };
}

const say = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`);
/** The same in every process. */
const nowMs = () => performance.timeOrigin + performance.now();
let acknowledged: [sentMs: number, ackMs: number][] = [];
createInterface({ input: process.stdin }).on('line', () => {
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
const slices = Math.ceil(Number(miners) / SLICE_RECORDS);

if (mode === 'steady') {
  for (const [i, identity] of agents.entries()) {
    const notes = createNotes();
    const agent = await connect(identity, notes.onAck);
    const all = newMiners();
    for (let n = 0; n < slices; n++) agent.send(packSlice(shareOf(all, n, slices), Date.now()));
    let period = 0;
    const report = () => {
      const body = packSlice(shareOf(all, period++, PERIODS), Date.now());
      notes.sent(agent.send(body));
    };
    // Spread over the second: agents do not know of each other.
    setTimeout(() => setInterval(report, PERIOD_MS), (i * PERIOD_MS) / agents.length);
  }
} else {
  const [identity] = agents;
  if (identity === undefined) throw new Error('no identity');
  const notes = createNotes();
  const agent = await connect(identity, notes.onAck);
  const all = newMiners();
  const bodies = Array.from({ length: 40 * slices }, (_, n) => packSlice(shareOf(all, n, slices), Date.now() + n));
  let next = 0;
  setInterval(() => {
    while (agent.socket.bufferedAmount < MAX_UNSENT_BYTES) {
      const body = bodies[next++ % bodies.length];
      if (body !== undefined) notes.sent(agent.send(body));
    }
  }, 5);
}
say('ready');
