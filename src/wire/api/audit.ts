// The audit trail of a workspace in v2.
import { z } from 'zod';
import { ACTOR_TYPES } from '../../model/task.ts';
import { named } from './components.ts';
import { envelopeOf } from './envelope.ts';

/** Which entry comes first. */
export const AUDIT_ORDERS = ['oldest', 'newest'] as const;

export const auditEntrySchema = named(
  'AuditEntryV2',
  z.strictObject({
    seq: z.int().meta({
      description: 'Number of the entry in the trail of the whole service: numbers between are of others',
    }),
    at: z.iso.datetime(),
    action: z.string().meta({
      description: 'What was done, as key.created or batch.created; newer services may know others',
    }),
    actor: z
      .strictObject({ type: z.enum(ACTOR_TYPES), id: z.string(), name: z.string() })
      .meta({ description: 'Who did it: a key, an agent, the service itself or a command on its host' }),
    subject: z
      .record(z.string(), z.string())
      .meta({ description: 'Ids of what it was done to, by kind: farm, agent, batch, key, grant' }),
    detail: z.record(z.string(), z.unknown()).meta({ description: 'More of it. It holds no secret' }),
    hash: z.string().meta({ description: 'SHA-256 that covers this entry and all before it' }),
  }),
);

export const auditPageSchema = envelopeOf(z.array(auditEntrySchema), {
  pagination: named(
    'AuditPageV2',
    z.strictObject({
      next: z.string().nullable().meta({
        description: 'Give it as `after` for the next page, with the same `order`; null = there is none so far',
      }),
    }),
  ),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;
export type AuditPage = z.infer<typeof auditPageSchema>;
