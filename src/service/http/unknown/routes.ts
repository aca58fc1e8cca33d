// What is answered where no operation is: 405 with the methods that the path has, or 404.
import type { FastifyInstance } from 'fastify';
import { errorBody } from '../shared/errors.ts';

/** Registered before the routes, whose paths it learns. */
export function registerUnknownRoutes(app: FastifyInstance): void {
  const paths = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ method, url }) => {
    const path = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    paths.set(url, path);
    for (const one of [method].flat()) path.methods.add(one);
  });
  app.setNotFoundHandler((request, reply) => {
    const [asked = ''] = request.url.split('?');
    const known = [...paths.values()].filter(({ pattern }) => pattern.test(asked));
    const methods = new Set(known.flatMap((path) => [...path.methods]));
    if (methods.size === 0) {
      reply.code(404).send(errorBody(404));
      return;
    }
    const allowed = [...methods].toSorted().join(', ');
    reply
      .code(405)
      .header('allow', allowed)
      .send(errorBody(405, `${request.method} is not possible here, accepted: ${allowed}`));
  });
}

/** Of the path of a route: a parameter is any text between slashes. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}$`);
