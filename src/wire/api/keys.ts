// The API keys of a workspace in v2: what is answered of them, and the body that makes one.
import { z } from 'zod';
import { ROLES } from '../../model/permissions/permissions.data.ts';
import { PERMISSIONS } from '../../model/permissions/permissions.ts';
import { isVisible } from '../../model/plain-text.ts';
import { orNull } from '../../model/tasks/or-null.ts';
import { named } from './components.ts';
import { answerOf, listOf } from './envelope.ts';
import { closedObject, isoUtc } from './forms.ts';

const MAX_NAME = 128;
const time = z.iso.datetime();

const keyFields = {
  id: z.string().meta({ description: 'Id of the key; its text begins with it', examples: ['4f1c09ab'] }),
  name: z.string().meta({ description: 'Who uses it' }),
  role: z.enum(ROLES).nullable().meta({
    description:
      'It may do what the role allows, also what a later version adds to that; null = what permissions lists',
  }),
  permissions: z.array(z.string()).meta({ description: 'What it may do where it has no role' }),
  created_at: time,
  expires_at: time.nullable().meta({ description: 'When it ends; null = it does not end by itself' }),
  last_used_at: time.nullable().meta({ description: 'When it was last used, to about a minute; null = never' }),
  revoked_at: time.nullable().meta({ description: 'When a person ended it; null = none has' }),
};

export const keySchema = named('KeyV2', z.strictObject(keyFields));
export type KeyItem = z.infer<typeof keySchema>;
export const keyAnswerSchema = answerOf(keySchema);
export const keysSchema = listOf(keySchema);

const keyWithTextSchema = named(
  'KeyWithTextV2',
  z.strictObject({
    ...keyFields,
    key: z.string().meta({ description: 'What programs ask with. Shown this once', examples: ['phk_4f1c09ab_…'] }),
  }),
);
export type KeyWithText = z.infer<typeof keyWithTextSchema>;
export const keyWithTextAnswerSchema = answerOf(keyWithTextSchema);

const NAME = `accepted: 1 to ${MAX_NAME} characters that can be seen`;

export const keyCreationSchema = closedObject({
  name: z
    .string()
    .trim()
    .min(1, { error: NAME })
    .max(MAX_NAME, { error: NAME })
    .refine(isVisible, { error: NAME })
    .meta({ description: 'Who uses it', examples: ['dashboard'] }),
  role: orNull(z.enum(ROLES)).meta({ description: 'What it may do; either a role or permissions' }),
  permissions: orNull(z.array(z.enum(PERMISSIONS)).min(1).max(PERMISSIONS.length)).meta({
    description: 'What it may do, in place of a role',
  }),
  expires_at: isoUtc.nullish().meta({ description: 'When it ends; null = it does not end by itself' }),
});
export type KeyCreation = z.input<typeof keyCreationSchema>;
