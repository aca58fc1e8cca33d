// The page on answers that were recorded once, at the moment of their recording: what it draws is the same in each run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Browser, Page, Request } from 'playwright-core';
import { z } from 'zod';
import { buildPage } from '../../../packaging/page/build.ts';
import { renderShell } from '../../../src/service/http/page/shell.ts';
import { type Visit, visit } from './browser.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** An address that nothing listens at: all that is asked of it is answered here. */
export const ORIGIN = 'http://127.0.0.1:9';

const sceneSchema = z.strictObject({
  atMs: z.number(),
  /** Below the farm, such as `miners`. */
  path: z.string(),
  farmId: z.string(),
  /** Texts of answers by method and address. */
  answers: z.record(z.string(), z.string()),
});
/** One screen, with what it was told when. */
export type Scene = z.infer<typeof sceneSchema>;

export const keyOf = (request: Request): string => {
  const { pathname, search } = new URL(request.url());
  return `${request.method()} ${pathname}${search}`;
};

export const isAnswer = (request: Request): boolean => new URL(request.url()).pathname.startsWith('/public-api/');

export const readScene = (file: string): Scene => sceneSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

export async function createRecorded() {
  const { assets } = await buildPage(ROOT);
  const files = new Map(assets.files.map((file) => [`/page/${file.name}`, file]));
  const shell = renderShell({ ...assets, files: new Map() }, '0.0.0');
  return {
    /** Stands still: no time passes, and nothing is live but what the scene says. */
    async open(browser: Browser, scene: Scene, look: Parameters<typeof visit>[1]): Promise<Visit> {
      const visited = await visit(browser, look);
      const { page } = visited;
      await page.clock.setFixedTime(scene.atMs);
      await page.routeWebSocket(/board\/stream/, () => {});
      await page.route('**/*', (route) => {
        const request = route.request();
        const file = files.get(new URL(request.url()).pathname);
        if (file !== undefined)
          return route.fulfill({ contentType: file.type, body: gunzipSync(Buffer.from(file.gzip, 'base64')) });
        if (!isAnswer(request)) return route.fulfill({ contentType: 'text/html; charset=utf-8', body: shell });
        const text = scene.answers[keyOf(request)];
        if (text === undefined) visited.faults.push(`not recorded: ${keyOf(request)}`);
        return text === undefined
          ? route.fulfill({ status: 503, body: '{}' })
          : route.fulfill({ contentType: 'application/json', body: text });
      });
      await page.goto(`${ORIGIN}/f/${scene.farmId}/${scene.path}`);
      return visited;
    },
  };
}

/** Keeps the newest answer to each question of this page. */
export function record(page: Page): { answers(): Readonly<Record<string, string>>; begin(): void } {
  const answers = new Map<string, string>();
  page.on('response', (response) => {
    const request = response.request();
    if (!isAnswer(request)) return;
    void response.text().then(
      (text) => answers.set(keyOf(request), text),
      // It was given up when the page went to another screen.
      () => {},
    );
  });
  return { answers: () => Object.fromEntries(answers), begin: () => answers.clear() };
}
