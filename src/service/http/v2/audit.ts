// GET …/audit: who did what in a workspace. An extension of the interface. Checking that the trail is
// whole is `pithead audit verify`, on the host.
import { z } from 'zod';
import { ACTOR_TYPES } from '../../../model/task.ts';
import { AUDIT_ORDERS, type AuditEntry as AuditItem, auditPageSchema } from '../../../wire/api/audit.ts';
import { EXTENSION } from '../../../wire/api/components.ts';
import { anyId } from '../../../wire/api/forms.ts';
import { V2_WORKSPACE } from '../../auth/rules.data.ts';
import type { AuditEntry } from '../../store/store.ts';
import { accessOf } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { goodPage, toIso } from '../shared/envelope.ts';
import { parseUtcMs, single, wholeNumber } from '../shared/parameters.ts';

const MOST_ENTRIES = 1_000;
/** No entry has a higher number: PostgreSQL counts no further. */
const MAX_SEQ = 2_147_483_647;

export function registerAudit(app: App, { store }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_WORKSPACE}/audit`,
    schema: {
      ...EXTENSION,
      tags: ['workspaces'],
      operationId: 'listAuditV2',
      summary: 'Who did what in a workspace, oldest or newest first',
      description:
        'Keys, grants, agents, tasks, edits of miners, and refused requests. Entries are kept for 400 days. Only the keys of the workspace itself may read it: no grant opens it.',
      params: z.object({ workspace_id: anyId }),
      querystring: z.object({
        order: single(
          '`newest` = the newest entry first; `oldest`, or not given = the oldest',
          (text) => AUDIT_ORDERS.find((order) => order === text),
          { enum: AUDIT_ORDERS },
        ),
        after: single(
          '`next` of the page before',
          (text) => (/^\d{1,15}$/.test(text) ? Math.min(Number(text), MAX_SEQ) : undefined),
          {
            pattern: '^\\d{1,15}$',
          },
        ),
        since: single('an ISO 8601 time in UTC: nothing that was done before it', parseUtcMs, { format: 'date-time' }),
        page_size: wholeNumber({ min: 1, max: MOST_ENTRIES, fallback: 100, description: 'Entries per page' }),
      }),
      response: answers(auditPageSchema),
    },
    handler: async (request) => {
      const { workspaceId } = accessOf(request);
      const { order, after: afterSeq, since: sinceMs, page_size: limit } = request.query;
      const found = await store.audit.list({ workspaceId, order, afterSeq, sinceMs, limit: limit + 1 });
      const entries = found.slice(0, limit);
      const next = found.length > limit ? String(entries.at(-1)?.seq ?? 0) : null;
      return goodPage(entries.map(toItem), { next });
    },
  });
}

const actorType = z.enum(ACTOR_TYPES);

function toItem(entry: AuditEntry): AuditItem {
  const { seq, at, action, actor_type, actor_id: id, actor_name: name, hash } = entry;
  return {
    ...{ seq, at: toIso(at), action, actor: { type: actorType.parse(actor_type), id, name } },
    ...{ subject: JSON.parse(entry.subject), detail: JSON.parse(entry.detail), hash },
  };
}
