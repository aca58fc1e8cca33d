// Runs before every route: looks up its row in the authorisation table, has the caller identified, counts it against
// its limits, asks for access. A route without a row cannot be registered.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BugError, RefusedError } from '../../base/errors.ts';
import { anyId } from '../../wire/api/forms.ts';
import type { Admission } from '../auth/admission.ts';
import type { Access, Caller } from '../auth/authorise.ts';
import type { Asked } from '../auth/page-origin.ts';
import { type KeyRule, RULES, type Rule, type SessionRule } from '../auth/rules.data.ts';
import type { Farm } from '../store/store.ts';
import type { Budgets } from './limits/budgets.ts';
import { beginSpending } from './limits/workspace-limits.ts';

export type Rates = {
  /** Points per minute and workspace, over all copies of the service: see limits/cost.ts. */
  readonly perWorkspace: number;
  /**
   * Requests per minute from one address with keys that are not good. Keys cannot be guessed; this slows down who
   * tries, or goes on with an old one. Each is looked up all the same, a tenth of what its answer costs: good keys from
   * the same address still work.
   */
  readonly perStranger: number;
  /** Attempts per minute from one address to enrol, to log in, or to use a code of a person. */
  readonly perCode: number;
  /** Requests per minute from one address for what needs no key: the OpenAPI document and its page. */
  readonly perVisitor: number;
};

export type GuardParts = {
  readonly admission: Admission;
  readonly limits: { readonly rates: Rates };
  readonly budgets: Budgets;
};

const MINUTE_MS = 60_000;
/**
 * Codes of people that may be tried in a minute, from everywhere: with 50 bits each, and a few thousand open ones at
 * most, none is found within its minutes.
 */
const CLAIMS_PER_MINUTE = 600;

/** The path of a route about a farm; the guard reads it. */
export const farmParams = z.object({ workspace_id: anyId, farm_id: anyId });

/** The access that the guard has granted to this request. */
export const accessOf = (request: FastifyRequest): Access => {
  const access = request.getDecorator<Access | null>('access');
  if (access === null) throw new BugError(`read the access of ${request.routeOptions.url}: its rule grants none`);
  return access;
};

/** Of a request with a good key or session, or that the process vouches for; admitted or not. */
export const callerOf = (request: FastifyRequest): Caller | undefined =>
  request.getDecorator<Caller | null>('caller') ?? undefined;

/** The farm in the path, which the guard has found and allowed. */
export function farmOf(request: FastifyRequest): Farm {
  const { farm } = accessOf(request);
  if (farm === undefined) throw new BugError(`read the farm of ${request.routeOptions.url}: its rule is about no farm`);
  return farm;
}

/** A HEAD is a GET without its body. */
const routeOf = (method: string, url: string) => `${method === 'HEAD' ? 'GET' : method} ${url}`;

function ruleOf(method: string, url: string): Rule {
  const rule = RULES[routeOf(method, url)];
  if (rule === undefined) throw new BugError(`register ${method} ${url}: it has no row in the authorisation table`);
  return rule;
}

/**
 * `@fastify/rate-limit` and the limits of workspaces must be registered before. The rates of strangers, codes and
 * visitors are counted in memory: each copy of the service allows the whole rate, which is a bound on work, not a
 * quota.
 */
export function registerGuard(app: FastifyInstance, parts: GuardParts): void {
  const { admission, budgets } = parts;
  const { rates } = parts.limits;
  app.decorateRequest('access', null);
  // For the log and the audit trail, also of requests that are refused.
  app.decorateRequest('caller', null);
  app.decorateRequest('rateKey', '');
  const byRateKey = (request: FastifyRequest) => request.getDecorator<string>('rateKey');
  const limitOf = (max: number) => app.createRateLimit({ max, timeWindow: MINUTE_MS, keyGenerator: byRateKey });
  const perStranger = limitOf(rates.perStranger);
  const perCode = limitOf(rates.perCode);
  const perVisitor = limitOf(rates.perVisitor);
  const allClaims = limitOf(CLAIMS_PER_MINUTE);

  const take = async (limit: typeof perCode, rateKey: string, request: FastifyRequest, reply: FastifyReply) => {
    request.setDecorator('rateKey', rateKey);
    const result = await limit(request);
    if (result.isAllowed || !result.isExceeded) return;
    reply.header('retry-after', String(Math.max(1, result.ttlInSeconds)));
    throw new RefusedError('request.rate', `More than ${result.max} requests in a minute, wait before the next one`);
  };

  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) ruleOf(one, url);
  });
  app.addHook('onRequest', async (request, reply) => {
    const { url } = request.routeOptions;
    if (url === undefined) return;
    const rule = ruleOf(request.method, url);
    if (rule.access === 'open')
      return rule.isCounted ? take(perVisitor, `visitor ${request.ip}`, request, reply) : undefined;
    if (rule.access === 'enrolment-code') return take(perCode, `enrol ${request.ip}`, request, reply);
    if (rule.access === 'login' || rule.access === 'claim') {
      admission.requireOwnPage(askingOf(request));
      await take(perCode, `${rule.access} ${request.ip}`, request, reply);
      return rule.access === 'claim' ? take(allClaims, 'claims', request, reply) : undefined;
    }
    const caller = await identify(rule, request).catch(async (error: unknown) => {
      if (isStranger(error)) await take(perStranger, `stranger ${request.ip}`, request, reply);
      throw error;
    });
    if (caller === undefined) return;
    request.setDecorator('caller', caller);
    beginSpending(budgets, caller.workspaceId, request, reply);
    if (rule.access === 'key') request.setDecorator('access', await admission.admit(caller, rule, request.params));
  });

  /** Undefined = there is no good session, and the route works without. */
  const identify = async (rule: KeyRule | SessionRule, request: FastifyRequest): Promise<Caller | undefined> => {
    const asking = askingOf(request);
    if (rule.access === 'key') return admission.identify(asking);
    return admission.identifyPerson(asking).catch((error: unknown) => {
      if (rule.isOptional && error instanceof RefusedError && error.code === 'auth.session') return undefined;
      throw error;
    });
  };
}

const isStranger = (error: unknown): boolean =>
  error instanceof RefusedError && (error.code === 'auth.invalid' || error.code === 'auth.session');

/** What admission looks at. */
export const askingOf = (request: FastifyRequest): Asked => ({
  method: request.method,
  headers: request.headers,
  host: request.host,
  isSecure: request.protocol === 'https',
  address: request.ip,
});

/**
 * Whether the caller of an answer that goes on may still have it; throws RefusedError when not. It counts as no
 * request.
 */
export const recheckAccess = (admission: Admission, request: FastifyRequest): Promise<void> =>
  admission.recheck(askingOf(request), routeOf(request.method, request.routeOptions.url ?? ''), request.params);
