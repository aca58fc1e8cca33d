// Whether a task or notice is signed with the pinned key, for this agent and this connection, and newer than every one
// before. Pure; the signed form and its reasons are in wire/signed-messages.ts.
import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
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

const TASK_SCHEMAS = { current: signedTaskSchema, baseline: baselineTaskSchema } as const;
/** In which form a task is signed with the key; `none` = in no form. */
export type SignedAs = keyof typeof TASK_SCHEMAS | 'none';

/** Computed beside the event loop: a signature takes longer to check than all else about a task. */
export async function signedAs({ text, signature }: SignedTaskFrame, key: Expected['key']): Promise<SignedAs> {
  if (await isSignedSoon(taskBytes(text), signature, key)) return 'current';
  return (await isSignedSoon(baselineTaskBytes(text), signature, key)) ? 'baseline' : 'none';
}

function signedAsNow({ text, signature }: SignedTaskFrame, key: Expected['key']): SignedAs {
  if (isSigned(taskBytes(text), signature, key)) return 'current';
  return isSigned(baselineTaskBytes(text), signature, key) ? 'baseline' : 'none';
}

/** `form` = what `signedAs` found with this key. */
export function verifyTask(
  frame: SignedTaskFrame,
  expected: Expected,
  form = signedAsNow(frame, expected.key),
): Verdict<SignedTask> {
  return form === 'none' ? { refused: 'signature' } : readSigned(TASK_SCHEMAS[form], frame, expected);
}

export function verifyNotice(frame: SignedNoticeFrame, expected: Expected): Verdict<SignedNotice> {
  if (!isSigned(noticeBytes(frame.text), frame.signature, expected.key)) return { refused: 'signature' };
  return readSigned(signedNoticeSchema, frame, expected);
}

/** Of a text that is signed: no other is parsed. */
function readSigned<T extends SignedTask | SignedNotice>(
  schema: z.ZodType<T>,
  { text }: SignedTaskFrame | SignedNoticeFrame,
  expected: Expected,
): Verdict<T> {
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

const verifySoon = promisify<null, Buffer, KeyObject, Buffer, boolean>(verify);

function isSigned(bytes: Buffer, text: string, key: KeyObject | undefined): boolean {
  const signature = signatureOf(text);
  return key !== undefined && signature !== undefined && verify(null, bytes, key, signature);
}

async function isSignedSoon(bytes: Buffer, text: string, key: KeyObject | undefined): Promise<boolean> {
  const signature = signatureOf(text);
  return key !== undefined && signature !== undefined && (await verifySoon(null, bytes, key, signature));
}

/** Each signature has one text form only: undefined for every other. */
function signatureOf(text: string): Buffer | undefined {
  const signature = Buffer.from(text, 'base64');
  return signature.toString('base64') === text ? signature : undefined;
}
