// Notes about miners, one miner with what a list does not show of it, and what changed in a span of time. Extensions
// of v2.
import { z } from 'zod';
import { CHANGE_KIND_NAMES, CHANGE_KINDS } from '../../../model/changes/change-kinds.ts';
import { isVisible } from '../../../model/plain-text.ts';
import { ACTOR_TYPES, actorSchema } from '../../../model/task.ts';
import { EXTENSION, named } from '../components.ts';
import { closedObject } from '../forms.ts';
import { minerV2Schema } from '../miners.ts';

const MAX_TEXT = 2_000;
const TEXT = `accepted: 1 to ${MAX_TEXT} characters that can be seen`;

export const noteTextSchema = z
  .string()
  .trim()
  .min(1, { error: TEXT })
  .max(MAX_TEXT, { error: TEXT })
  .refine(isVisible, { error: TEXT });

export const newNoteSchema = closedObject({ text: noteTextSchema });

export const noteSchema = named(
  'MinerNoteV2',
  z.strictObject({
    id: z.uuid(),
    at: z.iso.datetime(),
    text: z.string().meta({ description: 'What was written' }),
    actor: actorSchema,
  }),
);

export const oneMinerSchema = named(
  'MinerDetailV2',
  minerV2Schema.extend({
    task_names: z.array(z.string()).meta({ ...EXTENSION, description: 'The tasks that its driver can do' }),
    abilities: z.array(z.string()).meta({ ...EXTENSION, description: 'What its driver can do, as words' }),
    first_seen: z.iso.datetime().meta({ ...EXTENSION, description: 'When an agent first registered the miner' }),
    missing_since: z.iso
      .datetime()
      .nullable()
      .meta({ ...EXTENSION, description: 'Since when it does not answer its agent; null = for less than an hour' }),
    notes: z.array(noteSchema).meta({ ...EXTENSION, description: 'The newest ten, newest first' }),
  }),
);

const count = z.int().min(0);
const namedMinerSchema = named(
  'NamedMinerV2',
  z.strictObject({
    id: z.string(),
    ...{
      ip: z.string().nullable(),
      mac: z.string().nullable().meta({ description: 'MAC address' }),
      model: z.string().nullable(),
    },
    ...{ rack: z.string().nullable(), position: z.int().nullable() },
  }),
);

const changeSchema = named(
  'ChangeV2',
  z.strictObject({
    kind: z.enum(CHANGE_KIND_NAMES).meta({
      description: Object.entries(CHANGE_KINDS)
        .map(([kind, meaning]) => `${kind} = ${meaning}`)
        .join('; '),
    }),
    at: z.iso.datetime(),
    ended_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the flag was cleared, or the last task ended; null = it was not, or has no length' }),
    miner: namedMinerSchema.nullable().meta({ description: 'null = it is about several miners, or about none' }),
    agent_id: z.string().nullable().meta({ description: 'null = it is about no agent' }),
    text: z.string().meta({ description: 'What happened, for people' }),
    evidence: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What is known of it, as in the detail of events' }),
    by: z
      .strictObject({
        type: z.enum(ACTOR_TYPES),
        id: z.string(),
        name: z.string(),
        via: z.string().exactOptional().meta({ description: 'How the name came; control-socket = it is not checked' }),
      })
      .nullable()
      .meta({ description: 'Who did it; null = no person and no key. `via` marks a name that is not checked' }),
    unsuccessful: z
      .array(
        z.strictObject({
          miner: namedMinerSchema.nullable().meta({ description: 'null = the task was about an agent' }),
          status: z.string(),
          message: z.string().nullable(),
        }),
      )
      .meta({ description: 'Tasks of the batch that did not succeed, the first 50' }),
  }),
);

const kindCountSchema = z.strictObject({
  kind: z.enum(CHANGE_KIND_NAMES).meta({ description: 'One of the kinds of changes' }),
  count: count.meta({ description: 'How many there are' }),
  left_out: count.meta({ description: 'How many of them are not among the changes' }),
});

export const changesSchema = named(
  'ChangesV2',
  z.strictObject({
    from: z.iso.datetime().meta({ description: 'Begin of the time' }),
    to: z.iso.datetime().meta({ description: 'End of the time; it is not in it' }),
    flags_raised: count.meta({ description: 'Flags that were raised, those that were cleared again too' }),
    flags_cleared: count.meta({ description: 'Flags that were cleared' }),
    events: count.meta({ description: 'Events that were put together' }),
    events_left_out: count.meta({
      description: 'Older events of the time that were too many; all counts are without them',
    }),
    miners_left_out: count.meta({
      description: 'Miners with a flag that were too many to look at for what was there before',
    }),
    kinds: z
      .array(kindCountSchema)
      .meta({ description: 'Of each kind how many changes there are, in the order of the changes' }),
    changes: z.array(changeSchema).meta({
      description: 'By kind, newest first within each; of what was there before, the worst first',
    }),
  }),
);
