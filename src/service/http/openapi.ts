// The OpenAPI 3.1 document, made from the schemas of the routes. It describes; what is enforced is in the routes and in
// auth.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { HTTP_STATUSES, REFUSALS } from '../../base/error-codes.data.ts';
import { components } from '../../wire/api/components.ts';
import { errorSchema } from '../../wire/api/envelope.ts';
import { KEY_WORDS, neededFor, permissionList, SESSION_WORDS } from '../auth/permission-words.ts';
import { RULES, type Rule } from '../auth/rules.data.ts';
import { cookieNameOf } from '../auth/session.ts';
import { documented } from './openapi/documented.ts';
import { addExamples } from './openapi/examples.ts';
import { isJson, operationsOf, simplifySchemas } from './openapi/schemas.ts';
import { TAGS } from './openapi/tags.data.ts';

const EVERY_ERROR = [400, 401, 403, 404, 408, 413, 414, 415, 429, 500, 503] as const;

/** The answers of a route that takes a key: the good one and every error. `more` are errors of its own. */
export function answers<S extends z.ZodType>(good: S, ...more: (409 | 426)[]): Record<number, z.ZodType> {
  return Object.fromEntries([
    [200, good],
    ...[...EVERY_ERROR, ...more].map((status) => [status, errorSchema] as const),
  ]);
}

/** For `schema.security` of routes without key. */
export const NO_KEY: { [name: string]: string[] }[] = [];
/** And of those that only the session of a person opens. */
export const SESSION_ONLY = [{ session: [] }];

export async function registerOpenApi(
  app: FastifyInstance,
  { version, publicUrl }: { version: string; publicUrl?: string | undefined },
): Promise<void> {
  const options: Parameters<typeof createJsonSchemaTransform>[0] = {
    schemaRegistry: components,
    zodToJsonConfig: {
      override: ({ zodSchema, jsonSchema }) => {
        const written = documented.get(zodSchema)?.openapi;
        if (written === undefined) {
          // The format means the same as these long patterns.
          if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
          // zod keeps the `meta` of schemas in a registry of its own, not in that of the components.
          Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
          return;
        }
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
        Object.assign(jsonSchema, written);
      },
    },
  };
  const toComponents = createJsonSchemaTransformObject(options);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Pithead: mining farm monitoring and tasks',
        version: '1.0.0',
        description: `Served by Pithead ${version}. Paths below /private-api/v1 are the first interface: it stays as it is until it is retired, and new clients use /public-api/v2. What is called beta may change.`,
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // A relative one is the host that the document came from.
      servers: [{ url: publicUrl ?? '/' }],
      security: [{ bearer: [] }, { apiKey: [] }, { session: [] }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'API key', description: KEY_WORDS },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: KEY_WORDS },
          session: { type: 'apiKey', in: 'cookie', name: cookieNameOf(true), description: SESSION_WORDS },
        },
      },
    },
    transform: createJsonSchemaTransform(options),
    transformObject: (document) => ({
      ...withoutUnused(refined(withOwnAnswers(toComponents(document)))),
      'x-errors': CLIENT_ERRORS,
      'x-permissions': permissionList,
    }),
  });
  app.route({
    method: 'GET',
    url: '/openapi.json',
    schema: {
      tags: ['service'],
      operationId: 'getOpenApi',
      summary: 'This document',
      security: NO_KEY,
      response: { 200: z.looseObject({ openapi: z.string() }), 400: errorSchema, 429: errorSchema, 500: errorSchema },
    },
    handler: async () => app.swagger(),
  });
}

/** The refusals that a client can meet; the bodies of their answers are the component `Error`. */
const CLIENT_ERRORS = Object.entries(REFUSALS).flatMap(([code, { status, text, advice }]) =>
  status === undefined ? [] : [{ code, status, text, advice }],
);

type OpenApi = ReturnType<ReturnType<typeof createJsonSchemaTransformObject>>;

type Operation = {
  description?: string;
  'x-permission'?: string | Record<string, string>;
  requestBody?: { required: boolean };
  responses: Record<string, { description: string; headers?: Record<string, unknown> }>;
};
const operationSchema = z.object({ responses: z.record(z.string(), z.object({ description: z.string() })) });
const isOperation = (value: unknown): value is Operation => operationSchema.safeParse(value).success;

const defaultBodySchema = z.object({
  content: z.record(z.string(), z.object({ schema: z.looseObject({ default: z.looseObject({}) }) })),
});

/** Lists for each operation its answers, their meaning and their headers. A body that has a default may be left out. */
function withOwnAnswers(document: OpenApi): OpenApi {
  for (const [path, methods] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries<unknown>(methods ?? {})) {
      if (!isOperation(operation)) continue;
      const { requestBody, responses } = operation;
      if (requestBody && defaultBodySchema.safeParse(requestBody).success) requestBody.required = false;
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
      const rule = RULES[`${method.toUpperCase()} ${url}`];
      const isCounted = rule?.access === 'key' || rule?.access === 'session';
      describeNeed(operation, rule);
      for (const status of neverGiven(method.toUpperCase(), url)) delete responses[status];
      for (const [status, answer] of Object.entries(responses)) {
        answer.description = HTTP_STATUSES[Number(status)]?.meaning ?? '';
        if (status === '429') answer.headers = { 'Retry-After': RETRY_AFTER };
        if ((status === '200' || status === '429') && isCounted) answer.headers = { ...answer.headers, ...LEFT };
      }
    }
  return document;
}

/** Which permission the operation needs, for programs and for people. */
function describeNeed(operation: Operation, rule: Rule | undefined): void {
  const needed = neededFor(rule);
  if (needed === undefined) return;
  operation['x-permission'] = needed.what;
  operation.description = [operation.description, needed.words].filter((text) => text !== undefined).join('\n\n');
}

/** In the words of people, linters and generators of clients. */
function refined(document: OpenApi): OpenApi {
  const schemas = 'components' in document ? document.components?.schemas : undefined;
  if (!isJson(document) || !isJson(schemas)) return document;
  simplifySchemas(document, schemas);
  addExamples(document, schemas);
  for (const { path, operation } of operationsOf(document)) {
    operation.description ??= `${operation.summary}.`;
    if (!path.startsWith('/private-api/v1/')) continue;
    operation.deprecated = true;
    operation.summary = `${operation.summary} (v1, legacy)`;
  }
  return document;
}

/** By the draft of the IETF: RateLimit header fields for HTTP. */
const LEFT = {
  RateLimit: {
    description: 'Points that the workspace has left (r), and seconds until all are there again (t)',
    schema: { type: 'string' },
    example: '"workspace";r=5872;t=2',
  },
  'RateLimit-Policy': {
    description: 'Points of a workspace (q), and seconds in which they come back (w)',
    schema: { type: 'string' },
    example: '"workspace";q=6000;w=60',
  },
} as const;

const RETRY_AFTER = {
  description: 'Seconds to wait before the next request',
  schema: { type: 'integer', minimum: 1 },
};

/**
 * Errors of bodies where there is none, and 404 where what is unknown is denied; the interface document gives the list
 * of grants a 404 all the same.
 */
function neverGiven(method: string, path: string): number[] {
  const rule = RULES[`${method} ${path}`];
  const mayBeUnknown =
    path === '/private-api/v1/me/grants' ||
    (rule?.access === 'session' && path.includes('/:')) ||
    (rule?.access === 'key' && (rule.unknownWorkspace === 'not-found' || rule.unknownFarm === 'not-found'));
  return [...(method === 'GET' ? [413, 415] : []), ...(mayBeUnknown ? [] : [404])];
}

/** Every component comes in a form for requests and one for answers; only what is referred to stays. */
function withoutUnused(document: OpenApi) {
  const schemas = 'components' in document ? document.components?.schemas : undefined;
  if (schemas === undefined) return document;
  for (let isStable = false; !isStable; ) {
    const text = JSON.stringify(document);
    const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    for (const name of unused) delete schemas[name];
    isStable = unused.length === 0;
  }
  return document;
}
