// The login of Goldshell (atlas 18): a token for a name and a password in the address. There is one seat: whoever sits there is sent away first.
// Builds that want the password encrypted refuse this login.
import { z } from 'zod';
import { bearer, type WebSession } from '../_families/web-session.ts';

const answer = z.looseObject({ 'JWT Token': z.string() });

export const session: WebSession = {
  name: 'goldshell',
  before: { via: 'http', method: 'GET', path: '/user/logout', as: 'text' },
  open: ({ user, password }) => ({
    via: 'http',
    method: 'GET',
    path: `/user/login?username=${encodeURIComponent(user)}&password=${encodeURIComponent(password)}&cipher=false`,
  }),
  grant: ({ body }) => bearer(answer.safeParse(body).data?.['JWT Token']),
};
