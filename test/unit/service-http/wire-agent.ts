// Speaks the wire as an agent does: enrols, says hello, sends slices, answers tasks. It keeps everything that the service sends.
import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { type AgentFrame, encodeSlice, type ServiceFrame, serviceFrameSchema } from '../../../src/wire/frames.ts';
import { CHALLENGE_HEADER } from '../../../src/wire/proof.ts';
import { ENROL_PATH, PROTOCOL_VERSION, UPLINK_PATH } from '../../../src/wire/protocol.ts';
import type { ReportRecord } from '../../../src/wire/records.ts';
import { call, type Rig } from './rig.ts';

export type Identity = { readonly agentId: string; readonly token: string };

export async function enrol(rig: Rig, farmId = rig.farmId): Promise<Identity> {
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId, ttlMs: 60_000 });
  const { body } = await call(rig.url + ENROL_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, name: 'test agent', version: '1.2.3', protocol: PROTOCOL_VERSION }),
  });
  return { agentId: body.agent_id, token: body.token };
}

export type WireAgent = {
  readonly identity: Identity;
  readonly epoch: string;
  /** That the service gave to this connection. */
  readonly challenge: string;
  readonly frames: ServiceFrame[];
  send(frame: AgentFrame): void;
  /** Sends the records as the next slice (or as `seq`) and waits for the acknowledgement. */
  report(records: readonly ReportRecord[], seq?: number): Promise<void>;
  sendBytes(bytes: Uint8Array | string): void;
  /** The first frame that fits, of those that came and those to come. */
  frame<T extends ServiceFrame['type']>(
    type: T,
    fits?: (frame: Extract<ServiceFrame, { type: T }>) => boolean,
  ): Promise<Extract<ServiceFrame, { type: T }>>;
  /** How the service ended the connection. */
  readonly closed: Promise<{ code: number; reason: string }>;
  close(): Promise<void>;
};

export function slice(
  epoch: string,
  seq: number,
  records: readonly unknown[],
  producedAt = new Date().toISOString(),
): Buffer {
  const body = zstdCompressSync(Buffer.from(JSON.stringify({ v: 1, records })));
  return encodeSlice({ epoch, seq, produced_at: producedAt }, body);
}

/** Connects, says hello and waits for the welcome. */
export async function connect(
  rig: Rig,
  options: {
    identity?: Identity;
    epoch?: string;
    nextSeq?: number;
    understands?: string[];
    /** How far its clock is ahead. */
    skewMs?: number;
    /** With it orders come signed. */
    nonce?: string;
    taskSeq?: number;
    /** Of an agent with a key. */
    prove?: (agentId: string, challenge: string) => string;
  } = {},
): Promise<WireAgent> {
  const identity = options.identity ?? (await enrol(rig));
  const epoch = options.epoch ?? randomUUID();
  const agent = await open(rig, identity, epoch, options.nextSeq ?? 1);
  agent.send({
    type: 'hello',
    protocol: PROTOCOL_VERSION,
    version: '1.2.3',
    epoch,
    next_seq: options.nextSeq ?? 1,
    at: new Date(rig.clock.nowMs() + (options.skewMs ?? 0)).toISOString(),
    ...(options.nonce === undefined ? {} : { nonce: options.nonce, understands: ['signed-task'] }),
    ...(options.understands === undefined ? {} : { understands: options.understands }),
    ...(options.taskSeq === undefined ? {} : { task_seq: options.taskSeq }),
    ...(options.prove === undefined ? {} : { proof: options.prove(identity.agentId, agent.challenge) }),
  });
  await agent.frame('welcome');
  return agent;
}

/** Connects without a word. */
export async function open(
  rig: Rig,
  identity: Identity,
  epoch: string = randomUUID(),
  nextSeq = 1,
): Promise<WireAgent> {
  const socket = new WebSocket(rig.url.replace('http', 'ws') + UPLINK_PATH, {
    headers: { authorization: `Bearer ${identity.agentId}.${identity.token}` },
    perMessageDeflate: false,
  });
  const frames: ServiceFrame[] = [];
  const waiting = new Set<() => void>();
  let challenge = '';
  socket.on('upgrade', ({ headers }) => {
    challenge = String(headers[CHALLENGE_HEADER]);
  });
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  socket.on('message', (data) => {
    frames.push(serviceFrameSchema.parse(JSON.parse(String(data))));
    wake();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve());
    socket.on('error', reject);
  });
  let next = nextSeq;
  const agent: WireAgent = {
    identity,
    epoch,
    challenge,
    frames,
    send: (frame) => socket.send(JSON.stringify(frame)),
    sendBytes: (bytes) => socket.send(bytes),
    async report(records, seq) {
      const number = seq ?? next++;
      socket.send(slice(epoch, number, records, new Date(rig.clock.nowMs()).toISOString()));
      await agent.frame('ack', (ack) => ack.seq >= number);
    },
    frame(type, fits = () => true) {
      return new Promise((resolve, reject) => {
        const isWanted = (frame: ServiceFrame): frame is Extract<ServiceFrame, { type: typeof type }> =>
          frame.type === type;
        const look = () => {
          const found = frames.filter(isWanted).find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void closed.then(({ code, reason }) =>
          reject(new Error(`closed while waiting for ${type}: ${code} ${reason}`)),
        );
        look();
      });
    },
    closed,
    async close() {
      socket.close();
      await closed;
    },
  };
  return agent;
}
