// What a service signs so that an agent carries it out or heeds it, and what a new key of the service is signed with. Making keys, signing and checking
// are the sides' own.
//
// The signed form. An order is one JSON text, signed with Ed25519 byte for byte as it stands in the frame, after a purpose of its own. There is no
// canonical form that both sides would have to agree on: the agent checks the bytes first and reads them afterwards, and what a newer service puts
// into an order is covered by the signature whether or not the agent knows it.
//
// What makes a text good for one use: it names the agent, the nonce of the agent's hello and the time of the welcome, so that it is worth nothing to
// another agent, on another connection, or to an agent that was put back to an old copy of itself; its sequence number is above that of every order
// that the agent has admitted. The service counts on from what the hello says, once per order that it sends, sent again or not: nothing is kept
// there that two copies of it would have to share or that a restored database could have forgotten. That an order which was lost with its
// connection is carried out once is not the sequence's work but that of the task's id.
//
// Time. `expires_at` is in the service's time; the agent tells that from the signed time of the welcome and a clock of its own that nobody sets, so that
// neither a wrong clock nor one that is set meanwhile makes an order live longer or shorter. Who could hold back the welcome could gain the time
// that the agent waits for it, no more.
//
// Notices. What cancels a task, or says that a miner is not meant to mine and so hides what is wrong with it, would serve an attacker as well as an
// order: it is signed in the same form, for a purpose of its own, and numbered in the same row.
import { z } from 'zod';
import {
  cancelFrameSchema,
  type KeyChange,
  type Notice,
  nonceSchema,
  opsStatusFrameSchema,
  type SignedNoticeFrame,
  type SignedTaskFrame,
  type TaskCommand,
  taskFrameSchema,
} from './frames.ts';

/** Go before what is signed, so that no signature can be moved to another purpose. */
const TASK_PURPOSE = 'pithead task\n';
const NOTICE_PURPOSE = 'pithead notice\n';
const KEY_PURPOSE = 'pithead signing key\n';

const signedFor = {
  agent_id: z.uuid(),
  nonce: nonceSchema,
  /** `at` of the welcome, as it was sent. */
  welcomed_at: z.iso.datetime(),
  seq: z.int().min(1),
};
export const signedTaskSchema = z.object({ ...signedFor, task: taskFrameSchema });
export type SignedTask = z.infer<typeof signedTaskSchema>;
export const signedNoticeSchema = z.object({
  ...signedFor,
  notice: z.discriminatedUnion('type', [cancelFrameSchema, opsStatusFrameSchema]),
});
export type SignedNotice = z.infer<typeof signedNoticeSchema>;

/** What the orders of one connection are signed for. */
export type SignedConnection = {
  readonly agentId: string;
  readonly nonce: string;
  readonly welcomedAt: string;
  /** Of the last order that the agent admitted. */
  readonly lastSeq: number;
};

/** What they are signed with. */
export type Signing = {
  /** As the wire has it. */
  readonly publicKey: string;
  /** How it came from the keys before it. */
  readonly changes: readonly KeyChange[];
  /** Each gets the next number, also one that is sent again. */
  sign(message: TaskCommand | Notice): SignedTaskFrame | SignedNoticeFrame;
};

export const taskBytes = (text: string): Buffer => Buffer.from(TASK_PURPOSE + text);
export const noticeBytes = (text: string): Buffer => Buffer.from(NOTICE_PURPOSE + text);

/** Of public keys as the wire has them. */
export const keyChangeBytes = ({ from, to }: { readonly from: string; readonly to: string }): Buffer =>
  Buffer.from(`${KEY_PURPOSE}${from}\n${to}`);
