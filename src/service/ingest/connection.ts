// One uplink of one agent: hello first, then slices, each epoch in order, and receipts for tasks. Frames are handled one after the other; when they come faster
// than they can be stored the socket is paused. It does not know what else is connected.
import { verify } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Clock } from '../../base/clock.ts';
import { RefusedError, renderError } from '../../base/errors.ts';
import { type Log, oncePerMinute } from '../../base/log.ts';
import { readPublicKey } from '../../base/secrets.ts';
import { type ClockLook, lookAtClocks } from '../../base/time/clock-steps.ts';
import { plainText } from '../../model/plain-text.ts';
import {
  type AgentFrame,
  type LiveHeader,
  MAX_EPOCHS,
  type Notice,
  readAgentFrame,
  type ServiceFrame,
  type SliceHeader,
  type TaskCommand,
} from '../../wire/frames.ts';
import { MAX_SLICE_BYTES, PROTOCOL_VERSION, proofBytes } from '../../wire/protocol.ts';
import type { ReportRecord } from '../../wire/records.ts';
import type { SignedConnection, Signing } from '../../wire/signed-messages.ts';
import { MAX_ORDER, orderOf } from '../store/outbox-order.ts';
import type { Agent, AgentStore, IngestStore, SliceOutcome } from '../store/store.ts';
import { type AgentClock, createAgentClock, datedByUs, toOurClock } from './agent-clock.ts';
import { readBody, readHeader } from './decode.ts';
import type { IngestQuota } from './quota.ts';

/** Reasons in the close frame; agents show them. 1008 = policy, 1011 = our fault, 1012 = we restart, 4001 = a newer connection took over. */
export const CLOSE = { refused: 1008, failed: 1011, restart: 1012, replaced: 4001 } as const;

const MAX_WAITING_FRAMES = 8;
/** Of our frames and pongs that an agent has not read; far more than a whole plan of tasks. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Whoever has left more than this unread is not sent more tasks. */
const ROOM_BYTES = 1024 * 1024;
const MAX_REASON_BYTES = 120;
/** More than an agent keeps in memory while its disk takes nothing. */
const MAX_WAITING_SLICES = 256;

/** What the hello has said. `outbox`: its number, if the agent has named it. */
type Greeting = { readonly instanceId: string; readonly agentClock: AgentClock; readonly outbox: number | undefined };

export type ConnectionParts = {
  readonly agent: Agent;
  /** That was told to whoever connects. */
  readonly challenge: string;
  readonly ingest: IngestStore;
  readonly quota: Pick<IngestQuota, 'wait' | 'charge' | 'mayWelcome'>;
  readonly beginSigning: (connection: SignedConnection) => Promise<Signing>;
  readonly clock: Clock;
  readonly log: Log;
  /** After the welcome: the agent can be given tasks. */
  readonly onReady: (agentId: string) => Promise<void>;
  /** It is the agent: what comes now takes the time that we take. */
  readonly onProven: () => void;
  readonly onHello: (hello: Parameters<AgentStore['setHello']>[1]) => Promise<void>;
  /** How far its clock is ahead of ours; gives what of that is worth keeping. */
  readonly noteClock: (agent: Agent, skewMs: number) => number | null;
  readonly onTaskReceived: (agentId: string, taskId: string) => Promise<void>;
};

export type Connection = ReturnType<typeof createConnection>;

export function createConnection(socket: WebSocket, parts: ConnectionParts) {
  const { agent, clock, log } = parts;
  const fields = { agentId: agent.id };
  let heardAtMs = clock.monotonicMs();
  /** The epochs of this connection, with the number of the outbox that each is of; none before the hello. */
  const epochs = new Map<string, number>();
  let greeting: Greeting | undefined;
  let signing: Signing | undefined;
  let waiting = 0;
  let isClosed = false;
  let work: Promise<void> = Promise.resolve();

  const transmit = (frame: ServiceFrame) => {
    socket.send(JSON.stringify(frame));
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
  };
  const close = (code: number, reason: string) => {
    if (isClosed) return;
    isClosed = true;
    socket.close(code, shorten(reason));
  };

  const handleText = async (text: string, came: ClockLook) => {
    const read = readAgentFrame(text);
    if (read.kind === 'bad') throw new RefusedError('frame.invalid', `read a frame: ${read.what}`);
    // Until then nobody has shown who it is: the token alone is not the agent.
    if (epochs.size === 0 && (read.kind !== 'frame' || read.frame.type !== 'hello'))
      throw new RefusedError('frame.order', 'take a frame: the hello is missing');
    if (read.kind === 'newer')
      return log.debug({ ...fields, type: read.type }, 'a frame of a newer agent is left aside');
    const { frame } = read;
    if (frame.type === 'task-received') return parts.onTaskReceived(agent.id, frame.task_id);
    if (frame.type === 'epoch') return openEpoch(frame);
    if (epochs.size > 0) throw new RefusedError('frame.order', 'take a hello: this connection has said it');
    await greet(frame, came);
  };

  const greet = async (frame: Extract<AgentFrame, { type: 'hello' }>, came: ClockLook) => {
    if (frame.protocol !== PROTOCOL_VERSION)
      throw new RefusedError(
        'frame.protocol',
        `speak protocol ${frame.protocol}: this service speaks ${PROTOCOL_VERSION}`,
      );
    if (!isProven(agent.id, agent.identityKey, parts.challenge, frame.proof))
      throw new RefusedError('auth.proof', "take a hello: it does not prove the agent's key");
    parts.onProven();
    if (!parts.quota.mayWelcome(agent.id))
      throw new RefusedError('frame.rate', 'welcome this agent: it connects too often, and has to wait');
    const agentClock = createAgentClock(Date.parse(frame.at), came);
    const clockAheadMs = parts.noteClock(agent, agentClock.skewMs(came));
    const ackedSeq = await parts.ingest.cursor(agent.id, frame.epoch);
    const isRolledBack = frame.next_seq <= ackedSeq;
    if (isRolledBack)
      log.warn(
        { ...fields, nextSeq: frame.next_seq, ackedSeq },
        'the agent counts from before what is stored: its outbox is older than ours',
      );
    await parts.onHello({ version: plainText(frame.version) ?? '', clockAheadMs });
    const outbox = await parts.ingest.beginOutbox(agent.id, frame.outbox ?? frame.epoch, { isRolledBack });
    const at = new Date(clock.nowMs()).toISOString();
    signing = await parts.beginSigning({
      agentId: agent.id,
      nonce: frame.nonce,
      welcomedAt: at,
      lastSeq: frame.task_seq,
    });
    // Only now: whoever sends through this connection must not come before the welcome.
    greeting = { instanceId: frame.instance_id, agentClock, outbox: frame.outbox === undefined ? undefined : outbox };
    epochs.set(frame.epoch, outbox);
    transmit({
      type: 'welcome',
      protocol: PROTOCOL_VERSION,
      acked_seq: ackedSeq,
      at,
      task_key: signing.publicKey,
      task_key_changes: [...signing.changes],
      takes: ['live'],
    });
    await parts.onReady(agent.id);
  };

  const openEpoch = async ({ epoch }: Extract<AgentFrame, { type: 'epoch' }>) => {
    // It has been told what we have of it.
    if (epochs.has(epoch)) return;
    if (epochs.size >= MAX_EPOCHS)
      throw new RefusedError('frame.epochs', `open an epoch: this connection has ${MAX_EPOCHS}`);
    const acked_seq = await parts.ingest.cursor(agent.id, epoch);
    // Where the outbox has no name, each epoch is taken for one: the agent names them oldest first.
    epochs.set(epoch, greeting?.outbox ?? (await parts.ingest.beginOutbox(agent.id, epoch)));
    transmit({ type: 'epoch', epoch, acked_seq });
  };

  const handleBinary = async (bytes: Buffer, came: ClockLook) => {
    const frame = readHeader(bytes);
    return frame.kind === 'slice'
      ? handleSlice(frame.header, frame.compressedBody, came)
      : handleLive(frame.header, frame.compressedBody, came);
  };

  const unpack = async (seq: number, compressedBody: Buffer) => {
    const charge = (count: number, unpackedBytes: number) =>
      parts.quota.charge(agent.id, { frame: 'slice', records: count, bytes: unpackedBytes });
    const body = await readBody({ seq }, compressedBody).catch((error: unknown) => {
      charge(0, MAX_SLICE_BYTES);
      throw error;
    });
    const { records, rejected, firstProblem } = body;
    charge(records.length + rejected, body.bytes);
    if (rejected > 0) log.warn({ ...fields, seq, rejected, firstProblem }, 'records do not fit their schema');
    return body;
  };

  const reportUnshown = oncePerMinute(clock, (error) =>
    log.warn({ ...fields, error: renderError(error) }, 'live states cannot be shown'),
  );

  /** States that the agent cannot keep: they show, and are neither acknowledged nor in any history. */
  const handleLive = async (header: LiveHeader, compressedBody: Buffer, came: ClockLook) => {
    if (greeting?.outbox === undefined)
      throw new RefusedError('frame.order', 'take live states: no hello has named the outbox');
    const { records } = await unpack(header.order, compressedBody);
    const nowMs = clock.nowMs();
    const { produced_at, order, through, fault } = header;
    const offsetMs = greeting.agentClock.offsetMs({ produced_at, age_ms: 0 }, came);
    const outbox = greeting.outbox;
    const change = await parts.ingest
      .showLive({
        agentId: agent.id,
        farmId: agent.farmId,
        instanceId: greeting.instanceId,
        // What the outbox writes next replaces it.
        order: orderOf(outbox, order - 1),
        through: orderOf(outbox, Math.min(through, order + MAX_WAITING_SLICES, MAX_ORDER)),
        fault: plainText(fault) ?? null,
        records: records.map((record) => datedByUs(record, offsetMs, nowMs)),
        nowMs,
      })
      // The agent loses nothing by it, and the connection is wanted when there is room again.
      .catch(reportUnshown);
    if (change === 'failed') log.warn({ ...fields, fault }, 'the agent cannot keep what it reports: live states only');
    if (change === 'recovered') log.info(fields, 'the agent keeps what it reports again');
  };

  const handleSlice = async (header: SliceHeader, compressedBody: Buffer, came: ClockLook) => {
    const outbox = epochs.get(header.epoch);
    if (outbox === undefined || greeting === undefined)
      throw new RefusedError('frame.order', 'take a slice: it is of no epoch of this connection');
    const { records, rejected } = await unpack(header.seq, compressedBody);
    const nowMs = clock.nowMs();
    const offsetMs = greeting.agentClock.offsetMs(header, came);
    const outcome = await parts.ingest.storeSlice({
      agentId: agent.id,
      farmId: agent.farmId,
      epoch: header.epoch,
      instanceId: greeting.instanceId,
      seq: header.seq,
      order: orderOf(outbox, header.order ?? header.seq),
      producedAtMs: toOurClock(Date.parse(header.produced_at), offsetMs, nowMs),
      records: records.map((record) => datedByUs(record, offsetMs, nowMs)),
      rejected,
      nowMs,
    });
    switch (outcome.kind) {
      case 'stored':
        if (outcome.strangerTasks > 0)
          log.warn({ ...fields, count: outcome.strangerTasks }, 'outcomes of tasks that the agent does not have');
        logDoubts(outcome);
        logRefusals(records);
        transmit({ type: 'ack', epoch: header.epoch, seq: header.seq });
        return;
      case 'duplicate':
        transmit({ type: 'ack', epoch: header.epoch, seq: outcome.seq });
        return;
      case 'out-of-order':
        throw new RefusedError('frame.order', `take slice ${header.seq}: the next one is ${outcome.seq + 1}`);
    }
  };

  /** What an agent reports and should not: for people to look at. */
  const logDoubts = ({ refused, contested }: Extract<SliceOutcome, { kind: 'stored' }>) => {
    if (refused.isAnnounced)
      log.warn(
        { ...fields, refused: refused.miners },
        'the agent reports more miners than it may have: they are not stored, `pithead agent limit` lets it have more',
      );
    if (contested > 0)
      log.warn(
        { ...fields, count: contested },
        'the agent reports miners that another agent serves: both are kept apart',
      );
  };

  /** An agent that does not believe us is for people to look at. */
  const logRefusals = (records: readonly ReportRecord[]) => {
    for (const record of records) {
      if (record.kind !== 'event' || (record.type !== 'orders_refused' && record.type !== 'task_key_refused')) continue;
      const { reason, count } = record.detail;
      log.warn(
        { ...fields, type: record.type, reason: String(reason ?? '').slice(0, 64), count },
        'the agent refuses orders',
      );
    }
  };

  const handle = async (data: Buffer, isBinary: boolean, came: ClockLook) => {
    if (isClosed) return;
    try {
      // Before the hello it may be somebody else, who shall not use up what is the agent's.
      if (epochs.size > 0) {
        await parts.quota.wait(agent.id);
        if (isClosed) return;
        if (!isBinary) parts.quota.charge(agent.id, { frame: 'text', records: 0, bytes: data.length });
      }
      await (isBinary ? handleBinary(data, came) : handleText(data.toString('utf8'), came));
    } catch (error) {
      if (error instanceof RefusedError) {
        log.warn({ ...fields, error: error.message }, 'uplink refused');
        close(CLOSE.refused, error.message);
      } else {
        log.error({ ...fields, error: renderError(error) }, 'uplink failed');
        close(CLOSE.failed, 'the service could not store this: try again later');
      }
    }
  };

  const heard = () => {
    heardAtMs = clock.monotonicMs();
  };
  socket.on('message', (data, isBinary) => {
    heard();
    const came = lookAtClocks(clock);
    const bytes = Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
    if (++waiting >= MAX_WAITING_FRAMES) socket.pause();
    work = work.then(async () => {
      await handle(bytes, isBinary, came);
      if (--waiting < MAX_WAITING_FRAMES && socket.isPaused) socket.resume();
    });
  });
  socket.on('pong', heard);
  socket.on('ping', () => {
    heard();
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
  });

  return {
    agent,
    /** When something came last, on the clock's monotonic time. */
    heardAtMs: () => heardAtMs,
    /** Signs it for this connection. False when the socket is not open, or the agent has not said hello. */
    send(message: TaskCommand | Notice): boolean {
      if (greeting === undefined || signing === undefined || socket.readyState !== socket.OPEN) return false;
      const { agentClock } = greeting;
      transmit(signing.sign(message.type === 'task' ? agentClock.inItsTime(message, lookAtClocks(clock)) : message));
      return true;
    },
    /** The agent reads what it is sent. */
    hasRoom: () => socket.bufferedAmount < ROOM_BYTES,
    ping() {
      if (socket.readyState === socket.OPEN) socket.ping();
    },
    close,
    terminate: () => socket.terminate(),
    /** Resolves when what came in before has been dealt with. */
    drained: () => work,
  };
}

/** Whether `proof`, a signature in base64, was made for this challenge with the key that the agent was enrolled with. */
function isProven(agentId: string, identityKey: string, challenge: string, proof: string): boolean {
  const key = readPublicKey(identityKey);
  return key !== undefined && verify(null, proofBytes(agentId, challenge), key, Buffer.from(proof, 'base64'));
}

/** A close frame has room for 123 bytes. */
function shorten(reason: string): string {
  return Buffer.from(reason).subarray(0, MAX_REASON_BYTES).toString('utf8').replaceAll('\uFFFD', '');
}
