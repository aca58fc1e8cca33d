// How one logs in to a Sealminer's web (atlas 13): a form that sets a cookie. Who keeps it is the core's business.
import { z } from 'zod';
import type { WebSession } from '../../src/driver/contract.ts';

const loginAnswer = z.looseObject({ state: z.number().optional() });

const session: WebSession = {
  name: 'sealminer',
  open: ({ user, password }) => ({
    via: 'http',
    method: 'POST',
    path: '/cgi-bin/login.php',
    headers: { 'X-Requested-With': 'XMLHttpRequest' },
    form: { username: user, origin_pwd: password },
  }),
  grant({ status, body, cookie }) {
    // A state that is not 0 is a refusal, with a cookie all the same: PHP gives one to everybody.
    const state = loginAnswer.safeParse(body).data?.state ?? 0;
    return status < 400 && state === 0 && cookie !== undefined ? { Cookie: cookie } : undefined;
  },
  // Who is not logged in gets the page with the form, and status 200.
  isRefused: (answer) => typeof answer === 'string' && /<html/i.test(answer) && answer.includes('origin_pwd'),
};

export const page = (name: string) =>
  ({ via: 'http', method: 'GET', path: `/cgi-bin/${name}.php`, auth: session, as: 'json' }) as const;
