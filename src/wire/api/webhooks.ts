// Webhooks of v2: what is answered of them, and the bodies that make and change them. The messages themselves follow
// Standard Webhooks.
import { z } from 'zod';
import { EVENT_TYPE_NAMES } from '../../model/events/event-types.ts';
import { isVisible } from '../../model/plain-text.ts';
import { orDefault, orNull } from '../../model/tasks/or-null.ts';
import { named } from './components.ts';
import { answerOf } from './envelope.ts';
import { atLeastOneOf, closedObject, givenId } from './forms.ts';

export const WEBHOOK_STATES = ['active', 'paused', 'disabled'] as const;
/** `disabled` is a decision of the service. */
export const GIVEN_STATES = ['active', 'paused'] as const;
export const DISABLED_REASONS = ['failing', 'gone'] as const;

const EXAMPLE = 'https://example.com/hooks';
export const MAX_URL = 2_048;
const MAX_NAME = 128;
const MAX_IDS = 1_000;
const MAX_OVERLAP_H = 168;
export const OVERLAP_H = 24;

const count = z.int().min(0);
const time = z.iso.datetime();

const failureSchema = named(
  'WebhookFailureV2',
  z.strictObject({
    at: time,
    status: z.int().nullable().meta({ description: 'The HTTP status of the receiver; null = it gave none' }),
    error: z.string().meta({ description: 'What went wrong, for people' }),
  }),
);

const secretSchema = named(
  'WebhookSecretV2',
  z.strictObject({
    created_at: time,
    expires_at: time.nullable().meta({ description: 'When messages are no longer signed with it; null = the newest' }),
  }),
);

const webhookFields = {
  id: z.uuid(),
  name: z.string(),
  url: z.string().meta({ description: 'Where messages go', examples: [EXAMPLE] }),
  farm_ids: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Farms whose events are sent; null = all of the workspace, later ones too' }),
  event_types: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Types of events that are sent; null = all, those of later versions too' }),
  state: z.enum(WEBHOOK_STATES).meta({
    description:
      'active = it sends; paused = a person stopped it; disabled = the service stopped it. What happens meanwhile waits',
  }),
  disabled_reason: z.enum(DISABLED_REASONS).nullable().meta({
    description: 'failing = no message arrived for seven days; gone = the receiver answered 410; null = not disabled',
  }),
  pending_count: count.meta({
    description: 'Events that wait to be sent. The next 10000 events of its farms are looked at',
  }),
  pending_is_minimum: z.boolean().meta({
    description: 'Later events were not looked at: more than pending_count may wait',
  }),
  failing_since: time
    .nullable()
    .meta({ description: 'Since when every attempt has failed; null = the last one did not' }),
  last_success_at: time.nullable().meta({ description: 'When the receiver last took a message; null = never' }),
  last_failure: failureSchema.nullable().meta({ description: 'The last attempt that failed; null = none' }),
  next_attempt_at: time
    .nullable()
    .meta({ description: 'When what failed is tried again; null = nothing waits for that' }),
  secrets: z.array(secretSchema).meta({
    description:
      'The secrets that messages are signed with, newest first: two while one is rotated. Without the secrets',
  }),
  created_at: time,
  updated_at: time,
};

export const webhookSchema = named('WebhookV2', z.strictObject(webhookFields));
export type WebhookItem = z.infer<typeof webhookSchema>;

export const webhookWithSecretSchema = named(
  'WebhookWithSecretV2',
  z.strictObject({
    ...webhookFields,
    secret: z.string().meta({ description: 'Signs the messages: `whsec_` and the key in base64. Shown this once' }),
  }),
);

export type WebhookWithSecret = z.infer<typeof webhookWithSecretSchema>;

/** Where it may lead is for the service to decide: `webhooks.allowedNetworks`. */
const url = z
  .url({ protocol: /^https?$/, error: `accepted: an address such as ${EXAMPLE}` })
  .max(MAX_URL, { error: `accepted: at most ${MAX_URL} characters` })
  .meta({
    examples: [EXAMPLE],
    description:
      'Where messages go: https:, without user, password and fragment. http: and private addresses only where the configuration of the service allows their network',
  });

const NAME = `accepted: 1 to ${MAX_NAME} characters that can be seen`;
const name = z
  .string()
  .trim()
  .min(1, { error: NAME })
  .max(MAX_NAME, { error: NAME })
  .refine(isVisible, { error: NAME })
  .meta({ description: 'Name for people; default: the host of the URL' });

const farmIds = z
  .array(givenId)
  .min(1)
  .max(MAX_IDS)
  .nullish()
  .meta({ description: 'Farms whose events are sent; null = all of the workspace, later ones too' });

const eventTypes = z
  .array(z.enum(EVENT_TYPE_NAMES))
  .min(1)
  .max(EVENT_TYPE_NAMES.length)
  .nullish()
  .meta({ description: 'Types of events that are sent; null = all, those of later versions too' });

export const webhookCreationSchema = closedObject({
  url,
  name: orNull(name),
  farm_ids: farmIds,
  event_types: eventTypes,
});

export type WebhookCreation = z.input<typeof webhookCreationSchema>;

export const webhookEditSchema = atLeastOneOf({
  url: orNull(url),
  name: orNull(name),
  farm_ids: farmIds,
  event_types: eventTypes,
  state: orNull(z.enum(GIVEN_STATES)).meta({
    description: 'paused keeps its place: what happens meanwhile is sent when it is active again',
  }),
});

export type WebhookEdit = z.input<typeof webhookEditSchema>;

export const rotationSchema = closedObject({
  overlap_hours: orDefault(z.int().min(0).max(MAX_OVERLAP_H), OVERLAP_H).meta({
    description: 'For how long messages are signed with the secret before as well, hours',
  }),
}).prefault({});

const testSchema = named(
  'WebhookTestV2',
  z.strictObject({
    delivered: z.boolean().meta({ description: 'The receiver answered with a status from 200 to 299' }),
    status: z.int().nullable().meta({ description: 'The HTTP status of the receiver; null = it gave none' }),
    error: z.string().nullable().meta({ description: 'What went wrong, for people; null = nothing' }),
    duration_ms: count.meta({ description: 'From the start of the connection to the answer, ms' }),
  }),
);
export const testedSchema = answerOf(testSchema);
export type TestItem = z.infer<typeof testSchema>;

export const deadLetterSchema = named(
  'WebhookDeadLetterV2',
  z.strictObject({
    id: z.string().meta({ description: 'Id of the event' }),
    farm_id: z.string(),
    type: z.string().meta({ description: 'Type of the event' }),
    miner_id: z.string().nullable().meta({ description: 'null = it is about the agent, or the service' }),
    agent_id: z.string().nullable().meta({ description: 'null = it is about the service' }),
    at: time.meta({ description: 'When the event happened' }),
    failed_at: time.meta({ description: 'When it was given up' }),
    attempts: count.meta({ description: 'How often it was tried; 0 = the webhook had failed for so long' }),
    reason: z.string().meta({ description: 'Why it was given up, for people' }),
    is_to_be_sent: z.boolean().meta({ description: 'true = it is sent once more' }),
  }),
);
export type DeadLetterItem = z.infer<typeof deadLetterSchema>;

export const resendSchema = closedObject({
  ids: orNull(z.array(z.string().max(128)).min(1).max(MAX_IDS)).meta({
    description: 'Ids of dead letters; null = all of them',
  }),
}).prefault({});

export const resentSchema = answerOf(
  named(
    'WebhookResendV2',
    z.strictObject({ resend_count: count.meta({ description: 'Dead letters that are sent once more' }) }),
  ),
);

export const removedSchema = answerOf(named('RemovedV2', z.strictObject({ id: z.uuid() })));
