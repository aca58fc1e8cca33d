// Signs what agents carry out, with the newest key of the service. The signed form is in wire/signed-messages.ts.
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { ConfigError } from '../../base/errors.ts';
import { baselineTaskBytes, baselineTaskText } from '../../wire/baseline-signatures.ts';
import { MAX_KEY_CHANGES } from '../../wire/frames.ts';
import {
  keyChangeBytes,
  noticeBytes,
  type SignedConnection,
  type SignedNotice,
  type SignedTask,
  type Signing,
  taskBytes,
} from '../../wire/signed-messages.ts';
import type { KeyPair, TaskKey, TaskKeyStore } from '../store/store.ts';

/** Makes the error for a key whose private half cannot be decrypted. */
type Undecryptable = () => ConfigError;

type Key = Pick<Signing, 'publicKey' | 'changes'> & { readonly id: number; readonly privateKey: KeyObject };

/**
 * The key in use, which another copy may have changed, is looked up each time; throws ConfigError when its private half
 * cannot be opened. With a `seed` the first key comes from it: the same again for a database that was put back to a
 * copy from before it had one, so that agents which have learnt it meanwhile are not lost.
 */
export function createSigner(
  keys: TaskKeyStore,
  clock: Clock,
  { seed, undecryptable }: { readonly seed: Uint8Array | undefined; readonly undecryptable: Undecryptable },
) {
  let kept: Key | undefined;
  const current = async (): Promise<Key> => {
    if (kept !== undefined && kept.id === (await keys.currentId())) return kept;
    const { id, publicKey, privateKey } = await keys.current(() => pairOf(seed), clock.nowMs());
    const changes = await keys.changes(MAX_KEY_CHANGES);
    kept = { id, publicKey, changes, privateKey: readPrivate(privateKey, undecryptable) };
    return kept;
  };
  return {
    publicKey: async () => (await current()).publicKey,
    async begin(connection: SignedConnection): Promise<Signing> {
      const { agentId: agent_id, nonce, welcomedAt: welcomed_at, lastSeq, isBaseline } = connection;
      const { publicKey, changes, privateKey } = await current();
      let seq = lastSeq;
      const next = () => ({ agent_id, nonce, welcomed_at, seq: ++seq });
      const signed = (bytes: Buffer) => sign(null, bytes, privateKey).toString('base64');
      return {
        publicKey,
        changes,
        sign(message) {
          if (message.type === 'task' && isBaseline) {
            const text = baselineTaskText(next(), message);
            return { type: 'signed-task', text, signature: signed(baselineTaskBytes(text)) };
          }
          if (message.type === 'task') {
            const text = JSON.stringify({ ...next(), task: message } satisfies SignedTask);
            return { type: 'signed-task', text, signature: signed(taskBytes(text)) };
          }
          const text = JSON.stringify({ ...next(), notice: message } satisfies SignedNotice);
          return { type: 'signed-notice', text, signature: signed(noticeBytes(text)) };
        },
      };
    },
  };
}

/**
 * Replaces the key in use; each agent gets the new one with its next connection. `isEndorsed` = agents take it over by
 * themselves, because the old one has signed it. Throws ConfigError when the old one cannot be opened, unless it
 * `isLost`.
 */
export async function replaceKey(
  keys: TaskKeyStore,
  clock: Clock,
  { isLost, undecryptable }: { readonly isLost: boolean; readonly undecryptable: Undecryptable },
): Promise<{ publicKey: string; isEndorsed: boolean }> {
  let isEndorsed = true;
  const endorse = ({ publicKey: from, privateKey }: TaskKey, to: string) => {
    isEndorsed = privateKey !== undefined;
    if (!isEndorsed && isLost) return null;
    return sign(null, keyChangeBytes({ from, to }), readPrivate(privateKey, undecryptable)).toString('base64');
  };
  const { publicKey } = await keys.replace(() => pairOf(), endorse, clock.nowMs());
  return { publicKey, isEndorsed };
}

function readPrivate(text: string | undefined, undecryptable: Undecryptable): KeyObject {
  if (text === undefined) throw undecryptable();
  return importPrivate(text);
}

const importPrivate = (text: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });

/** What an Ed25519 key begins with in PKCS 8; 32 bytes follow. */
const PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function pairOf(seed: Uint8Array = randomBytes(32)): KeyPair {
  const privateKey = Buffer.concat([PREFIX, seed]).toString('base64');
  const publicKey = createPublicKey(importPrivate(privateKey)).export({ format: 'der', type: 'spki' });
  return { publicKey: publicKey.toString('base64'), privateKey };
}
