// Six screens in both themes and at both widths look as they are stored. Their texts, colours and boxes are compared
// always, their pixels where the fonts are those of the stored ones.
//
// To write them anew, after a change that is meant, and then to look at what differs:
// `PITHEAD_PICTURES=draw npx vitest run --project page pictures`. With `PITHEAD_PICTURES=write` it also records anew
// what the simulated farm answers.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, launch } from './support/browser.ts';
import { recordScenes } from './support/farm-of-pictures.ts';
import { differingShare, parseLook, readLook } from './support/look.ts';
import { createRecorded, readScene } from './support/recorded.ts';
import { smallPicture } from './support/small-picture.ts';

const NET = loopback(26);
const FOLDER = join(import.meta.dirname, 'pictures');
/** Those of a phone by day, for people to see. */
const HANDBOOK = join(import.meta.dirname, '../../packaging/pictures');
const MODE = process.env.PITHEAD_PICTURES;
/** What a browser of another version may draw otherwise: edges of letters. */
const TOLERANCE = 0.005;

const SCREENS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  now: (page) => page.locator('.work .line').first().waitFor(),
  miners: (page) => page.locator('.miner-row').first().waitFor(),
  miner: (page) => page.locator('.chart canvas').first().waitFor(),
  act: async (page) => {
    await page.locator('.miner-row').first().waitFor();
    // Not by a pointer, which would stay above something, and scroll.
    await page.locator('.list-acts').getByRole('button', { name: 'Reboot', exact: true }).dispatchEvent('click');
    await page.getByText(/get the task/).waitFor();
  },
  map: (page) => page.locator('.links li').first().waitFor(),
  // The batch is there before its tasks are.
  tasks: (page) => page.locator('.work .line-count').first().waitFor(),
};
const LOOKS = (['light', 'dark'] as const).flatMap((theme) =>
  (['phone', 'desktop'] as const).map((size) => ({ theme, size })),
);

const isOfHandbook = ({ theme, size }: (typeof LOOKS)[number]) => theme === 'light' && size === 'phone';

let browser: Browser;
let recorded: Awaited<ReturnType<typeof createRecorded>>;

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  [browser, recorded] = await Promise.all([launch(), createRecorded()]);
  if (MODE === 'write') await recordScenes(browser, NET.network, FOLDER);
}, 300_000);
afterAll(() => browser?.close());

const sceneOf = (name: string) => join(FOLDER, `${name}.scene.txt`);

describe.skipIf(BROWSER_PATH === undefined).each(LOOKS)('$theme, $size', (look) => {
  test.each(Object.entries(SCREENS))('%s', async (name, draw) => {
    const { page, context, faults } = await recorded.open(browser, readScene(sceneOf(name)), look);
    await draw(page);
    await page.evaluate('document.fonts.ready');
    const [now, picture] = [await readLook(page), await page.screenshot({ animations: 'disabled', caret: 'hide' })];
    expect(faults).toEqual([]);
    const path = join(FOLDER, `${name}-${look.theme}-${look.size}`);
    if (MODE !== undefined) {
      writeFileSync(`${path}.look.txt`, `${JSON.stringify(now, undefined, 2)}\n`);
      const small = await smallPicture(page, picture);
      writeFileSync(`${path}.png`, small);
      if (isOfHandbook(look)) writeFileSync(join(HANDBOOK, `${name}.png`), small);
    }
    expect(existsSync(`${path}.png`), `${path}.png is not there: see the head of this file`).toBe(true);
    const kept = readFileSync(`${path}.png`);
    if (isOfHandbook(look)) expect(kept.equals(readFileSync(join(HANDBOOK, `${name}.png`)))).toBe(true);
    const { font, ...stored } = parseLook(readFileSync(`${path}.look.txt`, 'utf8'));
    expect({ texts: now.texts, boxes: now.boxes }).toEqual(stored);
    if (font === now.font) expect(await differingShare(page, picture, kept)).toBeLessThan(TOLERANCE);
    await context.close();
  });
});
