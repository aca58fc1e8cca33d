// The session of a person in v2: logging in, claiming with a one-time code, the own devices. It holds no secret; the
// session itself is in a cookie.
import { z } from 'zod';
import { ROLES } from '../../../model/permissions/permissions.data.ts';
import { orNull } from '../../../model/tasks/or-null.ts';
import { named } from '../components.ts';
import { answerOf } from '../envelope.ts';
import { closedObject } from '../forms.ts';
import { codeText, newPassword, password, personName } from './fields.ts';

const time = z.iso.datetime();
const role = z.enum(ROLES);
const permissions = z.array(z.string()).meta({ description: 'What the person may do there' });

export const sessionSchema = named(
  'SessionV2',
  z.strictObject({
    person: z.strictObject({ id: z.uuid(), name: z.string() }),
    is_wall: z.boolean().meta({ description: 'It is for one screen: it reads one farm, and lasts until it is ended' }),
    is_paired: z.boolean().meta({ description: 'It was begun with a code for a phone, and lasts longer' }),
    expires_at: time
      .nullable()
      .meta({ description: 'When it ends if nothing is asked until then; null = not by itself' }),
    workspaces: z
      .array(
        z.strictObject({
          id: z.string(),
          name: z.string(),
          role: role.nullable().meta({ description: 'For all of the workspace; null = for some of its farms only' }),
          permissions,
        }),
      )
      .meta({ description: 'The workspace of the person' }),
    farms: z
      .array(
        z.strictObject({
          id: z.uuid(),
          name: z.string().nullable(),
          workspace_id: z.string(),
          role: role.meta({ description: 'The higher one of that for the workspace and that for the farm' }),
          permissions,
        }),
      )
      .meta({ description: 'Farms that the person may see, without archived ones; oldest first' }),
  }),
);
export type Session = z.infer<typeof sessionSchema>;
export const sessionAnswerSchema = answerOf(sessionSchema);

export const loginSchema = closedObject({ name: personName, password });
export type Login = z.infer<typeof loginSchema>;

export const claimSchema = closedObject({
  code: codeText,
  name: orNull(personName).meta({ description: 'Needed with a code of the purpose claim' }),
  password: orNull(newPassword).meta({ description: 'Needed with a code of the purpose claim or reset' }),
});
export type Claim = z.input<typeof claimSchema>;

export const passwordChangeSchema = closedObject({ current_password: password, new_password: newPassword });
export type PasswordChange = z.infer<typeof passwordChangeSchema>;

export const deviceSchema = named(
  'DeviceV2',
  z.strictObject({
    id: z.uuid().meta({ description: 'Id of the session; it opens nothing' }),
    device: z.string().meta({ description: 'Browser and system, as the browser calls itself' }),
    address: z.string().meta({ description: 'From where the session was last used' }),
    is_current: z.boolean().meta({ description: 'It is the session that asks' }),
    is_paired: z.boolean(),
    created_at: time,
    last_used_at: time.meta({ description: 'To about a minute' }),
  }),
);
export type Device = z.infer<typeof deviceSchema>;
export const devicesSchema = answerOf(z.array(deviceSchema));

const endedSchema = named(
  'EndedSessionsV2',
  z.strictObject({ ended_count: z.int().min(0).meta({ description: 'Sessions that were ended' }) }),
);
export type EndedSessions = z.infer<typeof endedSchema>;
export const endedAnswerSchema = answerOf(endedSchema);
