// GET /docs: the OpenAPI document as a page, for people. Everything comes from this program: the page asks nothing of
// any other host.
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { RefusedError } from '../../../base/errors.ts';
import { errorSchema } from '../../../wire/api/envelope.ts';
import { NO_KEY } from '../openapi.ts';
import type { App } from '../server.ts';
import { FOR_EVER, sendStatic } from '../transfer/static-file.ts';
import { POLICY, renderPage } from './page.ts';
import { loadViewer, type Viewer } from './viewer.ts';

export function registerDocs(app: App): void {
  let loading: Promise<Viewer | undefined> | undefined;
  const viewer = async () => {
    loading ??= loadViewer();
    const loaded = await loading;
    if (loaded === undefined) throw new RefusedError('request.not-found', 'This program was built without the page');
    return loaded;
  };
  const sendPage = async (reply: FastifyReply, root: string) => {
    const { scripts, modules, styles } = await viewer();
    const [scriptLinks, moduleLinks, styleLinks] = [scripts, modules, styles].map((names) =>
      names.map((name) => `${root}docs/${name}`),
    );
    const page = renderPage({
      scripts: scriptLinks ?? [],
      modules: moduleLinks ?? [],
      styles: styleLinks ?? [],
      document: `${root}openapi.json`,
    });
    return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
  };
  app.route({
    method: 'GET',
    url: '/docs',
    schema: {
      tags: ['service'],
      operationId: 'getDocs',
      summary: 'This document as a page, for people',
      security: NO_KEY,
      response: {
        200: { content: { 'text/html': { schema: z.string() } } },
        ...{ 400: errorSchema, 404: errorSchema, 429: errorSchema, 500: errorSchema },
      },
    },
    handler: (_request, reply) => sendPage(reply, ''),
  });
  app.route({
    method: 'GET',
    url: '/docs/:file',
    schema: { hide: true, params: z.object({ file: z.string() }) },
    handler: async (request, reply) => {
      const { file } = request.params;
      // The page with a slash behind it.
      if (file === '') return sendPage(reply, '../');
      const found = (await viewer()).files.get(file);
      if (found === undefined) throw new RefusedError('request.not-found');
      return sendStatic(request, reply, found, FOR_EVER);
    },
  });
}

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};
