// POST /agent/v1/enrol: exchanges a one-time code for the identity of an agent, once.
import { RefusedError } from '../../base/errors.ts';
import { agentActor } from '../../model/audit/entry.ts';
import { plainText } from '../../model/plain-text.ts';
import { enrolAnswerSchema, enrolRequestSchema } from '../../wire/frames.ts';
import { ENROL_PATH, PROTOCOL_VERSION } from '../../wire/protocol.ts';
import { hashEnrolmentCode, newAgentToken } from '../auth/secrets.ts';
import { newId } from '../store/store.ts';
import { answers, NO_KEY } from './openapi.ts';
import type { App, RouteParts } from './server.ts';
import { invalidRequest } from './shared/errors.ts';

type Joined = Awaited<ReturnType<RouteParts['store']['agents']['enrol']>>;

export function registerEnrol(app: App, { store, clock, taskKey }: RouteParts): void {
  app.route({
    method: 'POST',
    url: ENROL_PATH,
    schema: {
      tags: ['service'],
      operationId: 'enrolAgent',
      summary: 'Exchange a one-time code for the identity of an agent',
      security: NO_KEY,
      body: enrolRequestSchema,
      response: answers(enrolAnswerSchema),
    },
    handler: async (request) => {
      const { protocol, code, name, version, identity_key: identityKey } = request.body;
      if (protocol !== PROTOCOL_VERSION)
        throw invalidRequest(`protocol: received ${protocol}, accepted: ${PROTOCOL_VERSION}`);
      // Before the code is used up.
      const task_key = await taskKey();
      const shownName = plainText(name);
      if (shownName === undefined) throw invalidRequest('name: received nothing that can be seen');
      const nowMs = clock.nowMs();
      const id = newId(nowMs);
      const { text: token, hash: tokenHash } = newAgentToken();
      const agent = { id, name: shownName, version: plainText(version) ?? '', tokenHash, identityKey, nowMs };
      const digest = hashEnrolmentCode(code);
      const joined = await store.audited<Joined>(
        (used) => ({
          ...{
            action: 'agent.enrolled',
            actor: agentActor(id, shownName),
            workspaceId: used?.workspaceId,
            atMs: nowMs,
          },
          subject: { agent: id, farm: used?.farmId ?? '' },
          detail: { digest, version: agent.version, address: request.ip },
        }),
        ({ agents }) => agents.enrol(digest, agent),
      );
      if (joined === undefined) throw new RefusedError('auth.code');
      return { agent_id: id, token, workspace_id: joined.workspaceId, farm_id: joined.farmId, task_key };
    },
  });
}
