// What axe finds against a page, by the rules that every screen keeps.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const violationsSchema = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** Each with where it is; none = it is good. */
export async function violations(page: Page): Promise<string[]> {
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(AXE);
  // What passes is not described: most of the work would be that.
  const options = JSON.stringify({ runOnly: RULES, resultTypes: ['violations'] });
  const found = await page.evaluate(`axe.run(document, ${options}).then((r) => r.violations)`);
  return violationsSchema
    .parse(found)
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
