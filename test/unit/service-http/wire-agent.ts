// Speaks the wire as an agent does: enrols, says hello, sends slices, answers tasks. It keeps everything that the
// service sends.
import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { WebSocket } from 'ws';
import {
  type AgentFrame,
  encodeSlice,
  type Notice,
  type ServiceFrame,
  type SliceHeader,
  serviceFrameSchema,
  type TaskCommand,
} from '../../../src/wire/frames.ts';
import { CHALLENGE_HEADER, ENROL_PATH, PROTOCOL_VERSION, UPLINK_PATH } from '../../../src/wire/protocol.ts';
import type { ReportRecord } from '../../../src/wire/records.ts';
import { signedNoticeSchema, signedTaskSchema } from '../../../src/wire/signed-messages.ts';
import { newIdentityKey } from '../../support/identity-key.ts';
import { type Answer, call, type Rig } from './rig.ts';

export type Identity = { readonly agentId: string; readonly token: string };

/** The key of every agent that is enrolled here, in every process of a test. */
export const { publicKey: identityKey, prove } = newIdentityKey(Buffer.alloc(32, 1));

/** What the service sends, and after each signed text what it says. */
export type Heard = ServiceFrame | TaskCommand | Notice;

export async function enrol(rig: Rig, farmId = rig.farmId): Promise<Identity> {
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId, ttlMs: 60_000 });
  const { body } = await enrolBy(rig, code);
  return { agentId: body.agent_id, token: body.token };
}

/** What the service answers to a code. */
export const enrolBy = (rig: Pick<Rig, 'url'>, code: string): Promise<Answer> =>
  call(rig.url + ENROL_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ code, name: 'test agent', version: '1.2.3', protocol: PROTOCOL_VERSION },
      identity_key: identityKey,
    }),
  });

export type WireAgent = {
  readonly identity: Identity;
  readonly epoch: string;
  /** That the service gave to this connection. */
  readonly challenge: string;
  readonly frames: Heard[];
  send(frame: AgentFrame): void;
  /** Sends the records as the next slice (or as `seq`) and waits for the acknowledgement. */
  report(records: readonly ReportRecord[], seq?: number): Promise<void>;
  sendBytes(bytes: Uint8Array | string): void;
  /** The first frame that fits, of those that came and those to come. */
  frame<T extends Heard['type']>(
    type: T,
    fits?: (frame: Extract<Heard, { type: T }>) => boolean,
  ): Promise<Extract<Heard, { type: T }>>;
  /** How the service ended the connection. */
  readonly closed: Promise<{ code: number; reason: string }>;
  close(): Promise<void>;
};

export function slice(
  epoch: string,
  seq: number,
  records: readonly unknown[],
  producedAt = new Date().toISOString(),
  header: Pick<SliceHeader, 'order' | 'age_ms'> = {},
): Buffer {
  const body = zstdCompressSync(Buffer.from(JSON.stringify({ v: 1, records })));
  return encodeSlice({ epoch, seq, produced_at: producedAt, ...header }, body);
}

/** Connects, says hello and waits for the welcome. */
export async function connect(
  rig: Rig,
  options: {
    identity?: Identity;
    epoch?: string;
    nextSeq?: number;
    /** How far its clock is ahead. */
    skewMs?: number;
    /** Named: what it reports has a number in it, and an age. */
    outbox?: string;
    nonce?: string;
    taskSeq?: number;
    /** Notices that it takes beside those that all take. */
    takes?: string[];
    prove?: (agentId: string, challenge: string) => string;
  } = {},
): Promise<WireAgent> {
  const identity = options.identity ?? (await enrol(rig));
  const epoch = options.epoch ?? randomUUID();
  const agent = await open(rig, identity, epoch, options.nextSeq ?? 1, options.outbox !== undefined);
  agent.send({
    ...helloOf(agent, options.prove),
    next_seq: options.nextSeq ?? 1,
    at: new Date(rig.clock.nowMs() + (options.skewMs ?? 0)).toISOString(),
    nonce: options.nonce ?? 'A'.repeat(22),
    task_seq: options.taskSeq ?? 0,
    ...(options.outbox === undefined ? {} : { outbox: options.outbox }),
    ...(options.takes === undefined ? {} : { takes: options.takes }),
  });
  await agent.frame('welcome');
  return agent;
}

/** Of an agent whose outbox is new. */
export const helloOf = (
  { identity, epoch, challenge }: Pick<WireAgent, 'identity' | 'epoch' | 'challenge'>,
  proveIt = prove,
) => ({
  ...{ type: 'hello' as const, protocol: PROTOCOL_VERSION, version: '1.2.3', epoch, instance_id: epoch, next_seq: 1 },
  ...{ at: new Date().toISOString(), nonce: 'A'.repeat(22), task_seq: 0 },
  proof: proveIt(identity.agentId, challenge),
});

/** Connects without a word. */
export async function open(
  rig: Pick<Rig, 'url' | 'clock'>,
  identity: Identity,
  epoch: string = randomUUID(),
  nextSeq = 1,
  saysAges = false,
): Promise<WireAgent> {
  const socket = new WebSocket(rig.url.replace('http', 'ws') + UPLINK_PATH, {
    headers: { authorization: `Bearer ${identity.agentId}.${identity.token}` },
    perMessageDeflate: false,
  });
  const frames: Heard[] = [];
  const waiting = new Set<() => void>();
  let challenge = '';
  socket.on('upgrade', ({ headers }) => {
    challenge = String(headers[CHALLENGE_HEADER]);
  });
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  socket.on('message', (data) => {
    const frame = serviceFrameSchema.parse(JSON.parse(String(data)));
    frames.push(frame);
    if (frame.type === 'signed-task') frames.push(signedTaskSchema.parse(JSON.parse(frame.text)).task);
    if (frame.type === 'signed-notice') frames.push(signedNoticeSchema.parse(JSON.parse(frame.text)).notice);
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
      const header = saysAges ? { order: number, age_ms: 0 } : {};
      socket.send(slice(epoch, number, records, new Date(rig.clock.nowMs()).toISOString(), header));
      await agent.frame('ack', (ack) => ack.seq >= number);
    },
    frame(type, fits = () => true) {
      return new Promise((resolve, reject) => {
        const isWanted = (frame: Heard): frame is Extract<Heard, { type: typeof type }> => frame.type === type;
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
