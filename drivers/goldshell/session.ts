// The login of Goldshell (atlas 18): a token for a name and a password in the address. There is one seat: whoever sits there is sent away first.
// Newer builds want the password sealed with a key that their page holds.
import { z } from 'zod';
import type { WebSession } from '../../src/driver/contract.ts';
import { bearer } from '../_families/web-session.ts';

const answer = z.looseObject({ 'JWT Token': z.string() });

const PAGE_KEY = '!'.repeat(16);

const page = (user: string, password: string, isSealed: boolean) =>
  ({
    via: 'http',
    method: 'GET',
    path: `/user/login?username=${encodeURIComponent(user)}&password=${encodeURIComponent(password)}&cipher=${isSealed}`,
  }) as const;

export const session: WebSession = {
  name: 'goldshell',
  before: { via: 'http', method: 'GET', path: '/user/logout', as: 'text' },
  open: ({ user, password }) => page(user, password, false),
  orElse: ({ user, password }, { encrypt }) => page(user, encrypt(PAGE_KEY, password), true),
  grant: ({ body }) => bearer(answer.safeParse(body).data?.['JWT Token']),
};
