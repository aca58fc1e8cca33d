// How an agent becomes known: a one-time code against an identity, once.
import type { Clock } from '../../base/clock.ts';
import { RefusedError } from '../../base/errors.ts';
import type { EnrolAnswer, EnrolRequest } from '../../wire/frames.ts';
import { PROTOCOL_VERSION } from '../../wire/protocol.ts';
import { hashEnrolmentCode, newAgentToken } from '../auth/secrets.ts';
import type { AgentStore } from '../store/store.ts';

/** Throws RefusedError `request.invalid` for another protocol, `auth.code` for a code that is unknown, used or expired. */
export async function enrolAgent(
  request: EnrolRequest,
  parts: {
    readonly agents: Pick<AgentStore, 'enrol'>;
    readonly clock: Clock;
    readonly newId: (nowMs: number) => string;
    /** That orders are signed with. */
    readonly taskKey: () => Promise<string>;
  },
): Promise<EnrolAnswer> {
  if (request.protocol !== PROTOCOL_VERSION)
    throw new RefusedError(
      'request.invalid',
      `Invalid request parameters: protocol: received ${request.protocol}, accepted: ${PROTOCOL_VERSION}`,
    );
  // Before the code is used up.
  const task_key = await parts.taskKey();
  const nowMs = parts.clock.nowMs();
  const id = parts.newId(nowMs);
  const token = newAgentToken();
  const { name, version, identity_key: identityKey } = request;
  const agent = { id, name, version, tokenHash: token.hash, identityKey, nowMs };
  const joined = await parts.agents.enrol(hashEnrolmentCode(request.code), agent);
  if (joined === undefined) throw new RefusedError('auth.code', 'Invalid, used or expired enrolment code');
  return { agent_id: id, token: token.text, workspace_id: joined.workspaceId, farm_id: joined.farmId, task_key };
}
