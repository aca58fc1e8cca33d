// Who asks, and may it: the one way in for requests, for what goes on after one, and for sockets. A key in a header
// wins over the cookie of a session; a cookie counts only where our own page has sent it.
import type { Clock } from '../../base/clock.ts';
import { RefusedError } from '../../base/errors.ts';
import { canonicalId } from '../../wire/api/forms.ts';
import { type Access, type AuthSource, authorise, type Caller, identifyCaller, presentedKey } from './authorise.ts';
import { type Asked, createPageOrigin, isReading, requireJson } from './page-origin.ts';
import { type KeyRule, RULES } from './rules.data.ts';
import { type AskedBy, askedBy, identifySession, presentedToken } from './session.ts';
import type { Vouchers } from './vouchers.ts';

export type Admission = ReturnType<typeof createAdmission>;

type Parts = {
  readonly source: AuthSource;
  /** Of requests that this process makes itself. */
  readonly vouchers: Pick<Vouchers, 'callerOf'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly publicUrl?: string | undefined;
  readonly page: Parameters<typeof createPageOrigin>[0]['page'];
};

/** Throws RefusedError of the family `auth.`, or what `authorise` throws. */
export function createAdmission({ source, vouchers, clock, ...names }: Parts) {
  const origin = createPageOrigin(names);
  const requireOwnPage = (asking: Asked, isOriginNeeded: boolean) => {
    origin.requireEncrypted(asking);
    origin.requireHost(asking);
    if (isOriginNeeded) origin.requireOrigin(asking);
  };
  /** `by` = who asks; default: as the request says. */
  const identify = async (asking: Asked, by?: AskedBy): Promise<Caller> => {
    const { headers, isSecure, address } = asking;
    const vouched = vouchers.callerOf(headers);
    if (vouched !== undefined) return vouched;
    const key = presentedKey(headers);
    const token = key === undefined ? presentedToken(cookiesOf(headers), isSecure) : undefined;
    const nowMs = clock.nowMs();
    if (token === undefined) return identifyCaller(source, key, nowMs);
    // A browser sends the cookie with a WebSocket of any page.
    requireOwnPage(asking, headers.upgrade !== undefined || !isReading(asking));
    if (!isReading(asking)) requireJson(asking);
    return identifySession(source, token, { address, nowMs, by: by ?? askedBy(headers) });
  };
  const admit = (caller: Caller, rule: KeyRule, params: unknown): Promise<Access> =>
    authorise(source, caller, rule, pathOf(params), clock.nowMs());
  return {
    identify,
    /** Of a route that takes a session and no key. Throws RefusedError `auth.session` where there is none. */
    async identifyPerson(asking: Asked): Promise<Caller> {
      requireOwnPage(asking, !isReading(asking));
      if (!isReading(asking)) requireJson(asking);
      const token = presentedToken(cookiesOf(asking.headers), asking.isSecure);
      if (token === undefined) throw new RefusedError('auth.session');
      const { address, headers } = asking;
      return identifySession(source, token, { address, nowMs: clock.nowMs(), by: askedBy(headers) });
    },
    /** For what begins a session: there is none yet, and the page that asks must be ours all the same. */
    requireOwnPage(asking: Asked): void {
      requireOwnPage(asking, true);
      requireJson(asking);
    },
    admit,
    /** Whether the caller of an answer that goes on, or of an open socket, may still have it. It counts as no use. */
    async recheck(asking: Asked, route: string, params: unknown): Promise<void> {
      const rule = RULES[route];
      if (rule?.access === 'key') await admit(await identify(asking, 'service'), rule, params);
    },
  };
}

function cookiesOf({ cookie }: Asked['headers']): string | undefined {
  return typeof cookie === 'string' ? cookie : undefined;
}

function pathOf(params: unknown): { workspaceId: string | undefined; farmId: string | undefined } {
  const text = (name: string) => {
    const value = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
    return typeof value === 'string' ? canonicalId(value) : undefined;
  };
  return { workspaceId: text('workspace_id'), farmId: text('farm_id') };
}
