// What the page says when something is between it and the truth: sockets that are blocked, a service that is away, a
// session that was ended, a role that may less.
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, launch } from './support/browser.ts';
import { freePort, type PageSite, startSite } from './support/site.ts';

const NET = loopback(26);
let site: PageSite;
let browser: Browser;

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  [site, browser] = await Promise.all([startSite({ network: NET.network, port: await freePort() }), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

const COUNTING_SCREENS = ['now', 'miners', 'overview', 'map', 'map/L-01', 'miners/unknown', 'scan', 'tasks', 'find'];
/** What they ask. */
const ASKED = /\/(board|agents|task-batches\/search)(\?|$)/;

describe.skipIf(BROWSER_PATH === undefined)('the truth', () => {
  test('where something blocks sockets the page asks each few seconds, says so, and shows what is new', async () => {
    const { page, context } = await site.enter(browser, 'viewer');
    await page.routeWebSocket(/board\/stream/, (socket) => socket.close());
    await page.reload();
    await page.getByText('each 5 s, sockets are blocked').waitFor({ timeout: 30_000 });
    site.farm.devices[2]?.setFault('fan-stopped', true);
    await page.getByRole('link', { name: /^Fan/ }).first().waitFor({ timeout: 30_000 });
    site.farm.devices[2]?.setFault('fan-stopped', false);
    await page.getByText('No miner needs you.').waitFor({ timeout: 60_000 });
    await context.close();
  });

  test('before the service has answered no screen says how many there are', async () => {
    const [ip = ''] = site.farm.devices.map((device) => device.ip);
    for (const args of [
      ['container', 'add', 'L'],
      ['rack', 'set', 'L-01', '--container', 'L', '--rows', '1', '--columns', '3'],
      ['position', 'set', ip, 'L-01/1'],
    ])
      expect(await site.pithead(...args)).toMatchObject({ code: 0 });
    const { page, context } = await site.enter(browser, 'technician');
    const farm = page.url().replace(/(\/f\/[^/]+)\/.*$/, '$1');
    const held: Route[] = [];
    await page.route(ASKED, (route) => void held.push(route));
    for (const screen of COUNTING_SCREENS) {
      await page.goto(`${farm}/${screen}`);
      if (screen === 'find') await page.getByRole('searchbox').fill(ip);
      await page.getByRole('main').getByText('Loading…').first().waitFor();
      const words = await page.getByRole('main').innerText();
      expect(words, screen).not.toMatch(/\bno (miner|agent|scan|task)|\d empty|\b0\b|not here/i);
    }
    await page.unroute(ASKED);
    for (const route of held) await route.continue().catch(() => {});
    await page.locator('.miner-card').first().waitFor();
    await page.goto(`${farm}/map`);
    await page.getByText('1 good, 2 empty').waitFor();
    await context.close();
  });

  test('a service that restarts: the page says that it is not live, keeps ages true, and is live again', async () => {
    const { page, context } = await site.enter(browser, 'viewer');
    await page.getByRole('link', { name: 'Miners', exact: true }).click();
    await page.locator('.miner-row').first().waitFor();
    await page.locator('.live-live').waitFor();
    await site.restart(0, () => page.getByText(/not live: no news for/).waitFor({ timeout: 30_000 }));
    await page.locator('.live-live').waitFor({ timeout: 60_000 });
    expect(await page.locator('.miner-row').count()).toBeGreaterThan(3);
    await context.close();
  });

  test('a person that is disabled is out within seconds, and comes to the login', async () => {
    const { page, context, name } = await site.enter(browser, 'operator');
    await page.getByRole('link', { name: 'Miners', exact: true }).click();
    await page.locator('.miner-row').first().waitFor();
    await site.pithead('people', 'disable', name);
    await page.getByRole('button', { name: 'Log in' }).waitFor({ timeout: 15_000 });
    await context.close();
  });

  test.each([
    ['viewer', ['Reboot', 'Light', 'Sleep']],
    ['technician', ['Sleep', 'Wake']],
  ])('what a %s may not do is not there, and the service refuses it', async (role, absent) => {
    const { page, context } = await site.enter(browser, role);
    await page.getByRole('link', { name: 'Miners', exact: true }).click();
    await page.locator('.miner-link').first().click();
    await page.getByRole('heading', { name: 'Values' }).waitFor();
    for (const name of absent) expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    const status = await page.evaluate(
      `fetch('/public-api/v2/session').then((r) => r.json()).then(({ data: { farms: [farm] } }) =>
        fetch('/public-api/v2/workspaces/' + farm.workspace_id + '/farms/' + farm.id + '/task-batches', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            task_name: 'miner.power_mode.update', params: { mode: 'sleep' }, filter: { status: { eq: 'online' } },
          }),
        })).then(({ status }) => status)`,
    );
    expect(status).toBe(403);
    await context.close();
  });

  test('no secret is in the page, its storage or its address', async () => {
    const { page, context } = await site.enter(browser, 'admin');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML])',
    );
    expect(kept).not.toContain(cookie?.value);
    const answer = await page.request.get(`${site.url()}/`);
    const policy = answer.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/);
    expect(answer.headers()).not.toHaveProperty('strict-transport-security');
    await context.close();
  });
});
