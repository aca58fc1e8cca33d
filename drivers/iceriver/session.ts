// The login of Iceriver (atlas 17): a form that sets a cookie. Builds that hand out no cookie answer everybody.
import { z } from 'zod';
import type { WebSession } from '../../src/driver/contract.ts';
import { int } from '../../src/driver/fields.ts';

const verdict = z.looseObject({ error: int() });

export const session: WebSession = {
  name: 'iceriver',
  // In the body, where the device's own page puts it: an address ends up in logs.
  open: ({ user, password }) => ({
    via: 'http',
    method: 'POST',
    path: '/user/loginpost',
    form: { post: '6', user, pwd: password },
  }),
  grant({ status, body, cookie }) {
    const { error } = verdict.safeParse(body).data ?? {};
    if (status >= 400 || error !== 0) return undefined;
    return cookie === undefined ? {} : { cookie };
  },
  /** A page in place of an answer is the login page. */
  isRefused: (answer) => typeof answer === 'string' && /^\s*</.test(answer),
};
