// Orders and notices as a service signs them, and as somebody else would.
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { SignedNoticeFrame, SignedTaskFrame, TaskOrder } from '../../../../../src/wire/frames.ts';
import {
  keyChangeBytes,
  noticeBytes,
  orderBytes,
  type SignedNotice,
  type SignedOrder,
} from '../../../../../src/wire/orders.ts';

export type Signer = { readonly key: KeyObject; readonly publicKey: string };

export function newSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { key: privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') };
}

export function order(fields: Partial<TaskOrder> = {}): TaskOrder {
  return {
    type: 'task',
    task_id: randomUUID(),
    batch_id: randomUUID(),
    name: 'miner.system.reboot',
    miner_key: randomUUID(),
    params: {},
    created_at: '2026-01-02T03:04:05.000Z',
    expires_at: '2026-01-02T03:19:05.000Z',
    ...fields,
  };
}

export function signText(text: string, { key }: Signer): SignedTaskFrame {
  return { type: 'signed-task', text, signature: sign(null, orderBytes(text), key).toString('base64') };
}

export const signOrder = (fields: SignedOrder, signer: Signer): SignedTaskFrame =>
  signText(JSON.stringify(fields), signer);

export function signNotice(fields: SignedNotice, { key }: Signer): SignedNoticeFrame {
  const text = JSON.stringify(fields);
  return { type: 'signed-notice', text, signature: sign(null, noticeBytes(text), key).toString('base64') };
}

export function keyChange(from: Signer, to: Signer) {
  const change = { from: from.publicKey, to: to.publicKey };
  return { ...change, signature: sign(null, keyChangeBytes(change), from.key).toString('base64') };
}
