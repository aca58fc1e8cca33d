// The signed form of tasks and notices that a service sends, and of a change of its key. Making keys, signing and
// checking are the sides' own.
//
// A message is one JSON text, signed with Ed25519 byte for byte as it stands in the frame, after a purpose of its own.
// The agent checks the bytes before it parses them, so that no canonical form is needed and fields of a newer service
// are covered by the signature.
//
// Each text names the agent, the nonce of its hello and the time of the welcome: it is worth nothing to another agent,
// on another connection, or to an agent that was restored from an old copy. Its number is above that of every message
// that the agent has admitted. The service counts on from the number in the hello, also for a task that it sends again;
// so copies of the service share nothing, and a restored database forgets nothing. The id of the task, not the number,
// makes sure that a task that was sent twice is executed once.
//
// `expires_at` is in the service's time. The agent derives that from the signed time of the welcome and a clock that is
// never set. An attacker who delays the welcome gains at most the time that the agent waits for it.
//
// Notices are signed too: cancelling a task, or hiding a miner's illness behind an ops status, would serve an attacker
// as well as a task, and a question makes work.
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
import { outlookQuestionSchema } from './outlook.ts';

/** Prefixes of the signed bytes, so that no signature can be moved to another purpose. */
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
  notice: z.discriminatedUnion('type', [cancelFrameSchema, opsStatusFrameSchema, outlookQuestionSchema]),
});
export type SignedNotice = z.infer<typeof signedNoticeSchema>;

/** What the messages of one connection are signed for. */
export type SignedConnection = {
  readonly agentId: string;
  readonly nonce: string;
  readonly welcomedAt: string;
  /** Of the last message that the agent admitted. */
  readonly lastSeq: number;
  /** The agent reads the form of the early builds: see baseline-signatures.ts. */
  readonly isBaseline?: boolean | undefined;
};

/** What they are signed with. */
export type Signing = {
  /** As the wire has it. */
  readonly publicKey: string;
  /** The changes that lead to it from earlier keys. */
  readonly changes: readonly KeyChange[];
  /** Each message gets the next number, also one that is sent again. */
  sign(message: TaskCommand | Notice): SignedTaskFrame | SignedNoticeFrame;
};

export const taskBytes = (text: string): Buffer => Buffer.from(TASK_PURPOSE + text);
export const noticeBytes = (text: string): Buffer => Buffer.from(NOTICE_PURPOSE + text);

/** Of public keys as the wire has them. */
export const keyChangeBytes = ({ from, to }: { readonly from: string; readonly to: string }): Buffer =>
  Buffer.from(`${KEY_PURPOSE}${from}\n${to}`);
