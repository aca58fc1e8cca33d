// Every screen in both themes and at both widths: axe finds nothing against it, nothing is wider than the screen, and
// no script fails.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { violations } from './support/axe.ts';
import { BROWSER_PATH, follow, launch, SIZES, type Visit, visit } from './support/browser.ts';
import { type PageSite, startSite } from './support/site.ts';

const NET = loopback(26);

let site: PageSite;
let browser: Browser;
const visits = new Map<string, Visit>();

/** With something on every screen: an ill miner in a rack, a task that is over, a scan. */
beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  [site, browser] = await Promise.all([startSite({ network: NET.network }), launch()]);
  site.farm.devices[0]?.setFault('board-dead', true);
  await site.pithead('container', 'add', '1');
  await site.pithead('rack', 'set', 'C03', '--container', '1', '--rows', '2', '--columns', '3');
  await site.pithead('position', 'set', site.farm.devices[0]?.ip ?? '', 'C03/1');
  await site.pithead('scan', NET.network);
  await site.pithead('light', 'on', site.farm.devices[1]?.ip ?? '', '--yes');
  await site.pithead('pools', 'save', 'main', '--url', 'stratum+tcp://pool.example:3333', '--worker', 'farm.{ip4}');
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

const LOOKS = (['light', 'dark'] as const).flatMap((theme) =>
  (['phone', 'desktop'] as const).map((size) => ({ theme, size })),
);

async function visitAs({ theme, size }: (typeof LOOKS)[number]): Promise<Visit> {
  const key = `${theme} ${size}`;
  const before = visits.get(key);
  if (before !== undefined) return before;
  const made = await site.enter(browser, 'manager', { theme, size });
  visits.set(key, made);
  return made;
}

/** For a person who wants to look at them. */
const SHOTS = process.env.PITHEAD_SHOTS;
async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

async function expectGood({ page, faults }: Visit, width: number): Promise<void> {
  expect(await violations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  expect(faults).toEqual([]);
}

/** By their path below the farm, each with what shows that it is drawn. */
const SCREENS: Readonly<Record<string, string>> = {
  now: '.count',
  find: 'input[type=search]',
  miners: '.miner-row',
  'miners?cause=any': '.miner-row',
  tasks: 'h1',
  scan: 'form',
  account: 'h2',
  more: 'h1',
  help: 'h1',
  locations: '.places li',
  'walk/C03': '.walk-slot',
  map: 'canvas',
  'map/C03': '.rack',
  pools: '.pool-list',
  changes: '.group',
  overview: '.part',
  'walk-list': '.walk-list',
};

describe.skipIf(BROWSER_PATH === undefined).each(LOOKS)('$theme, $size', (look) => {
  test.each(Object.entries(SCREENS))('%s', async (path, drawn) => {
    const visited = await visitAs(look);
    const base = new URL(visited.page.url()).pathname.split('/').slice(0, 3).join('/');
    // Where only what is behind the question mark changes, the screen stays.
    const address = `${site.url()}${base}/${path}`;
    await (path.includes('?') ? visited.page.goto(address) : follow(visited.page, address));
    await visited.page.locator(drawn).first().waitFor();
    await expectGood(visited, SIZES[look.size].width);
  });

  test('a miner, with an act that waits to be confirmed', async () => {
    const visited = await visitAs(look);
    const { page } = visited;
    const base = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    await page.goto(`${site.url()}${base}/miners?cause=any`);
    await page.locator('.miner-link').first().click();
    await page.locator('.trouble').first().waitFor();
    await page.getByRole('button', { name: 'Reboot', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await expectGood(visited, SIZES[look.size].width);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('what a scan came to', async () => {
    const visited = await visitAs(look);
    const { page } = visited;
    const base = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    await page.goto(`${site.url()}${base}/scan`);
    await page.locator('main').getByRole('button', { name: 'Scan', exact: true }).click();
    await page.locator('.facts').first().waitFor({ timeout: 60_000 });
    await expectGood(visited, SIZES[look.size].width);
  });

  test('a task batch with its miners', async () => {
    const visited = await visitAs(look);
    const { page } = visited;
    const base = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    await page.goto(`${site.url()}${base}/tasks`);
    // Those of a scan lead elsewhere.
    await page.locator('.work a[href*="/tasks/"]').first().click();
    await page.locator('progress').first().waitFor();
    await expectGood(visited, SIZES[look.size].width);
  });

  test('the sheet of an act for all of a list', async () => {
    const visited = await visitAs(look);
    const { page } = visited;
    const base = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    await page.goto(`${site.url()}${base}/miners`);
    await page.locator('.list-acts').getByRole('button', { name: 'Reboot', exact: true }).click();
    await page.getByText(/get the task/).waitFor();
    await expectGood(visited, SIZES[look.size].width);
  });

  test.each([
    ['Pools', '.pool-list'],
    ['Firmware', 'form input'],
    ['Password', 'input[type=password]'],
    ['Maintenance', 'input[name=reason]'],
  ])('what %s asks of a person first', async (act, drawn) => {
    const visited = await visitAs(look);
    const { page } = visited;
    const base = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    await page.goto(`${site.url()}${base}/miners`);
    await page.locator('.list-acts').getByRole('button', { name: act, exact: true }).click();
    await page.getByRole('dialog').locator(drawn).first().waitFor();
    await shot(page, `${look.theme}-${look.size}-${act}`);
    await expectGood(visited, SIZES[look.size].width);
  });

  test('the form of a saved set of pools', async () => {
    const visited = await visitAs(look);
    const { page } = visited;
    const base = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    await page.goto(`${site.url()}${base}/pools`);
    await page.getByRole('button', { name: 'Save pools', exact: true }).click();
    await page.getByLabel('Address', { exact: true }).waitFor();
    await shot(page, `${look.theme}-${look.size}-set`);
    await expectGood(visited, SIZES[look.size].width);
  });

  test('the login, and the address of a one-time code', async () => {
    const visited = await visit(browser, look);
    await visited.page.goto(`${site.url()}/login`);
    await visited.page.getByRole('button').first().waitFor();
    await expectGood(visited, SIZES[look.size].width);
    await visited.page.goto(`${site.url()}/claim`);
    await visited.page.getByLabel('Code').waitFor();
    await expectGood(visited, SIZES[look.size].width);
    await visited.context.close();
  });
});
