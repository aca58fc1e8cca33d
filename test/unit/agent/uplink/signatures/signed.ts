// Tasks and notices as a service signs them, and as another party would.
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { SignedNoticeFrame, SignedTaskFrame, TaskCommand } from '../../../../../src/wire/frames.ts';
import {
  keyChangeBytes,
  noticeBytes,
  type SignedNotice,
  type SignedTask,
  taskBytes,
} from '../../../../../src/wire/signed-messages.ts';

export type Signer = { readonly key: KeyObject; readonly publicKey: string };

export function newSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { key: privateKey, publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') };
}

export function task(fields: Partial<TaskCommand> = {}): TaskCommand {
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
  return { type: 'signed-task', text, signature: sign(null, taskBytes(text), key).toString('base64') };
}

export const signTask = (fields: SignedTask, signer: Signer): SignedTaskFrame =>
  signText(JSON.stringify(fields), signer);

export function signNotice(fields: SignedNotice, { key }: Signer): SignedNoticeFrame {
  const text = JSON.stringify(fields);
  return { type: 'signed-notice', text, signature: sign(null, noticeBytes(text), key).toString('base64') };
}

export function keyChange(from: Signer, to: Signer) {
  const change = { from: from.publicKey, to: to.publicKey };
  return { ...change, signature: sign(null, keyChangeBytes(change), from.key).toString('base64') };
}
