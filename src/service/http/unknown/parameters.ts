// Query parameters that an operation does not have. A misspelt filter must never widen a list that a client acts on: v2
// refuses every unknown name, v1 those that were meant as a filter; others it ignores and says so. Other routes have no
// parameters and look at none.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LruMap } from 'toad-cache';
import { z } from 'zod';
import type { Log } from '../../../base/log.ts';
import { editDistance } from '../../../base/nearest-names.ts';
import { show } from '../../../wire/api/forms.ts';
import { minerV2Schema } from '../../../wire/api/miners.ts';
import { accessOf } from '../guard.ts';
import { invalidRequest } from '../shared/errors.ts';

/** A name that differs from a known one by this many letters was meant as that one. */
const NEAR = 2;
/** What the header and the log say of ignored names is bounded: the names are the client's. */
const MOST_SAID = 10;
const LONGEST_NAME = 64;
/** Pairs of key and name that have been logged. */
const MOST_LOGGED = 1_000;

/** An operation of v1 without parameters has no list that could become wider. */
const NOTHING: ReadonlySet<string> = new Set();

export type Verdict =
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'ignored'; readonly names: readonly string[] };

/**
 * Decides about the names in a query. `known` = those of the operation, `meant` = names that are filters elsewhere in
 * the interface; undefined = every unknown name is refused.
 */
export function judgeNames(
  names: readonly string[],
  known: readonly string[],
  meant: ReadonlySet<string> | undefined,
): Verdict {
  const unknown = names.filter((name) => !name.startsWith('_') && !known.includes(name));
  for (const name of unknown) {
    const near = nearestOf(name, known);
    if (meant !== undefined && near === undefined && !meant.has(name)) continue;
    const accepted = known.length === 0 ? 'no parameters' : known.join(', ');
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    return { kind: 'refused', problem: `parameters: received ${show(name)}, accepted: ${accepted}${hint}` };
  }
  return { kind: 'ignored', names: unknown };
}

/**
 * The known name that was meant, if one is near. Case, hyphens and underscores do not count; a name of which no letter
 * is right is not near.
 */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[-_]/g, '');
  const written = plain(name.slice(0, LONGEST_NAME));
  const near = known
    .map((one) => ({ one, distance: editDistance(written, plain(one)), length: plain(one).length }))
    .filter(({ distance, length }) => distance <= NEAR && distance < length)
    .toSorted((a, b) => a.distance - b.distance);
  return near[0]?.one;
}

/** Of parameters, or of the body of a search, which may be left out. */
function namesOf(schema: unknown): string[] {
  const object = schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

/** Registered before the routes, whose parameters it learns. */
export function registerUnknownParameters(app: FastifyInstance, log: Log): void {
  // Who names a field that miners show, or that another operation searches by, means to filter.
  const meant = new Set(namesOf(minerV2Schema));
  const logged = new LruMap<true>(MOST_LOGGED);
  app.addHook('onRoute', ({ schema }) => {
    for (const name of [...namesOf(schema?.querystring), ...namesOf(schema?.body)]) meant.add(name);
  });
  app.addHook('preValidation', async (request, reply) => {
    const { url = '', schema } = request.routeOptions;
    const isV1 = url.startsWith('/private-api/v1/');
    if (!isV1 && !url.startsWith('/public-api/v2/')) return;
    const names = typeof request.query === 'object' && request.query !== null ? Object.keys(request.query) : [];
    if (names.length === 0) return;
    const known = namesOf(schema?.querystring);
    const verdict = judgeNames(names, known, isV1 ? (known.length === 0 ? NOTHING : meant) : undefined);
    if (verdict.kind === 'refused') throw invalidRequest(verdict.problem);
    if (verdict.names.length === 0) return;
    const said = verdict.names.slice(0, MOST_SAID).map((name) => encodeURIComponent(name.slice(0, LONGEST_NAME)));
    reply.header('x-ignored-parameters', said.join(', '));
    logOnce(request, said);
  });

  const logOnce = (request: FastifyRequest, names: readonly string[]) => {
    const { id: callerId } = accessOf(request).caller.actor;
    const fresh = names.filter((name) => logged.get(`${callerId} ${name}`) === undefined);
    if (fresh.length === 0) return;
    for (const name of fresh) logged.set(`${callerId} ${name}`, true);
    const route = request.routeOptions.url;
    log.warn({ requestId: request.id, callerId, route, names: fresh }, 'unknown query parameters were ignored');
  };
}
