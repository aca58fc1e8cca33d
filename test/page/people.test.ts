// People, the audit trail and the handbook in a real browser: an administrator adds a technician, who comes in on
// another device; what is changed of a person counts at once.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, launch, visit } from './support/browser.ts';
import { claim, type PageSite, startSite } from './support/site.ts';

const MINER = z.looseObject({ id: z.string() });
const NET = loopback(26);
/**
 * Of a person that is refused something, and of a session that has ended. Of a socket that is refused a browser writes
 * its status, or that it has no credentials.
 */
const REFUSED = /40[139]|no valid credentials/;
let site: PageSite;
let browser: Browser;

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  [site, browser] = await Promise.all([startSite({ network: NET.network }), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: typeof name === 'string' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const choice = (page: Page) => page.getByRole('combobox', { name: 'Role', exact: true });
const farmOf = (page: Page): string => /\/f\/[^/]+/.exec(page.url())?.[0] ?? '';

/** From any screen, as a person goes there. */
async function go(page: Page, place: string): Promise<void> {
  await page.locator('header .person').click();
  await link(page, place).click();
  await page.getByRole('heading', { name: place, level: 1 }).waitFor();
}

async function add(page: Page, name: string): Promise<string> {
  await go(page, 'People');
  await button(page, 'Add a person').click();
  await page.getByLabel('Name').fill(name);
  await button(page, 'Add').click();
  await page.getByText('Good once, for 15 minutes').waitFor();
  return (await page.locator('.code-address').innerText()).trim();
}

async function openPerson(page: Page, name: string): Promise<void> {
  await go(page, 'People');
  await page.locator('.work a', { hasText: name }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

describe.skipIf(BROWSER_PATH === undefined)('people', () => {
  test('an admin adds a technician, who comes in elsewhere; another role and disabling count at once', async () => {
    const admin = await site.enter(browser, 'admin', { size: 'desktop' });
    const address = await add(admin.page, 'Tom');
    expect(address).toMatch(new RegExp(`^${site.url()}/claim#reset:[0-9A-Z-]+$`));
    await admin.page.getByRole('img', { name: /QR code/ }).waitFor();
    await admin.page.locator('dialog .act-main').click();
    await admin.page.getByText('first code not used yet').waitFor();

    const tom = await visit(browser, { expected: REFUSED });
    await claim(tom.page, site.url(), { fragment: address.split('#')[1] ?? '' });
    await link(tom.page, 'Tasks').waitFor();
    const miner = (await site.json(MINER, 'miners'))[0];
    await tom.page.goto(`${site.url()}${farmOf(tom.page)}/miners/${miner?.id}`);
    await button(tom.page, 'Reboot').waitFor();

    await openPerson(admin.page, 'Tom');
    await choice(admin.page).selectOption('viewer');
    await button(admin.page, 'Save').click();
    await admin.page.locator('.fact', { hasText: 'Roles' }).getByText('viewer').waitFor();
    await button(tom.page, 'Reboot').waitFor({ state: 'detached' });

    await button(admin.page, 'Disable').click();
    await admin.page.locator('.note.barred', { hasText: 'disabled' }).waitFor();
    await button(tom.page, 'Log in').waitFor({ timeout: 5_000 });

    await button(admin.page, 'Enable').click();
    await admin.page.locator('.note.barred', { hasText: 'disabled' }).waitFor({ state: 'detached' });
    await button(admin.page, 'Pair a phone').click();
    await admin.page.getByText('Good once, for 10 minutes').waitFor();
    const phone = await visit(browser, { expected: REFUSED });
    const [, pairing = ''] = (await admin.page.locator('.code-address').innerText()).trim().split('#');
    await phone.page.goto(`${site.url()}/claim#${pairing}`);
    await phone.page.getByRole('navigation').waitFor();
    await admin.page.locator('dialog .act-main').click();
    await button(admin.page, 'End all sessions').click();
    await admin.page.getByText('1 session was ended').waitFor();
    await button(phone.page, 'Log in').waitFor({ timeout: 5_000 });

    await button(admin.page, 'Remove').click();
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await button(admin.page, 'Add a person').waitFor();
    await admin.page.locator('.work a', { hasText: 'Tom' }).waitFor({ state: 'detached' });
    expect([admin.faults, tom.faults, phone.faults]).toEqual([[], [], []]);
    await Promise.all([admin, tom, phone].map(({ context }) => context.close()));
  });

  test('a viewer sees neither people nor the trail, and the service refuses both', async () => {
    const { page, context, faults } = await site.enter(browser, 'viewer', { expected: REFUSED });
    await page.locator('header .person').click();
    await link(page, 'Handbook').waitFor();
    expect(await link(page, 'People').count()).toBe(0);
    expect(await link(page, 'Who did what').count()).toBe(0);
    const base = `${site.url()}${farmOf(page)}`;
    await page.goto(`${base}/people`);
    await page.getByText('Your role does not allow this').waitFor();
    await page.goto(`${base}/audit`);
    await page.getByText('Your role does not allow this').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('who did what, newest first, and older on request', async () => {
    const { page, context, faults } = await site.enter(browser, 'admin');
    await go(page, 'Who did what');
    await page.locator('.audit-line', { hasText: 'Password set' }).first().waitFor();
    for (let left = 20; left > 0 && (await button(page, 'Show older ones').count()) > 0; left -= 1)
      await button(page, 'Show older ones').click();
    await page.getByText('There is nothing older').waitFor();
    await page.locator('.audit-line', { hasText: 'Person added' }).first().waitFor();
    const times = await page
      .locator('.audit-line time')
      .evaluateAll((all) => all.map((one) => one.getAttribute('datetime')));
    expect(times).toEqual(times.toSorted().toReversed());
    expect(faults).toEqual([]);
    await context.close();
  });

  test('the handbook: topics, a page of one, and a way to another', async () => {
    const { page, context, faults } = await site.enter(browser, 'viewer');
    await go(page, 'Handbook');
    await link(page, 'Configuration').click();
    await page.locator('.handbook table').first().waitFor();
    expect(await page.locator('.handbook').innerText()).not.toMatch(/\*\*|```|<!--/);
    await page.goto(`${site.url()}${farmOf(page)}/help/operation`);
    await page.locator('.handbook a[href$="/help/installation"]').first().click();
    await page.getByRole('heading', { level: 1, name: 'Installation' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  // Last, because it disables all other admins, also the one that adds people for these tests.
  test('the last admin stays: the service says why, in its words', async () => {
    const { page, context, faults } = await site.enter(browser, 'admin', { expected: REFUSED });
    await go(page, 'People');
    await page.locator('.work .line').first().waitFor();
    const me = (await page.locator('header .person').innerText()).trim();
    for (const name of await page.locator('.work .line', { hasText: 'admin' }).locator('strong').allInnerTexts()) {
      if (name === me) continue;
      await openPerson(page, name);
      await button(page, 'Disable').click();
      await button(page, 'Enable').waitFor();
    }
    await openPerson(page, me);
    await button(page, 'Disable').click();
    await page.getByText(/last admin of the workspace/).waitFor();
    await choice(page).selectOption('technician');
    await button(page, 'Save').click();
    await page
      .locator('form')
      .getByText(/last admin of the workspace/)
      .waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
