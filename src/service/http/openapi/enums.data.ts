// Names of the sets of words in the OpenAPI document: a client that is generated from it gets one type for each. Data
// only; the words are where they are used.

import { CAUSES } from '../../../model/board/work-line.ts';
import { CHANGE_KIND_NAMES } from '../../../model/changes/change-kinds.ts';
import { CONTACT_STATUSES } from '../../../model/contact.ts';
import { EVENT_TYPE_NAMES } from '../../../model/events/event-types.ts';
import { ANOMALY_TYPES } from '../../../model/flags/anomaly-types.ts';
import { flagSchema } from '../../../model/flags/flags.ts';
import { AGENT_STATUSES } from '../../../model/host.ts';
import { unstableReasonSchema } from '../../../model/identity-facts.ts';
import { DIRECTIONS, FIRST_CORNERS } from '../../../model/locations/rack-grid.ts';
import { minerV1Schema, OPS_STATUSES, RUN_STATUSES } from '../../../model/miner.ts';
import { ROLES } from '../../../model/permissions/permissions.data.ts';
import { PERMISSIONS } from '../../../model/permissions/permissions.ts';
import { COOLINGS } from '../../../model/reading.ts';
import { ACTOR_TYPES, BATCH_STATUSES, TASK_NAMES, TASK_STATUSES } from '../../../model/task.ts';
import { POWER_MODES } from '../../../model/tasks/task-params.ts';
import { GRANULARITY_NAMES, GROUP_KEYS, MINER_GRANULARITY_NAMES } from '../../../wire/api/metrics.ts';
import { SEARCH_FIELDS } from '../../../wire/api/miners.ts';
import { GIVEN_PURPOSES } from '../../../wire/api/people/people.ts';
import { DISABLED_REASONS, GIVEN_STATES, WEBHOOK_STATES } from '../../../wire/api/webhooks.ts';
import { STATUS_WORDS } from '../shared/miner-parameters.ts';

export const ENUMS: Readonly<Record<string, readonly string[]>> = {
  ActorType: ACTOR_TYPES,
  AgentStatus: AGENT_STATUSES,
  AnomalyType: ANOMALY_TYPES,
  ChangeKind: CHANGE_KIND_NAMES,
  ContactStatus: CONTACT_STATUSES,
  Cooling: COOLINGS,
  RackDirection: DIRECTIONS,
  EventType: EVENT_TYPE_NAMES,
  FlagSeverity: flagSchema.shape.severity.options,
  Granularity: GRANULARITY_NAMES,
  GroupKey: GROUP_KEYS,
  LifecycleStatus: minerV1Schema.shape.lifecycle_status.unwrap().options,
  MinerGranularity: MINER_GRANULARITY_NAMES,
  OpsStatus: OPS_STATUSES,
  Permission: PERMISSIONS,
  PowerMode: POWER_MODES,
  PersonCodePurpose: GIVEN_PURPOSES,
  RackCorner: FIRST_CORNERS,
  Role: ROLES,
  RunStatus: RUN_STATUSES,
  SearchField: SEARCH_FIELDS,
  StatusWord: STATUS_WORDS,
  TaskBatchStatus: BATCH_STATUSES,
  TaskName: TASK_NAMES,
  TaskStatus: TASK_STATUSES,
  UnstableReason: unstableReasonSchema.options,
  WebhookDisabledReason: DISABLED_REASONS,
  WebhookGivenState: GIVEN_STATES,
  WebhookState: WEBHOOK_STATES,
  WorkCause: CAUSES,
};
