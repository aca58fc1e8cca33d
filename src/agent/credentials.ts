// Who this agent is towards one service: got once by an enrolment code, kept in a file that only its owner may read, the token in it sealed.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { Secret } from '../base/secrets.ts';
import { writeWhole } from '../base/storage/atomic-file.ts';
import { isSealed, openOrCreateVault, openVault, type Vault } from '../base/storage/vault.ts';
import { VERSION } from '../base/version.ts';
import { parseJson } from '../wire/frames.ts';
import type { AgentConfig } from './config/config.ts';
import { loadIdentityKey, newIdentityKey, type Prove } from './identity-key.ts';
import type { KeyPin } from './orders/contract.ts';
import { filePin, newPin } from './orders/pin.ts';
import { enrol } from './uplink/enrol.ts';

export { memoryPin } from './orders/pin.ts';

export type Credentials = {
  readonly url: string;
  readonly agentId: string;
  readonly token: Secret;
  /** Of the key that it was enrolled with; undefined for one without. */
  readonly prove: Prove | undefined;
  readonly workspaceId: string;
  readonly farmId: string;
  /** The key that its orders are signed with. */
  readonly pin: KeyPin;
};

const fileSchema = z.strictObject({
  url: z.string(),
  agent_id: z.uuid(),
  token: z.string(),
  workspace_id: z.string(),
  farm_id: z.uuid(),
});

/** One file per service, so that an agent that reports to two keeps both identities. `realm` names the service (its URL, or `embedded`). */
function fileOf(stateDir: string, realm: string): string {
  return join(stateDir, `agent-${createHash('sha256').update(realm).digest('hex').slice(0, 12)}.json`);
}

const identityFileOf = (stateDir: string, realm: string) => fileOf(stateDir, realm).replace(/json$/, 'identity');

const pinFileOf = (stateDir: string, realm: string) => fileOf(stateDir, realm).replace(/json$/, 'key.json');

/** A token that was kept in the open is sealed from now on, where there can be a key. */
export function loadCredentials(stateDir: string, realm: string, keyFile: string): Credentials | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(stateDir, realm), 'utf8');
  } catch {
    return undefined;
  }
  const parsed = fileSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new ConfigError(`read ${fileOf(stateDir, realm)}`, [
      { path: '(file)', message: 'is damaged: remove it and enrol the agent again' },
    ]);
  }
  const { token: kept } = parsed.data;
  const token = isSealed(kept) ? openVault(keyFile)?.open(kept) : kept;
  if (token === undefined) {
    throw new ConfigError(`read ${fileOf(stateDir, realm)}`, [
      {
        path: '(file)',
        message: `cannot be opened with the key in ${keyFile}: bring the key back, or remove the file and enrol the agent again`,
      },
    ]);
  }
  if (!isSealed(kept)) keep(fileOf(stateDir, realm), parsed.data, keyFile);
  const { url, agent_id: agentId, workspace_id: workspaceId, farm_id: farmId } = parsed.data;
  const pin = filePin(pinFileOf(stateDir, realm));
  const prove = loadIdentityKey(identityFileOf(stateDir, realm), keyFile);
  return { url, agentId, token: new Secret(token), prove, workspaceId, farmId, pin };
}

/** Exchanges the code for an identity and keeps it. Throws ConfigError when the service refuses the code. */
export async function enrolOnce(options: {
  readonly stateDir: string;
  /** Made if there is none; without one the token lies in the open, for its owner alone. */
  readonly keyFile: string;
  readonly realm: string;
  readonly url: string;
  readonly code: string;
  readonly name?: string | undefined;
  readonly allowPlain: boolean;
}): Promise<Credentials> {
  const { stateDir, keyFile, realm, url, code, allowPlain } = options;
  const key = newIdentityKey();
  const answer = await enrol({
    url,
    code,
    name: options.name ?? hostname(),
    version: VERSION,
    identityKey: key.publicKey,
    allowPlain,
  });
  // First: credentials without their key would be refused.
  key.keep(identityFileOf(stateDir, realm), keyFile);
  const { task_key, ...identity } = answer;
  const pin = newPin(pinFileOf(stateDir, realm), task_key);
  keep(fileOf(stateDir, realm), { url, ...identity }, keyFile);
  return {
    url,
    agentId: answer.agent_id,
    token: new Secret(answer.token),
    prove: key.prove,
    workspaceId: answer.workspace_id,
    farmId: answer.farm_id,
    pin,
  };
}

function keep(path: string, identity: z.output<typeof fileSchema>, keyFile: string): void {
  const token = openOrCreateVault(keyFile)?.seal(identity.token) ?? identity.token;
  writeWhole(path, `${JSON.stringify({ ...identity, token })}\n`, 0o600);
}

/** Seals what the agent keeps of other passwords. Without a key they lie in the open, for their owner alone: then the log says so. */
export function vaultOf({ credentials: { keyFile } }: Pick<AgentConfig, 'credentials'>, log: Log): Vault | undefined {
  const vault = openVault(keyFile);
  if (vault === undefined) log.warn({ keyFile }, NO_KEY);
  return vault;
}

const NO_KEY =
  "passwords of pools lie in the open in the agent's database, because there is no key that it may read: make one with `pithead config seal` beside the configuration, or name its file as credentials.keyFile, and start the agent again";
