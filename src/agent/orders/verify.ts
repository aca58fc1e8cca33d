// Whether an order or a notice is from the service whose key is pinned, for this agent, for this connection, and newer than every order before. Pure; the
// signed form and its reasons are in wire/orders.ts.
import { type KeyObject, verify } from 'node:crypto';
import { readPublicKey } from '../../base/secrets.ts';
import {
  type KeyChange,
  type Notice,
  parseJson,
  type SignedNoticeFrame,
  type SignedTaskFrame,
  type TaskOrder,
} from '../../wire/frames.ts';
import {
  keyChangeBytes,
  noticeBytes,
  orderBytes,
  type SignedOrder,
  signedNoticeSchema,
  signedOrderSchema,
} from '../../wire/orders.ts';
import type { Refusal } from './contract.ts';

/** A service counts on from what we say by one for each order: a leap would only use up the numbers. */
const MAX_LEAP = 1_000_000;

export type Expected = {
  readonly key: KeyObject;
  readonly agentId: string;
  readonly nonce: string;
  readonly welcomedAt: string;
  /** Of the last order or notice that was taken. */
  readonly lastSeq: number;
};

type Refused = { readonly refused: Refusal };
type Good<T> = T & { readonly seq: number; readonly refused?: never };

export function verifyOrder(
  { text, signature }: SignedTaskFrame,
  expected: Expected,
): Good<{ order: TaskOrder }> | Refused {
  // Nothing is read of what is not signed.
  if (!isSigned(orderBytes(text), signature, expected.key)) return { refused: 'signature' };
  const signed = signedOrderSchema.safeParse(parseJson(text)).data;
  if (signed === undefined) return { refused: 'unreadable' };
  const refused = refuseOther(signed, expected);
  return refused === undefined ? { order: signed.order, seq: signed.seq } : { refused };
}

export function verifyNotice(
  { text, signature }: SignedNoticeFrame,
  expected: Expected,
): Good<{ notice: Notice }> | Refused {
  if (!isSigned(noticeBytes(text), signature, expected.key)) return { refused: 'signature' };
  const signed = signedNoticeSchema.safeParse(parseJson(text)).data;
  if (signed === undefined) return { refused: 'unreadable' };
  const refused = refuseOther(signed, expected);
  return refused === undefined ? { notice: signed.notice, seq: signed.seq } : { refused };
}

/** Signed by the service, but not for this agent, here and now. */
function refuseOther(signed: Omit<SignedOrder, 'order'>, expected: Expected): Refusal | undefined {
  if (signed.agent_id !== expected.agentId) return 'another agent';
  if (signed.nonce !== expected.nonce || signed.welcomed_at !== expected.welcomedAt) return 'another connection';
  const { seq } = signed;
  return seq <= expected.lastSeq || seq > expected.lastSeq + MAX_LEAP ? 'sequence' : undefined;
}

/** Whether the changes lead from one key to the other, each signed by the key before it. */
export function leadsTo(from: string, to: string, changes: readonly KeyChange[]): boolean {
  let current = from;
  for (const change of changes) {
    if (current === to) break;
    if (change.from !== current) continue;
    const key = readPublicKey(current);
    if (key === undefined || !isSigned(keyChangeBytes(change), change.signature, key)) return false;
    current = change.to;
  }
  return current === to;
}

function isSigned(bytes: Buffer, text: string, key: KeyObject): boolean {
  const signature = Buffer.from(text, 'base64');
  // One signature has one text.
  return signature.toString('base64') === text && verify(null, bytes, key, signature);
}
