// The identity of this agent towards one service: received once for an enrolment code, kept in a file that only its
// owner may read, with token and key encrypted. The agent makes the key at its enrolment and proves it with each
// connection; it never leaves this host.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Secret } from '../../../base/secrets.ts';
import { writeFileAtomic } from '../../../base/storage/atomic-file.ts';
import { decryptWith, encryptWith, isEncrypted, openOrCreateVault, openVault } from '../../../base/storage/vault.ts';
import { VERSION } from '../../../base/version.ts';
import { parseJson } from '../../../wire/frames.ts';
import { proofBytes } from '../../../wire/protocol.ts';
import { filePin, type KeyPin, newPin, readKept, unusable } from '../signatures/key-pin.ts';
import { enrol } from './enrol.ts';

export type Credentials = Readonly<ReturnType<typeof credentialsOf>>;

const fileSchema = z.strictObject({
  url: z.string(),
  agent_id: z.uuid(),
  token: z.string(),
  /** PKCS 8 in DER as base64. */
  identity_key: z.string(),
  workspace_id: z.string(),
  farm_id: z.uuid(),
});
type Identity = z.output<typeof fileSchema>;

/** One file per service: an agent may report to two. `realm` names the service (its URL, or `embedded`). */
function fileOf(stateDir: string, realm: string): string {
  return join(stateDir, `agent-${createHash('sha256').update(realm).digest('hex').slice(0, 12)}.json`);
}

const pinFileOf = (stateDir: string, realm: string) => fileOf(stateDir, realm).replace(/json$/, 'key.json');

/** Undefined when it was never enrolled. Throws ConfigError when what is kept cannot be read or opened. */
export function loadCredentials(stateDir: string, realm: string, keyFile: string): Credentials | undefined {
  const file = fileOf(stateDir, realm);
  const text = readKept(file);
  if (text === undefined) return undefined;
  const kept = fileSchema.safeParse(parseJson(text)).data;
  if (kept === undefined) throw unusable(file, 'is damaged: remove it and enrol the agent again');
  const vault = openVault(keyFile);
  const [token, key] = [decryptWith(vault, kept.token), decryptWith(vault, kept.identity_key)];
  if (token === undefined || key === undefined) {
    throw unusable(
      file,
      `cannot be opened with the key in ${keyFile}: bring the key back, or remove the file and enrol the agent again`,
    );
  }
  const identity = { ...kept, token, identity_key: key };
  // There may have been no key to seal it with at the enrolment.
  if (!isEncrypted(kept.token)) keep(file, identity, keyFile);
  return credentialsOf(identity, readPrivateKey(file, key), filePin(pinFileOf(stateDir, realm)));
}

/** Id of the agent that is enrolled with this service, as far as its file tells it. */
export function enrolledAs(stateDir: string, realm: string): string | undefined {
  try {
    return fileSchema.safeParse(parseJson(readKept(fileOf(stateDir, realm)) ?? '')).data?.agent_id;
  } catch {
    return undefined;
  }
}

/** Exchanges the code for an identity and keeps it. Throws ConfigError when the service refuses the code. */
export async function enrolOnce(options: {
  readonly stateDir: string;
  /** Made if there is none; without one the secrets lie in the open, for their owner alone. */
  readonly keyFile: string;
  readonly realm: string;
  readonly url: string;
  readonly code: string;
  readonly name?: string | undefined;
  readonly allowPlain: boolean;
}): Promise<Credentials> {
  const { stateDir, keyFile, realm, url, code, allowPlain } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { task_key, ...answer } = await enrol({
    url,
    code,
    name: options.name ?? hostname(),
    version: VERSION,
    identity_key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    allowPlain,
  });
  const pin = newPin(pinFileOf(stateDir, realm), task_key);
  const identity_key = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  const identity = { url, ...answer, identity_key };
  keep(fileOf(stateDir, realm), identity, keyFile);
  return credentialsOf(identity, privateKey, pin);
}

const credentialsOf = (kept: Identity, key: KeyObject, pin: KeyPin) => ({
  url: kept.url,
  agentId: kept.agent_id,
  workspaceId: kept.workspace_id,
  farmId: kept.farm_id,
  token: new Secret(kept.token),
  /** Of the key that it proves; SPKI in DER as base64. */
  publicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
  /** The signature of the challenge by the agent's key, in base64. */
  prove: (agentId: string, challenge: string) => sign(null, proofBytes(agentId, challenge), key).toString('base64'),
  /** The key that its tasks are signed with. */
  pin,
});

function keep(file: string, identity: Identity, keyFile: string): void {
  const vault = openOrCreateVault(keyFile);
  const [token, identity_key] = [encryptWith(vault, identity.token), encryptWith(vault, identity.identity_key)];
  writeFileAtomic(file, `${JSON.stringify({ ...identity, token, identity_key })}\n`, 0o600);
}

function readPrivateKey(file: string, text: string): KeyObject {
  try {
    return createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
  } catch (error) {
    throw unusable(file, 'is damaged: remove it and enrol the agent again', error);
  }
}
