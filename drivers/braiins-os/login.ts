// What the logins of Braiins OS have in common: a version that lacks an API asks for no login to it.
import type * as kit from '../../src/driver/kit/index.ts';

/**
 * Only these mean that the login is wrong. A version without this API, or one that is still starting, says other
 * things: then the request goes without a grant and tells by itself what is the matter.
 */
const REFUSED = [400, 401, 403];

/** `isNo` = what else means that the login is wrong. */
export const bareUnlessRefused = (
  session: kit.WebSession,
  isNo: (status: number, body: unknown) => boolean = () => false,
): kit.WebSession => ({
  ...session,
  grant(answer) {
    const { status, body } = answer;
    return session.grant(answer) ?? (REFUSED.includes(status) || isNo(status, body) ? undefined : {});
  },
});
