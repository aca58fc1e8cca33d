// The web page: its addresses all answer with the same HTML, its files never change under a name. What it shows comes
// from v2.
import { z } from 'zod';
import { RefusedError } from '../../../base/errors.ts';
import type { App, RouteParts } from '../server.ts';
import { FOR_EVER, sendStatic } from '../transfer/static-file.ts';
import { loadPage, type Page } from './assets.ts';
import { FILES, MANIFEST, MANIFEST_TEXT, renderShell, SHELL_HEADERS } from './shell.ts';

const AN_HOUR = 'public, max-age=3600';
/** Below these the page finds its way itself. */
export const PAGE_ADDRESSES = ['/', '/login', '/claim', '/trust', '/f/*'] as const;

type PageParts = Pick<RouteParts, 'page' | 'farmAuthority' | 'version'>;

const WITHOUT_AUTHORITY =
  'This service makes no certificates of its own: `pithead setup` does, for the network of the farm';
const WITHOUT_PAGE = 'This program was built without the page';

export function registerPage(app: App, { page: { enabled }, farmAuthority, version }: PageParts): void {
  if (!enabled) return;
  registerAuthority(app, farmAuthority);
  let loading: Promise<Page | undefined> | undefined;
  const page = async (): Promise<Page> => {
    loading ??= loadPage();
    const loaded = await loading;
    if (loaded === undefined) throw new RefusedError('request.not-found', WITHOUT_PAGE);
    return loaded;
  };
  for (const url of PAGE_ADDRESSES)
    app.route({
      method: 'GET',
      url,
      schema: { hide: true },
      handler: async (_request, reply) =>
        reply
          .headers(SHELL_HEADERS)
          .type('text/html; charset=utf-8')
          .send(renderShell(await page(), version)),
    });
  app.route({
    method: 'GET',
    url: `${FILES}:file`,
    schema: { hide: true, params: z.object({ file: z.string() }) },
    handler: async (request, reply) => {
      const { file } = request.params;
      if (file === MANIFEST)
        return reply.header('cache-control', AN_HOUR).type('application/manifest+json').send(MANIFEST_TEXT);
      const found = (await page()).files.get(file);
      if (found === undefined) throw new RefusedError('request.not-found');
      return sendStatic(request, reply, found, file.split('.').length > 2 ? FOR_EVER : AN_HOUR);
    },
  });
}

/** For `/trust`: a phone installs it, and then opens the page of this farm without a warning. */
function registerAuthority(app: App, farmAuthority: PageParts['farmAuthority']): void {
  app.route({
    method: 'GET',
    url: '/trust/farm.crt',
    schema: { hide: true },
    handler: async (_request, reply) => {
      const authority = farmAuthority();
      if (authority === undefined) throw new RefusedError('request.not-found', WITHOUT_AUTHORITY);
      return reply
        .type('application/x-x509-ca-cert')
        .header('content-disposition', 'attachment; filename="pithead-farm.crt"')
        .send(Buffer.from(authority.der));
    },
  });
}
