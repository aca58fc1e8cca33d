// Who an agent is towards a service that never answers.
import { randomUUID } from 'node:crypto';
import { pinOf } from '../../src/agent/uplink/signatures/key-pin.ts';
import { Secret } from '../../src/base/secrets.ts';
import { newIdentityKey } from '../support/identity-key.ts';

export function newCredentials() {
  const { publicKey, prove } = newIdentityKey();
  return { agentId: randomUUID(), token: new Secret('token'), prove, pin: pinOf(publicKey) };
}
