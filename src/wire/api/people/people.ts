// The people of a workspace in v2: what is answered of them, and the bodies that make and change them.
import { z } from 'zod';
import { ROLES } from '../../../model/permissions/permissions.data.ts';
import { orNull } from '../../../model/tasks/or-null.ts';
import { named } from '../components.ts';
import { answerOf, listOf } from '../envelope.ts';
import { atLeastOneOf, closedObject, givenId, isoUtc } from '../forms.ts';
import { personName } from './fields.ts';

const time = z.iso.datetime();
const MAX_FARM_ROLES = 1_000;

const role = z
  .enum(ROLES)
  .nullable()
  .meta({ description: 'For every farm of the workspace, later ones too; null = only as farm_roles says' });
const farmRole = z.strictObject({ farm_id: z.string(), role: z.enum(ROLES) });
const FARM_ROLES = 'Roles for single farms. Where both apply, the higher one counts';

export const personFields = {
  id: z.uuid(),
  name: z.string(),
  role,
  farm_roles: z.array(farmRole).meta({ description: FARM_ROLES }),
  is_disabled: z.boolean().meta({ description: 'The person can use nothing until it is enabled again' }),
  is_wall: z.boolean().meta({ description: 'It is a screen that reads one farm, and has no password' }),
  has_password: z.boolean().meta({ description: 'false = the person has not used the first code yet' }),
  expires_at: time.nullable().meta({ description: 'From when on the person can use nothing; null = no such time' }),
  created_at: time,
  last_seen_at: time.nullable().meta({ description: 'When the person last used a session, to about a minute' }),
  session_count: z.int().min(0).meta({ description: 'Sessions that have not ended' }),
};

export const personSchema = named('PersonV2', z.strictObject(personFields));
export type Person = z.infer<typeof personSchema>;
export const personAnswerSchema = answerOf(personSchema);
export const peopleSchema = listOf(personSchema);

/** Purposes that an administrator can give a code to a person for. */
export const GIVEN_PURPOSES = ['pair', 'reset'] as const;

const codeSchema = named(
  'PersonCodeV2',
  z.strictObject({
    code: z.string().meta({ description: 'Used once. Shown this once', examples: ['4F7KQ-2M9XC'] }),
    purpose: z.enum(GIVEN_PURPOSES).meta({
      description: 'pair = begins a session on a phone; reset = the person sets a new password with it',
    }),
    expires_at: time,
  }),
);
export type PersonCode = z.infer<typeof codeSchema>;
export const codeAnswerSchema = answerOf(codeSchema);

export const personWithCodeSchema = named('PersonWithCodeV2', z.strictObject({ ...personFields, code: codeSchema }));
export type PersonWithCode = z.infer<typeof personWithCodeSchema>;
export const personWithCodeAnswerSchema = answerOf(personWithCodeSchema);

const givenRole = z.enum(ROLES).nullish().meta({
  description: 'For every farm of the workspace, later ones too; null = only as farm_roles says',
});
const givenFarmRoles = orNull(
  z
    .array(closedObject({ farm_id: givenId, role: z.enum(ROLES) }))
    .max(MAX_FARM_ROLES)
    .refine((roles) => new Set(roles.map(({ farm_id }) => farm_id)).size === roles.length, {
      error: 'received a farm twice, accepted: each farm once',
    }),
).meta({ description: FARM_ROLES });
const givenExpiry = isoUtc.nullish().meta({
  description: 'From when on the person can use nothing; null = no such time',
});

export const personCreationSchema = closedObject({
  name: personName,
  role: givenRole,
  farm_roles: givenFarmRoles,
  expires_at: givenExpiry,
});
export type PersonCreation = z.input<typeof personCreationSchema>;

export const personEditSchema = atLeastOneOf({
  role: givenRole,
  farm_roles: givenFarmRoles,
  is_disabled: orNull(z.boolean()).meta({ description: 'true ends all sessions of the person' }),
  expires_at: givenExpiry,
});
export type PersonEdit = z.input<typeof personEditSchema>;

export const codeRequestSchema = closedObject({ purpose: z.enum(GIVEN_PURPOSES) });
export type CodeRequest = z.infer<typeof codeRequestSchema>;
