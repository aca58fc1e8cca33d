// The frames on the uplink socket. Text frames are one JSON object each; a binary frame is one slice: 4 bytes
// little-endian header length, header as JSON, zstd-compressed JSON body (records.ts). Encoding and decoding of that
// envelope are here, compression is the caller's.
import { z } from 'zod';
import { inTodaysWords, isBaselineHello } from './baseline.ts';
import { type OutlookQuestion, outlookAnswerSchema } from './outlook.ts';

const id = z.uuid();
const isoTime = z.iso.datetime();
/** The 44 bytes of an Ed25519 key (SPKI in DER) as base64: all but the last 32 are the same in each. */
const ED25519_KEY = /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
/** Ed25519, SPKI in DER as base64. */
const publicKey = z.string().regex(ED25519_KEY, { error: 'accepted: an Ed25519 key' });
const signature = z.base64().length(88);
const takes = z.array(z.string().max(32)).max(16).optional();
/** Random, base64url. */
export const nonceSchema = z.string().regex(/^[A-Za-z0-9_-]{22,64}$/);

export const enrolRequestSchema = z.object({
  code: z.string().min(1).max(128),
  name: z.string().min(1).max(128),
  version: z.string().max(64),
  protocol: z.int(),
  /** The key that the agent proves with each connection: see protocol.ts. */
  identity_key: publicKey,
});
export type EnrolRequest = z.infer<typeof enrolRequestSchema>;
export const enrolAnswerSchema = z.object({
  agent_id: id,
  token: z.string().min(1),
  workspace_id: z.string(),
  farm_id: id,
  /** The key that the service signs tasks with: see signed-messages.ts. */
  task_key: publicKey,
});
export type EnrolAnswer = z.infer<typeof enrolAnswerSchema>;

/** Agent → service, first frame. The epoch changes only when the outbox was lost; `next_seq` is the next slice. */
const helloFrameSchema = z.object({
  type: z.literal('hello'),
  protocol: z.int(),
  version: z.string().max(64),
  epoch: id,
  next_seq: z.int().min(1),
  at: isoTime,
  /** Names the agent's registry of miners: while it is the same, so are the miner keys, whatever the epoch. */
  instance_id: id,
  /** Names what `order` of its slices counts in: a new one is newer than all before. Absent = the epoch. */
  outbox: id.optional(),
  /** Messages of this connection are signed for it: see signed-messages.ts. New with each connection. */
  nonce: nonceSchema,
  /** Number of the last signed message that the agent admitted. */
  task_seq: z.int().min(0),
  /**
   * Notices that the agent takes beside `cancel` and `ops-status`, by their types; other names are for newer services.
   * Absent = none.
   */
  takes,
  /** Of the agent's key, for the challenge of this connection: see protocol.ts. */
  proof: signature,
});
/**
 * Agent → service, after the welcome: this connection also carries slices of this epoch, in order among themselves. The
 * agent sends them once the service has answered with a frame of the same type.
 */
const epochFrameSchema = z.object({ type: z.literal('epoch'), epoch: id, next_seq: z.int().min(1) });
/** Agent → service: the task is in the agent's journal and will not be lost. */
const taskReceivedFrameSchema = z.object({ type: z.literal('task-received'), task_id: id });
export const agentFrameSchema = z.discriminatedUnion('type', [
  helloFrameSchema,
  epochFrameSchema,
  taskReceivedFrameSchema,
  outlookAnswerSchema,
]);
export type AgentFrame = z.infer<typeof agentFrameSchema>;

/** The service signs with `to` from now on. The signature is that of `from`. */
const keyChangeSchema = z.object({ from: publicKey, to: publicKey, signature });
export type KeyChange = z.infer<typeof keyChangeSchema>;
/** Most changes in one welcome: the newest. */
export const MAX_KEY_CHANGES = 16;
/** Service → agent, answer to hello: everything up to `acked_seq` of this epoch is stored (0 = nothing). */
const welcomeFrameSchema = z.object({
  type: z.literal('welcome'),
  protocol: z.int(),
  acked_seq: z.int().min(0),
  at: isoTime,
  /** The key that tasks are signed with, and the changes that lead to it, oldest first. */
  task_key: publicKey,
  task_key_changes: z.array(keyChangeSchema).max(MAX_KEY_CHANGES),
  /**
   * What the service takes beside slices: `live` = binary frames with the header of live states; other names are for
   * newer agents. Absent = nothing.
   */
  takes,
});
export type WelcomeFrame = z.infer<typeof welcomeFrameSchema>;
/** Service → agent, answer to epoch: everything up to `acked_seq` of this epoch is stored. */
const epochReadyFrameSchema = z.object({ type: z.literal('epoch'), epoch: id, acked_seq: z.int().min(0) });
/** Most epochs in one connection, the first included. */
export const MAX_EPOCHS = 8;
/** Service → agent: every slice of the epoch up to and including `seq` is stored durably. */
const ackFrameSchema = z.object({ type: z.literal('ack'), epoch: id, seq: z.int().min(1) });
/**
 * How an agent carries out a batch in parts: `canary` tasks go first, and the others only when these have succeeded. No
 * task begins any more once `stop_after` have failed, or one of the first. Tasks that then wait end as cancelled.
 */
export const rolloutSchema = z.object({
  canary: z.int().min(1).max(100_000).optional(),
  stop_after: z.int().min(1).max(100_000).optional(),
});
/**
 * Do this to one miner, unless it is past `expires_at`. Sent again after a reconnect until received; the id makes sure
 * that it runs once. In tasks about the agent itself `miner_key` is the agent's id. A `name` that the agent does not
 * know ends as unsupported.
 */
export const taskFrameSchema = z.object({
  type: z.literal('task'),
  task_id: id,
  batch_id: id,
  name: z.string().min(1).max(128),
  miner_key: id,
  params: z.record(z.string(), z.unknown()),
  created_at: isoTime,
  expires_at: isoTime,
  /** The same in all tasks of the batch. */
  rollout: rolloutSchema.optional(),
});
export type TaskCommand = z.infer<typeof taskFrameSchema>;
/** Service → agent: `text` is the JSON of a signed task (signed-messages.ts), signed byte for byte. */
const signedTaskFrameSchema = z.object({ type: z.literal('signed-task'), text: z.string(), signature });
export type SignedTaskFrame = z.infer<typeof signedTaskFrameSchema>;
/** Cancel this task if it has not been sent to the miner yet. Works only for tasks that came over the same uplink. */
export const cancelFrameSchema = z.object({ type: z.literal('cancel'), task_id: id });

/** Most miners in one ops-status frame. */
export const OPS_STATUS_PAGE = 2_000;
/**
 * The ops status that operators gave to miners, after the welcome and at each change. A long list comes in several
 * frames; `is_first` = a new list begins. Miners that are not in it have no ops status.
 */
export const opsStatusFrameSchema = z.object({
  type: z.literal('ops-status'),
  is_first: z.boolean(),
  miners: z.array(z.object({ miner_key: id, ops_status: z.string().min(1).max(64) })).max(OPS_STATUS_PAGE),
});
export type OpsStatusFrame = z.infer<typeof opsStatusFrameSchema>;
/** Messages beside tasks: they change what an agent does or reports of its miners, or ask it something. */
export type Notice = z.infer<typeof cancelFrameSchema> | OpsStatusFrame | OutlookQuestion;
/** Service → agent: `text` is the JSON of a signed notice (signed-messages.ts), signed byte for byte. */
const signedNoticeFrameSchema = z.object({ type: z.literal('signed-notice'), text: z.string(), signature });
export type SignedNoticeFrame = z.infer<typeof signedNoticeFrameSchema>;
export const serviceFrameSchema = z.discriminatedUnion('type', [
  welcomeFrameSchema,
  epochReadyFrameSchema,
  ackFrameSchema,
  signedTaskFrameSchema,
  signedNoticeFrameSchema,
]);
export type ServiceFrame = z.infer<typeof serviceFrameSchema>;

/**
 * `newer` = an unknown type: ignored. `bad` = no frame, or one that does not fit its type; `what` names the field.
 * `isBaseline` = a hello of an early build: see baseline.ts.
 */
type ReadFrame<F> =
  | { readonly kind: 'frame'; readonly frame: F; readonly isBaseline?: true }
  | { readonly kind: 'newer'; readonly type: string }
  | { readonly kind: 'bad'; readonly what: string };

export const readAgentFrame = (text: string): ReadFrame<AgentFrame> => readFrame(agentFrameSchema, text);
export const readServiceFrame = (text: string): ReadFrame<ServiceFrame> => readFrame(serviceFrameSchema, text);

const typedSchema = z.object({ type: z.string().min(1).max(64) });
type FrameSchema<F> = z.ZodType<F> & { readonly options: readonly { shape: { type: z.ZodLiteral<string> } }[] };

function readFrame<F>(schema: FrameSchema<F>, text: string): ReadFrame<F> {
  const said = parseJson(text);
  const value = inTodaysWords(said);
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'frame', frame: parsed.data, ...(isBaselineHello(said) && { isBaseline: true }) };
  const type = typedSchema.safeParse(value).data?.type;
  const isKnown = schema.options.some(({ shape }) => shape.type.value === type);
  if (type !== undefined && !isKnown) return { kind: 'newer', type };
  return { kind: 'bad', what: parsed.error.issues[0]?.path.join('.') || 'not a message that we know' };
}

/** Sequence numbers of an epoch start at 1 and have no holes; slices are sent in order. */
const sliceHeaderSchema = z.object({
  epoch: id,
  seq: z.int().min(1),
  produced_at: isoTime,
  /**
   * Counts the slices of the agent's outbox through all its epochs: of two states of a miner the one with the higher
   * number is newer, independent of any clock. Absent = `seq`.
   */
  order: z.int().min(1).optional(),
  /** Time from production to sending, ms, by a clock that is never set. Absent = not known. */
  age_ms: z.int().min(0).optional(),
});
export type SliceHeader = z.infer<typeof sliceHeaderSchema>;

/**
 * Header of a binary frame with states of miners from memory, while the agent's disk takes nothing. Such a frame is
 * never acknowledged, enters no history, and is sent only to a service that takes it. The body is that of a slice, with
 * the newest record of each miner; without records it reports only the disk.
 */
const liveHeaderSchema = z.object({
  live: z.literal(true),
  produced_at: isoTime,
  /** The slice that the outbox writes next, and the last slice that may then hold older states than these. */
  order: z.int().min(1),
  through: z.int().min(1),
  /** Why reports cannot be kept, for people. Absent = they are. */
  fault: z.string().max(128).optional(),
});
export type LiveHeader = z.infer<typeof liveHeaderSchema>;

export function encodeSlice(header: SliceHeader | LiveHeader, compressedBody: Uint8Array): Buffer {
  const headerBytes = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(headerBytes.length);
  return Buffer.concat([length, headerBytes, compressedBody]);
}

/** The parts of a binary frame, or undefined when it is not one of ours. */
export const decodeSlice = (frame: Buffer) => decode(frame, sliceHeaderSchema);
export const decodeLive = (frame: Buffer) => decode(frame, liveHeaderSchema);

function decode<H>(frame: Buffer, schema: z.ZodType<H>): { header: H; compressedBody: Buffer } | undefined {
  if (frame.length < 4) return undefined;
  const headerLength = frame.readUInt32LE(0);
  if (headerLength > 4_096 || 4 + headerLength > frame.length) return undefined;
  const header = schema.safeParse(parseJson(frame.subarray(4, 4 + headerLength).toString('utf8')));
  return header.success ? { header: header.data, compressedBody: frame.subarray(4 + headerLength) } : undefined;
}

/** A JSON value, or undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
