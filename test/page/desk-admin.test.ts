// The screens of who administers: webhooks with their deliveries, keys, settings, about; and a page that was open while
// the service was updated. Secrets are shown once, and are nowhere afterwards.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { violations } from './support/axe.ts';
import { BROWSER_PATH, follow, hold, launch, SIZES, type Visit } from './support/browser.ts';
import { freePort, type PageSite, startSite } from './support/site.ts';

const NET = loopback(26);
/** A browser writes of a socket that is refused either its status or that it has no credentials. */
const REFUSED = /40[0134]|no valid credentials/;
let site: PageSite;
let browser: Browser;
/** What takes the messages of webhooks. */
let receiver: Receiver;

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  const config = { webhooks: { allowedNetworks: ['127.0.0.0/8'] }, people: { secondPerson: ['pools'] } };
  const port = await freePort();
  [site, browser, receiver] = await Promise.all([
    startSite({ network: NET.network, miners: 2, port, config }),
    launch(),
    startReceiver(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  await receiver?.stop();
});

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
const farmOf = (page: Page): string => `${site.url()}${/\/f\/[^/]+/.exec(page.url())?.[0] ?? ''}`;
const card = (page: Page, name: string) => page.locator('.card', { hasText: name });
const dialog = (page: Page) => page.getByRole('dialog');

/** From any screen, as a person goes there. */
async function go(page: Page, place: string): Promise<void> {
  await page.locator('header .person').click();
  await page.getByRole('link', { name: place, exact: true }).click();
  await page.getByRole('heading', { name: place, level: 1 }).waitFor();
}

/** Reads the secret that is shown, and closes what shows it: it is nowhere then. */
async function takeSecret(page: Page): Promise<string> {
  const secret = (await dialog(page).locator('.code-address').innerText()).trim();
  await dialog(page).locator('.act-main').click();
  await dialog(page).waitFor({ state: 'detached' });
  const left = await page.evaluate(
    'JSON.stringify([document.documentElement.outerHTML, location.href, { ...localStorage }, { ...sessionStorage }, history.state])',
  );
  expect(String(left)).not.toContain(secret);
  return secret;
}

describe.skipIf(BROWSER_PATH === undefined)('who administers', () => {
  test('a key is made, shown once, used, and ended; it can do no more than it says', async () => {
    const { page, context, faults } = await site.enter(browser, 'admin', { size: 'desktop' });
    await go(page, 'API keys');
    await button(page, 'Make a key').click();
    await page.getByLabel('Who uses it').fill('dashboard');
    await button(page, 'Make').click();
    const key = await takeSecret(page);
    expect(key).toMatch(/^phk_[0-9a-f]{8}_/);
    await card(page, 'dashboard').getByText('viewer').waitFor();
    const ask = (text: string) =>
      fetch(`${site.url()}/public-api/v2/workspaces`, { headers: { 'x-api-key': text } }).then(({ status }) => status);
    expect(await ask(key)).toBe(200);

    await button(page, 'Make a key').click();
    await page.getByLabel('Who uses it').fill('lights');
    await page.getByLabel('What it may do').selectOption({ label: 'only what is marked below' });
    await button(page, 'Make').click();
    await page.getByText('Mark at least one permission').waitFor();
    await page.getByLabel('lights', { exact: true }).check();
    await page.getByLabel('Last day, empty = no end').fill('');
    await button(page, 'Make').click();
    await takeSecret(page);
    await card(page, 'lights').getByText('no end').waitFor();

    await button(page, 'End it: dashboard').click();
    await dialog(page).getByRole('button', { name: 'End it', exact: true }).click();
    await page.getByText(/key that no longer works/).click();
    await card(page, 'dashboard')
      .getByText(/^ended /)
      .waitFor();
    expect(await ask(key)).toBe(401);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('pools wait for a second person, who is not the one that has ordered them', async () => {
    const manager = await site.enter(browser, 'manager');
    await manager.page.goto(`${farmOf(manager.page)}/miners`);
    await button(manager.page, 'Pools').click();
    await manager.page.getByLabel('Address', { exact: true }).fill('stratum+tcp://pool.example:3333');
    await manager.page.getByLabel('Worker', { exact: true }).fill('farm.{ip4}');
    await button(manager.page, 'Next: what it would come to').click();
    await dialog(manager.page).getByText('Another person has to confirm it').waitFor();
    await hold(button(manager.page, 'Pools: 2 miners'));
    await manager.page.getByText('No miner has got it yet').waitFor();
    await manager.page.getByText('You have ordered it').waitFor();
    expect(await button(manager.page, 'Confirm as the second person').count()).toBe(0);

    const admin = await site.enter(browser, 'admin');
    await admin.page.goto(`${farmOf(admin.page)}/tasks`);
    await admin.page.locator('.line', { hasText: 'Waits for a second person' }).locator('a').click();
    await button(admin.page, 'Confirm as the second person').click();
    await admin.page.getByText(`confirmed by ${admin.name}`).waitFor();
    await manager.page.getByText(/^2 proven/).waitFor({ timeout: 60_000 });
    expect([manager.faults, admin.faults]).toEqual([[], []]);
    await Promise.all([manager.context.close(), admin.context.close()]);
  });

  test('a webhook is added, tested, paused, gets another secret, and is removed', async () => {
    const { page, context, faults } = await site.enter(browser, 'admin', { expected: REFUSED });
    await go(page, 'Webhooks');
    await page.getByText('There are no webhooks yet').waitFor();
    await button(page, 'Add a webhook').click();
    await page.getByLabel('Address (URL)').fill('http://10.1.2.3/hooks');
    await button(page, 'Add').click();
    await dialog(page).getByRole('alert').waitFor();
    await page.getByLabel('Address (URL)').fill(receiver.url);
    await page.getByLabel('Name, empty').fill('tickets');
    await page.getByLabel('All kinds of events').uncheck();
    await button(page, 'Add').click();
    await page.getByText('Mark at least one farm and one kind').waitFor();
    await page.getByLabel('flag_raised').check();
    await button(page, 'Add').click();
    const first = await takeSecret(page);
    expect(first).toMatch(/^whsec_/);
    await card(page, 'tickets').getByText('sends').waitFor();
    await card(page, 'tickets').getByText('flag_raised').waitFor();

    await button(page, 'Send a test: tickets').click();
    await page.getByText(/The test arrived in \d+ ms, answer 204/).waitFor();
    receiver.answer = () => 500;
    await button(page, 'Send a test: tickets').click();
    await page.getByText(/The test did not arrive/).waitFor();
    receiver.answer = () => 204;

    await button(page, 'Pause: tickets').click();
    await card(page, 'tickets').getByText('paused').waitFor();
    await button(page, 'Resume: tickets').click();
    await card(page, 'tickets').getByText('sends').waitFor();

    await button(page, 'Change: tickets').click();
    await page.getByLabel('Name, empty').fill('desk');
    await button(page, 'Save').click();
    await card(page, 'desk').waitFor();

    await button(page, 'New secret: desk').click();
    await dialog(page).getByRole('button', { name: 'New secret', exact: true }).click();
    await dialog(page).getByText('shown only now').waitFor();
    expect(await takeSecret(page)).not.toBe(first);
    await card(page, 'desk')
      .getByText(/the one before counts until/)
      .waitFor();

    await button(page, 'Not delivered: desk').click();
    await dialog(page).getByText('Everything was delivered').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });

    await button(page, 'Remove: desk').click();
    await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('There are no webhooks yet').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('settings and about: agents, the table of roles, version, licences', async () => {
    const { page, context, faults } = await site.enter(browser, 'viewer', { expected: REFUSED });
    await go(page, 'Settings');
    const agent = page.locator('.card').first();
    await agent.getByText('connected', { exact: false }).waitFor();
    await agent.locator('.fact', { hasText: 'Miners' }).getByText('2').waitFor();
    const row = page.getByRole('row', { name: /^reboot / });
    expect(await row.getByRole('cell').allInnerTexts()).toEqual([
      ...[expect.stringContaining('no'), ...Array.from({ length: 4 }, () => expect.stringContaining('yes'))],
    ]);
    await go(page, 'About');
    await page
      .locator('.fact', { hasText: 'Version of the service' })
      .getByText(/^\d+\.\d+/)
      .waitFor();
    await page
      .locator('.fact', { hasText: 'Build of this page' })
      .getByText(/^\w{8}$/)
      .waitFor();
    await page.getByText('makes no certificate of its own').waitFor();
    const licences = await (await fetch(`${site.url()}/page/licences.txt`)).text();
    for (const library of ['preact ', 'uplot ', '@preact/signals ']) expect(licences).toContain(library.toLowerCase());
    // What a viewer may not do is not there, and the service says no where it is asked all the same.
    await page.locator('header .person').click();
    await page.getByRole('link', { name: 'Handbook' }).waitFor();
    for (const place of ['API keys', 'Webhooks', 'People'])
      expect(await page.getByRole('link', { name: place }).count()).toBe(0);
    for (const place of ['keys', 'webhooks']) {
      await page.goto(`${farmOf(page)}/${place}`);
      await page.getByText('Your role does not allow this').waitFor();
    }
    expect(faults).toEqual([]);
    await context.close();
  });

  test('after an update of the service an open page says so, and loads anew on request', async () => {
    const { page, context } = await site.enter(browser, 'viewer', { expected: /.*/ });
    await page.getByRole('link', { name: 'Find' }).waitFor();
    // Another build: the page that the service sends has other files, and those of the build before are gone.
    await page.route(`${site.url()}/`, async (route) => {
      const served = await route.fetch();
      const body = (await served.text()).replaceAll(/page\.\w+\.js/g, 'page.OTHERONE.js');
      await route.fulfill({ response: served, body });
    });
    await page.route('**/page/part.*.js', (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.locator('header .person').click();
    await page.getByText('There is a new version of this page').waitFor();
    await page.unrouteAll();
    await button(page, 'Load the page again').click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByText('There is a new version of this page').count()).toBe(0);
    await context.close();
  });

  test('what the page asks by itself is marked when no person has touched it for a minute', async () => {
    const { page, context, faults } = await site.enter(browser, 'viewer');
    const next = async () => {
      const request = await page.waitForRequest(/\/agents\?/, { timeout: 30_000 });
      return (await request.allHeaders())['pithead-unattended'];
    };
    await page.clock.install();
    await page.reload();
    expect(await next()).toBeUndefined();
    await page.clock.fastForward(61_000);
    expect(await next()).toBe('1');
    await page.keyboard.press('Escape');
    expect(await next()).toBeUndefined();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a person logs out: not before the service has said so', async () => {
    const { page, context } = await site.enter(browser, 'viewer', { expected: /.*/ });
    await page.locator('header .person').click();
    await button(page, 'Switch person').waitFor();
    await page.route('**/public-api/v2/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await button(page, 'Switch person').click();
    await page.getByRole('alert').waitFor();
    await button(page, 'Switch person').waitFor();
    await page.unrouteAll();
    await button(page, 'Switch person').click();
    await button(page, 'Log in').waitFor();
    expect((await context.cookies()).filter(({ name }) => name.includes('pithead'))).toEqual([]);
    await context.close();
  });

  test('a service that was started again and is the same is no new version', async () => {
    const { page, context } = await site.enter(browser, 'viewer', { expected: /.*/ });
    const own = `${site.url()}/`;
    const asked = page.waitForResponse((response) => response.url() === own && response.ok(), { timeout: 90_000 });
    await Promise.all([asked, site.restart(0)]);
    await page.locator('.live-live').waitFor({ timeout: 30_000 });
    expect(await page.getByText('There is a new version of this page').count()).toBe(0);
    await context.close();
  });
});

/** By their path below the farm, each with what shows that it is drawn. */
const SCREENS: Readonly<Record<string, string>> = {
  webhooks: '.card',
  keys: '.card',
  settings: '.card',
  about: 'kbd',
  people: '.work .line',
  audit: '.audit-line',
};
const LOOKS = (['light', 'dark'] as const).flatMap((theme) =>
  (['phone', 'desktop'] as const).map((size) => ({ theme, size })),
);

describe.skipIf(BROWSER_PATH === undefined).each(LOOKS)('how it looks: $theme, $size', (look) => {
  let visited: Visit;
  beforeAll(async () => {
    visited = await site.enter(browser, 'admin', { ...look, expected: /40[14]/ });
    const { page } = visited;
    await go(page, 'Webhooks');
    await button(page, 'Add a webhook').click();
    await page.getByLabel('Address (URL)').fill(`${receiver.url}&look=${look.theme}-${look.size}`);
    await button(page, 'Add').click();
    await takeSecret(page);
  });
  afterAll(() => visited?.context.close());

  const expectGood = async () => {
    expect(await violations(visited.page)).toEqual([]);
    expect(await visited.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      SIZES[look.size].width,
    );
    expect(visited.faults).toEqual([]);
  };

  test.each(Object.entries(SCREENS))('%s', async (path, drawn) => {
    await follow(visited.page, `${farmOf(visited.page)}/${path}`);
    await visited.page.locator(drawn).first().waitFor();
    await expectGood();
  });

  test('a person', async () => {
    await visited.page.goto(`${farmOf(visited.page)}/people`);
    await visited.page.locator('.work .line a').first().click();
    await visited.page.getByLabel('Last day').waitFor();
    await expectGood();
  });

  test('the forms of a key and of a webhook', async () => {
    const { page } = visited;
    await page.goto(`${farmOf(page)}/keys`);
    await button(page, 'Make a key').click();
    await page.getByLabel('What it may do').selectOption('');
    await expectGood();
    await page.goto(`${farmOf(page)}/webhooks`);
    await button(page, 'Add a webhook').click();
    await page.getByLabel('All farms').uncheck();
    await page.getByLabel('All kinds of events').uncheck();
    await expectGood();
  });
});
