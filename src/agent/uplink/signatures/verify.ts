// Whether a task or notice is signed with the pinned key, for this agent and this connection, and newer than every one
// before. Pure; the signed form and its reasons are in wire/signed-messages.ts.
import { type KeyObject, verify } from 'node:crypto';
import type { z } from 'zod';
import { readPublicKey } from '../../../base/secrets.ts';
import { baselineKeyChangeBytes, baselineTaskBytes, baselineTaskSchema } from '../../../wire/baseline-signatures.ts';
import { type KeyChange, parseJson, type SignedNoticeFrame, type SignedTaskFrame } from '../../../wire/frames.ts';
import {
  keyChangeBytes,
  noticeBytes,
  type SignedNotice,
  type SignedTask,
  signedNoticeSchema,
  signedTaskSchema,
  taskBytes,
} from '../../../wire/signed-messages.ts';

/** Why a task or notice is refused. */
export type Refusal = 'unsigned' | 'signature' | 'unreadable' | 'another agent' | 'another connection' | 'sequence';

/** A service counts on from our number by one per message: a leap would only use up the numbers. */
const MAX_LEAP = 1_000_000;

export type Expected = {
  /** Undefined = no key that can be read: every message is refused. */
  readonly key: KeyObject | undefined;
  readonly agentId: string;
  readonly nonce: string;
  readonly welcomedAt: string;
  /** Of the last task or notice that was admitted. */
  readonly lastSeq: number;
};

type Verdict<T> =
  | { readonly signed: T; readonly refused?: never }
  | { readonly refused: Refusal; readonly signed?: never };

export function verifyTask(frame: SignedTaskFrame, expected: Expected): Verdict<SignedTask> {
  const verdict = verifySigned(signedTaskSchema, taskBytes(frame.text), frame, expected);
  if (verdict.refused !== 'signature') return verdict;
  return verifySigned(baselineTaskSchema, baselineTaskBytes(frame.text), frame, expected);
}

export const verifyNotice = (frame: SignedNoticeFrame, expected: Expected): Verdict<SignedNotice> =>
  verifySigned(signedNoticeSchema, noticeBytes(frame.text), frame, expected);

function verifySigned<T extends SignedTask | SignedNotice>(
  schema: z.ZodType<T>,
  bytes: Buffer,
  { text, signature }: SignedTaskFrame | SignedNoticeFrame,
  expected: Expected,
): Verdict<T> {
  // A text that is not signed is not parsed.
  if (!isSigned(bytes, signature, expected.key)) return { refused: 'signature' };
  const signed = schema.safeParse(parseJson(text)).data;
  if (signed === undefined) return { refused: 'unreadable' };
  if (signed.agent_id !== expected.agentId) return { refused: 'another agent' };
  if (signed.nonce !== expected.nonce || signed.welcomed_at !== expected.welcomedAt)
    return { refused: 'another connection' };
  const isNext = signed.seq > expected.lastSeq && signed.seq <= expected.lastSeq + MAX_LEAP;
  return isNext ? { signed } : { refused: 'sequence' };
}

/** Whether the changes lead from one key to the other, each signed by the key before it. */
export function leadsTo(from: string, to: string, changes: readonly KeyChange[]): boolean {
  let current = from;
  for (const change of changes) {
    if (current === to) break;
    if (change.from !== current) continue;
    const key = readPublicKey(current);
    const forms = [keyChangeBytes(change), baselineKeyChangeBytes(change)];
    if (!forms.some((bytes) => isSigned(bytes, change.signature, key))) return false;
    current = change.to;
  }
  return current === to;
}

function isSigned(bytes: Buffer, text: string, key: KeyObject | undefined): boolean {
  const signature = Buffer.from(text, 'base64');
  // Each signature has one text form only.
  return key !== undefined && signature.toString('base64') === text && verify(null, bytes, key, signature);
}
