// The states in which a page must not mislead: an agent that is silent, a pool that is dead, a farm of others, a farm
// without miners, a network that stalls. And it asks nothing of the world outside.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, launch } from './support/browser.ts';
import { type Farms, startFarms } from './support/farms.ts';
import { startStallingProxy } from './support/stalling-proxy.ts';

const NET = loopback(26);
const MINERS = 8;
const OTHERS = 4;
let farms: Farms;
let browser: Browser;

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  [farms, browser] = await Promise.all([startFarms(NET, { miners: MINERS, others: OTHERS }), launch()]);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await farms?.stop();
});

const goTo = (page: Page, screen: string) => page.goto(page.url().replace(/(\/f\/[^/]+)\/.*$/, `$1/${screen}`));
const rows = (page: Page) => page.locator('.miner-row');
const allFaults = (name: 'pool-dead', on: boolean) => {
  for (const device of farms.site.farm.devices) device.setFault(name, on);
};

describe.skipIf(BROWSER_PATH === undefined)('farms of others', () => {
  test('who has two farms chooses first, and sees in each its own miners', async () => {
    const { page, context, faults } = await farms.enter(browser, { first: 'viewer', second: 'viewer' });
    const choice = page.getByRole('listitem').getByRole('link');
    expect(await choice.count()).toBe(2);
    await page.getByRole('link', { name: /^Second/ }).click();
    await goTo(page, 'miners');
    await expect.poll(() => rows(page).count(), { timeout: 60_000 }).toBe(OTHERS);
    await page.goto(`${farms.site.stack.url}/`);
    await page.getByRole('link', { name: /^Default/ }).click();
    await goTo(page, 'miners');
    await expect.poll(() => rows(page).count(), { timeout: 30_000 }).toBe(MINERS);
    const shown = await page.locator('.rows').innerText();
    for (const { ip } of farms.second.devices) expect(shown).not.toContain(ip);
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each(['second', 'empty'] as const)('the %s farm is not found by who has another one', async (name) => {
    const { page, context } = await farms.enter(browser, { first: 'admin' }, { expected: /40[14]/ });
    const { workspaceId, farmId } = farms.ids[name];
    await rows(page).count();
    for (const screen of ['now', 'miners', 'map', 'people', 'tasks']) {
      await page.goto(`${farms.site.stack.url}/f/${farmId}/${screen}`);
      await page.getByText('There is nothing at this address.').waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
    }
    const base = `/public-api/v2/workspaces/${workspaceId}/farms/${farmId}`;
    for (const path of ['board', 'miners', 'agents', 'events', 'task-batches', 'racks'])
      expect((await page.request.get(`${farms.site.stack.url}${base}/${path}`)).status(), path).toBe(404);
    const posted = await page.request.post(`${farms.site.stack.url}${base}/task-batches`, {
      data: { task_name: 'miner.system.reboot', filter: { status: { eq: 'online' } } },
      headers: { origin: farms.site.stack.url },
    });
    expect(posted.status()).toBe(404);
    await context.close();
  });

  test('a farm without a miner says what to do, to who may do it', async () => {
    const { page, context, faults } = await farms.enter(browser, { empty: 'technician' });
    await page.getByText('This farm has no miners yet.').waitFor();
    expect(await page.getByText('No miner needs you.').count()).toBe(0);
    await page.getByText('pithead enrol').waitFor();
    for (const screen of ['miners', 'map', 'tasks', 'locations', 'find']) {
      await goTo(page, screen);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    }
    await goTo(page, 'scan');
    await page.getByText('No agent is there to scan with.').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe.skipIf(BROWSER_PATH === undefined)('trouble of many at once', () => {
  test('an ill miner of the second farm is on its list, until its agent ends', async () => {
    const { page, context, faults } = await farms.enter(browser, { second: 'technician' });
    farms.second.devices[0]?.setFault('board-dead', true);
    await page.locator('.work .line-hashboard').waitFor({ timeout: 60_000 });
    await page.getByText(`${OTHERS} of ${OTHERS} answer`).waitFor();
    await placeIll(page);
    // It takes a minute until it counts as silent, which is looked at last.
    await farms.stopSecondAgent();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a dead pool is one line with its age, and leads to exactly those miners', async () => {
    const { page, context, faults } = await farms.enter(browser, { first: 'viewer' });
    allFaults('pool-dead', true);
    const line = page.locator('.work .line-pool');
    await expect.poll(() => line.locator('.line-count').allInnerTexts(), { timeout: 60_000 }).toEqual([String(MINERS)]);
    expect(await page.locator('.work .line').count()).toBe(1);
    expect(await line.locator('time').innerText()).toMatch(/^\d+ (s|min)/);
    await line.getByRole('link').first().click();
    await expect.poll(() => rows(page).count()).toBe(MINERS);
    await page.getByText(`${MINERS} of ${MINERS}`).waitFor();
    allFaults('pool-dead', false);
    await goTo(page, 'now');
    await page.getByText('No miner needs you.').waitFor({ timeout: 60_000 });
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe.skipIf(BROWSER_PATH === undefined)('networks', () => {
  test('while nothing is read of the socket the page says so; then it comes to the truth by itself', async () => {
    const proxy = await startStallingProxy(farms.site.stack.url);
    const { page, context } = await farms.enter(browser, { first: 'viewer' }, { through: proxy.url, expected: /./ });
    await goTo(page, 'miners?cause=any');
    await page.locator('.live-live').waitFor();
    proxy.stall();
    await page.getByText(/not live: no news for/).waitFor({ timeout: 30_000 });
    farms.site.farm.devices[1]?.setFault('fan-stopped', true);
    await page.waitForTimeout(8_000);
    expect(await rows(page).count()).toBe(0);
    proxy.flow();
    await page.locator('.live-live').waitFor({ timeout: 60_000 });
    await expect.poll(() => rows(page).count(), { timeout: 30_000 }).toBe(1);
    farms.site.farm.devices[1]?.setFault('fan-stopped', false);
    await expect.poll(() => rows(page).count(), { timeout: 30_000 }).toBe(0);
    await context.close();
    await proxy.close();
  });

  test('on a slow line the page is drawn, and is live', async () => {
    const { page, context, faults } = await farms.enter(browser, { first: 'viewer' });
    const session = await context.newCDPSession(page);
    const slow = { offline: false, latency: 600, downloadThroughput: 12_000, uploadThroughput: 6_000 };
    await session.send('Network.emulateNetworkConditions', slow);
    await goTo(page, 'miners');
    await expect.poll(() => rows(page).count(), { timeout: 60_000 }).toBe(MINERS);
    await page.locator('.live-live').waitFor({ timeout: 30_000 });
    expect(faults).toEqual([]);
    await context.close();
  });

  test('no screen asks anything of another address than its own', async () => {
    const { page, context, faults } = await farms.enter(browser, 'admin');
    await page.getByRole('link', { name: /^Default/ }).click();
    await page.getByRole('navigation').waitFor();
    const asked = new Set<string>();
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    page.on('websocket', (socket) => asked.add(new URL(socket.url()).origin.replace(/^ws/, 'http')));
    for (const screen of ['now', 'find', 'miners', 'tasks', 'scan', 'locations', 'map', 'account', 'more'])
      await visitScreen(page, screen);
    for (const screen of ['people', 'audit', 'help', 'help/operation']) await visitScreen(page, screen);
    const picture = page.locator('.picture').first();
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => page.evaluate(`document.querySelector('.picture').naturalWidth`)).toBe(412);
    await goTo(page, 'miners');
    await page.locator('.miner-link').first().click();
    await page.getByRole('heading', { name: 'Values' }).waitFor();
    await page.getByRole('heading', { name: 'Facts' }).waitFor();
    for (const path of ['trust', 'docs']) await page.goto(`${farms.site.stack.url}/${path}`);
    // What the page draws itself has no origin.
    asked.delete('null');
    expect([...asked]).toEqual([farms.site.stack.url]);
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe.skipIf(BROWSER_PATH === undefined)('an agent that is silent', () => {
  test('is one banner; its miners are unknown since, and none is ill', async () => {
    const { page, context, faults } = await farms.enter(browser, { second: 'operator' });
    const banner = page.locator('.banners .note');
    await banner.waitFor({ timeout: 120_000 });
    expect(await banner.allInnerTexts()).toEqual([expect.stringMatching(/is silent for \d+/)]);
    await expect.poll(() => page.locator('.work .line').count(), { timeout: 15_000 }).toBe(0);
    expect(await page.locator('.counts a').allInnerTexts()).toEqual([expect.stringMatching(/^New/)]);
    expect(await page.getByText('No miner needs you.').count()).toBe(0);
    await page.getByText(`0 of ${OTHERS} answer`).waitFor();
    await page.locator('.sums').getByText(`Nothing is known of ${OTHERS} miners now.`).waitFor();
    expect(await page.locator('.sums strong').allInnerTexts()).toEqual(['–']);
    await goTo(page, 'miners?cause=any');
    await page.getByText(`0 of ${OTHERS}`).waitFor();
    await goTo(page, 'miners');
    await expect.poll(() => page.locator('.miner-row .state-unknown').count()).toBe(OTHERS);
    await page.locator('.miner-link').first().click();
    await page.getByText(/Nothing is known since/).waitFor();
    expect(await page.locator('.trouble').count()).toBe(0);
    await goTo(page, 'map/C01?by=flags');
    await page.getByRole('link', { name: /^C01-1, unknown/ }).waitFor();
    expect(await page.getByRole('link', { name: /ill/ }).count()).toBe(0);
    await goTo(page, 'map?by=flags');
    await page.getByRole('link', { name: /^C01 0 good, 1 unknown/ }).waitFor();
    expect(await banner.count()).toBe(1);
    expect(faults).toEqual([]);
    await context.close();
  });
});

/** Puts the ill miner into a rack, for the map. */
async function placeIll(page: Page): Promise<void> {
  const { workspaceId, farmId } = farms.ids.second;
  const base = `${farms.site.stack.url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}`;
  const headers = { origin: farms.site.stack.url };
  const shape = { rows: 1, columns: 2, first: 'top-left', direction: 'rows', serpentine: false };
  expect((await page.request.put(`${base}/racks/C01`, { data: { shape }, headers })).status()).toBe(200);
  const data = { miners: [{ miner: farms.second.devices[0]?.ip ?? '', rack: 'C01', position: 1 }] };
  expect((await page.request.post(`${base}/location-changes`, { data, headers })).status()).toBe(200);
}

async function visitScreen(page: Page, screen: string): Promise<void> {
  await goTo(page, screen);
  await page.locator('h1').first().waitFor({ state: 'attached' });
}
