// The login of Innosilicon (atlas 19): a form for a token. A token that is too old is answered with 200 and a word.
import { z } from 'zod';
import type { WebSession } from '../../src/driver/contract.ts';
import { bearer } from '../../src/driver/kit/web/web-session.ts';

const granted = z.looseObject({ jwt: z.string() });
const expired = z.looseObject({ success: z.literal(false), token: z.literal('expired') });

export const session: WebSession = {
  name: 'innosilicon',
  open: ({ user, password }) => ({
    via: 'http',
    method: 'POST',
    path: '/api/auth',
    form: { username: user, password },
  }),
  grant: ({ body }) => bearer(granted.safeParse(body).data?.jwt),
  isRefused: (answer) => expired.safeParse(answer).success,
};
