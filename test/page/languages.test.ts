// The page in each of its languages, in a real browser: that of the browser is found, another one is chosen and kept,
// and no screen grows wider than a phone by longer words.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadTexts } from '../../src/page/text/load.ts';
import { LANGUAGE_NAMES, LANGUAGES } from '../../src/page/text/texts.ts';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, follow, launch, visit } from './support/browser.ts';
import { type PageSite, startSite } from './support/site.ts';

const NET = loopback(26);
let site: PageSite;
let browser: Browser;

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  [site, browser] = await Promise.all([startSite({ network: NET.network, miners: 6 }), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

/** Where a folder is given, people can look at what was tested. */
const SHOTS = process.env.PITHEAD_SHOTS;
const shoot = async (page: Page, name: string) => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
};

/** Numbers, so that it can be read out of the page. */
const widths = (page: Page) =>
  page.evaluate<{ content: number; window: number }>(
    '({ content: document.documentElement.scrollWidth, window: window.innerWidth })',
  );

describe.skipIf(BROWSER_PATH === undefined)('languages', () => {
  test.each([
    ['ru-RU', 'Войти'],
    ['es-AR', 'Entrar'],
    ['zh-CN', '登录'],
    ['de-DE', 'Log in'],
  ])('a browser in %s reads %s', async (locale, text) => {
    const { page, context, faults } = await visit(browser, { locale });
    await page.goto(site.url());
    await page.getByRole('button', { name: text }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each(LANGUAGES)('in %s each screen fits a phone, and the choice is kept', async (language) => {
    const texts = await loadTexts(language);
    const { page, context, faults } = await site.enter(browser, 'technician');
    const base = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    await page.goto(`${site.url()}${base}/account`);
    await page.getByRole('combobox').selectOption({ label: LANGUAGE_NAMES[language] });
    await page.getByRole('link', { name: texts.nav.miners, exact: true }).waitFor();
    for (const screen of ['account', 'now', 'find', 'miners', 'tasks', 'scan', 'changes', 'overview', 'walk-list']) {
      await follow(page, `${site.url()}${base}/${screen}`);
      await page.waitForTimeout(500);
      await shoot(page, `${language}-${screen}`);
      const { content, window } = await widths(page);
      expect(content, screen).toBeLessThanOrEqual(window);
    }
    await page.goto(`${site.url()}${base}/miners`);
    await page.locator('main a[href*="/miners/"]').first().click();
    await page.getByRole('button', { name: texts.act.reboot, exact: true }).waitFor();
    await page.waitForTimeout(500);
    await shoot(page, `${language}-miner`);
    const { content, window } = await widths(page);
    expect(content, 'miner').toBeLessThanOrEqual(window);
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    expect(faults).toEqual([]);
    await context.close();
  });
});
