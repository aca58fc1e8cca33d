// Runs before every route: looks up its row in the authorisation table, identifies the key, counts it against its
// limits, asks auth for access. A route without a row cannot be registered.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { BugError, RefusedError } from '../../base/errors.ts';
import { anyId, canonicalId } from '../../wire/api/forms.ts';
import {
  type Access,
  type AuthSource,
  authorise,
  type Caller,
  identifyCaller,
  presentedKey,
} from '../auth/authorise.ts';
import { RULES, type Rule } from '../auth/rules.data.ts';
import type { Vouchers } from '../auth/vouchers.ts';
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
  /** Enrolment attempts per minute from one address. */
  readonly perCode: number;
  /** Requests per minute from one address for what needs no key: the OpenAPI document and its page. */
  readonly perVisitor: number;
};

export type GuardParts = {
  readonly source: AuthSource;
  /** Of requests that this process makes itself. */
  readonly vouchers: Pick<Vouchers, 'callerOf'>;
  readonly clock: Clock;
  readonly limits: { readonly rates: Rates };
  readonly budgets: Budgets;
};

const MINUTE_MS = 60_000;

/** The path of a route about a farm; the guard reads it. */
export const farmParams = z.object({ workspace_id: anyId, farm_id: anyId });

/** The access that the guard has granted to this request. */
export const accessOf = (request: FastifyRequest): Access => {
  const access = request.getDecorator<Access | null>('access');
  if (access === null) throw new BugError(`read the access of ${request.routeOptions.url}: its rule grants none`);
  return access;
};

/** Of a request with a good key, or that the process vouches for; admitted or not. */
export const callerOf = (request: FastifyRequest): Caller | undefined =>
  request.getDecorator<Caller | null>('caller') ?? undefined;

/** The farm in the path, which the guard has found and allowed. */
export function farmOf(request: FastifyRequest): Farm {
  const { farm } = accessOf(request);
  if (farm === undefined) throw new BugError(`read the farm of ${request.routeOptions.url}: its rule is about no farm`);
  return farm;
}

function ruleOf(method: string, url: string): Rule {
  // A HEAD is a GET without its body.
  const rule = RULES[`${method === 'HEAD' ? 'GET' : method} ${url}`];
  if (rule === undefined) throw new BugError(`register ${method} ${url}: it has no row in the authorisation table`);
  return rule;
}

/**
 * `@fastify/rate-limit` and the limits of workspaces must be registered before. The rates of strangers, codes and
 * visitors are counted in memory: each copy of the service allows the whole rate, which is a bound on work, not a
 * quota.
 */
export function registerGuard(app: FastifyInstance, parts: GuardParts): void {
  const { source, vouchers, clock, budgets } = parts;
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
    const nowMs = clock.nowMs();
    const caller =
      vouchers.callerOf(request.headers) ??
      (await identifyCaller(source, presentedKey(request.headers), nowMs).catch(async (error: unknown) => {
        if (error instanceof RefusedError && error.code === 'auth.invalid')
          await take(perStranger, `stranger ${request.ip}`, request, reply);
        throw error;
      }));
    request.setDecorator('caller', caller);
    beginSpending(budgets, caller.workspaceId, request, reply);
    request.setDecorator('access', await authorise(source, caller, rule, pathOf(request.params), nowMs));
  });
}

/**
 * Whether the caller of an answer that goes on may still have it; throws RefusedError when not. It counts as no
 * request.
 */
export async function recheckAccess(source: AuthSource, request: FastifyRequest, nowMs: number): Promise<void> {
  const rule = ruleOf(request.method, request.routeOptions.url ?? '');
  if (rule.access !== 'key') return;
  const caller = await identifyCaller(source, presentedKey(request.headers), nowMs);
  await authorise(source, caller, rule, pathOf(request.params), nowMs);
}

function pathOf(params: unknown): { workspaceId: string | undefined; farmId: string | undefined } {
  const text = (name: string) => {
    const value = typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
    return typeof value === 'string' ? canonicalId(value) : undefined;
  };
  return { workspaceId: text('workspace_id'), farmId: text('farm_id') };
}
