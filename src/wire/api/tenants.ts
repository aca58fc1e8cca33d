// Workspaces, farms, agents and events of v2.
import { z } from 'zod';
import { EVENT_TYPE_NAMES } from '../../model/events/event-types.ts';
import { agentV1Schema } from '../../model/host.ts';
import { EXTENSION, named } from './components.ts';
import { answerOf } from './envelope.ts';

export const workspaceV2Schema = named(
  'WorkspaceV2',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    relations: z
      .array(z.enum(['member', 'grantee']))
      .min(1)
      .meta({ description: 'member = the workspace of the key, grantee = another that a grant opens to it' }),
    permissions: z.array(z.string()).meta({ description: 'What the key may do there' }),
  }),
);
export type WorkspaceV2 = z.infer<typeof workspaceV2Schema>;

export const workspacesSchema = answerOf(z.array(workspaceV2Schema));

export const farmV2Schema = named(
  'FarmV2',
  z.strictObject({
    id: z.uuid(),
    name: z.string().nullable(),
    workspace_id: z.string(),
    archived_at: z.iso.datetime().nullable().meta({ description: 'null = the farm is run' }),
  }),
);

export const agentV2Schema = named(
  'AgentV2',
  agentV1Schema.omit({ farm: true, host: true }).extend({
    last_updated_at: z.iso.datetime().nullable(),
    last_online_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the agent was last connected; null = never' }),
    uptime: z.number().nullable(),
    enrolled_at: z.iso.datetime().meta({ ...EXTENSION, description: 'When the agent joined the farm' }),
    clock_ahead_ms: z
      .int()
      .nullable()
      .meta({
        ...EXTENSION,
        description:
          'How far the clock of the agent was ahead of that of the service when it last connected, ms; negative = behind, null = by no more than a minute',
      }),
    storage_fault: z
      .strictObject({ reason: z.string(), since: z.iso.datetime() })
      .nullable()
      .meta({
        ...EXTENSION,
        description:
          'Why the agent cannot keep what it reports, such as a full disk: its miners show live values, and history has a gap from then on. null = it can',
      }),
  }),
);

export const eventSchema = named(
  'MinerEventV2',
  z.strictObject({
    id: z.string().meta({
      description:
        'Opaque and lasting. Given as `after`, the answer goes on behind this event, in the order in which events became visible',
    }),
    type: z.string().meta({
      description: `${EVENT_TYPE_NAMES.join(', ')}; newer agents may know others. The handbook says when each comes: pithead help interface`,
    }),
    miner_id: z.string().nullable().meta({ description: 'null = it is about the agent, or the service' }),
    agent_id: z.string().nullable().meta({ description: 'null = it is about the service' }),
    at: z.iso.datetime(),
    detail: z.record(z.string(), z.unknown()).meta({
      description:
        'What is known of it; of a flag_raised and flag_cleared the `flag` and its evidence as the miner shows it: `since`, `severity`, `value`, `limit`, `source`, `message`; of a task_created and task_ended the `actor` (`type` user, api_key, agent or system, `id`, `name`; `via` control-socket marks the name of a system user, which is not checked), the `task_batch_id` and the `name` of the task, of a task_created and task_on_site also the `command` with which a person asks pithead for it, such as sleep, of a task_ended also its `task_id`, `status` and `message`, and where it was cancelled, the `actor` is who cancelled it, and `ordered_by` who ordered it; of a task_ended of what an operator changed also what was `before` and `after`; of an agent_offline when it was last heard as `last_seen_at` (null = it has never connected); of an agent_online since when it was `offline_since`; of a miner_missing and miner_back since when it does not answer as `since`, and its `ip`; of a note_added the `note_id`, its `text` and the `actor`; of an events_refused how many the agent reported beyond its quota; of a finding_raised and finding_cleared, which stand for one cause that many miners share, the `finding` that their flags carry, a `title`, for how long as `lasted_s` (seconds), `miner_count` of how many (`of`), and some `addresses`; of a task_on_site, for which a person on site asked, the `name` of the task, its `status`, its `message`, and its `task_id`, by which one that comes twice is known, and the `actor` where a person is named; of an identity_settled, by which a person on site said which of several units is the miner, its `ip`, where it was before as `from`, the units that are not it as `rejected`, and the `actor`; of a chassis_kept the `actor`, and what is known of the `replaced` unit and of the new `unit`; of a clock_stepped by how much as `step_ms`, negative = back; of a webhook_disabled the `webhook_id`, its `name` and the `reason` (failing, gone); of a webhook_events_lost the `webhook_id`, its `name` and how many as `count`, of every type',
    }),
  }),
);
