// What people do to many miners from the page, in a real browser against the whole program: a batch that is stopped in
// the middle, pools, passwords, maintenance, and a scan that accounts for every address.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OWNERS_LOGINS } from '../../fixtures/farm/owners.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, hold, launch } from './support/browser.ts';
import { type PageSite, startSite } from './support/site.ts';

const NET = loopback(26);
const MINERS = 44;
const TASK = z.looseObject({ status: z.string() });
const MINER = z.looseObject({ id: z.string(), ip: z.string() });
/** Of something that the service refuses. */
const REFUSED = /40[0139]/;
const NEW_PASSWORD = 'Given-by-page-71c';
const POOL = 'stratum+tcp://pool.example:3333';
const keys = mkdtempSync(join(tmpdir(), 'pithead-acts-'));
let site: PageSite;
let browser: Browser;

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  const tasks = {
    reboot: { backS: 60, hashS: 120, graceS: 2, checkEveryS: 0.3, dailyCap: 100, recentS: 0 },
    powerGate: { kw: 100_000, windowS: 1 },
    allow: { password: true },
  };
  [site, browser] = await Promise.all([
    startSite({
      ...{ network: NET.network, miners: MINERS },
      config: {
        ...{ tasks, credentials: { trust: 'network', logins: OWNERS_LOGINS, keyFile: join(keys, 'pithead.key') } },
      },
    }),
    launch(),
  ]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
  rmSync(keys, { recursive: true, force: true });
});

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: typeof name === 'string' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const inSheet = (page: Page, text: string) => page.getByRole('dialog').getByText(text).first().innerText();
const baseOf = (page: Page): string => `${site.url()}${/\/f\/[^/]+/.exec(page.url())?.[0] ?? ''}`;

/** The list of the first so many by their addresses, which the filter says. */
async function list(page: Page, count: number): Promise<void> {
  const last = site.farm.devices
    .map(({ ip }) => Number(ip.split('.')[3]))
    .toSorted((one, other) => one - other)
    .at(count - 1);
  await page.goto(`${baseOf(page)}/miners`);
  await page.getByLabel(/^Search/).fill(`${NET.ip(1)}-${last}`);
  await page.locator('.list-acts').getByText(`${count} miners by filter`).waitFor();
  // What is searched for is in the address, for others and for the way back.
  await page.waitForURL(/[?&]q=/);
}

/** Files of the program that hold this text in the open. */
const filesWith = (text: string): string[] =>
  readdirSync(join(site.folder, 'state'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));

describe.skipIf(BROWSER_PATH === undefined)('acts', () => {
  test('a batch of 40 with a canary of 3 is stopped in the middle, and its counts add up', async () => {
    const { page, context, faults } = await site.enter(browser, 'operator', { size: 'phone' });
    await list(page, 40);
    await button(page, 'Reboot').click();
    await page.getByText('40 miners get the task').waitFor();
    const confirm = inDialog(page, 'Reboot: 40 miners');
    expect(await confirm.getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByLabel('Try on so many first').inputValue()).toBe('3');
    await page.getByLabel('Type 40 to confirm').fill('40');
    expect(await confirm.getAttribute('aria-disabled')).toBe('false');

    await hold(inDialog(page, 'Reboot: 40 miners'));
    await page.getByText(/Reboot goes out in \d s/).waitFor();
    await inDialog(page, 'Undo').click();
    await page.waitForTimeout(6_000);
    expect(await site.json(TASK, 'tasks')).toEqual([]);

    await hold(inDialog(page, 'Reboot: 40 miners'));
    await page.getByRole('heading', { name: 'Reboot: 40 miners', level: 1 }).waitFor();
    await page.getByText(/^[3-9] proven/).waitFor({ timeout: 60_000 });
    await button(page, 'Stop what waits').click();
    await button(page, 'Stop what waits').waitFor({ state: 'detached', timeout: 60_000 });
    const rows = await until(
      () => page.locator('.work .line-count').allInnerTexts(),
      (texts) => texts.every((text) => text !== 'running' && text !== 'waits'),
    );
    expect(rows).toHaveLength(40);
    const proven = rows.filter((row) => row === 'proven').length;
    const stopped = rows.filter((row) => row === 'stopped').length;
    expect(proven).toBeGreaterThanOrEqual(3);
    expect(stopped).toBeGreaterThanOrEqual(1);
    expect(proven + stopped).toBe(40);
    await page.getByText(`${proven} proven`, { exact: true }).waitFor();
    await page.getByText(new RegExp(`^${stopped} tasks? (was|were) stopped`)).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  }, 180_000);

  test('the logs of some miners are fetched and saved as one zip', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician', { size: 'desktop' });
    await list(page, 3);
    await button(page, 'Log').click();
    await inDialog(page, 'Log: 3 miners').click();
    await page.getByRole('heading', { name: 'Log: 3 miners', level: 1 }).waitFor();
    const save = page.getByRole('button', { name: 'Save 3 logs as a zip' });
    await save.waitFor({ timeout: 60_000 });
    const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
    const files = unzipSync(new Uint8Array(readFileSync(await download.path())));
    expect(Object.keys(files).every((name) => /^[\d.]+\.log$/.test(name))).toBe(true);
    expect(Object.values(files).map(({ length }) => length > 0)).toEqual([true, true, true]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a range is scanned from the page, and every address of it is accounted for', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician', { size: 'phone' });
    await link(page, 'Scan').click();
    await page.getByLabel(/^Ranges/).fill(`${NET.ip(1)}-${NET.ip(60)}`);
    await page.locator('form').getByRole('button', { name: 'Scan' }).click();
    await page.getByText('Account · proven').waitFor({ timeout: 60_000 });
    const counts = await page.locator('.facts dd').allInnerTexts();
    const sum = counts.reduce((total, count) => total + Number(count.replaceAll(/\D/g, '')), 0);
    const text = await page.getByText(/every address is accounted for/).innerText();
    expect(sum).toBe(Number(/([\d,]+) addresses/.exec(text)?.[1]?.replaceAll(',', '')));
    expect(sum).toBe(60);
    expect(faults).toEqual([]);
    await context.close();
  }, 120_000);

  test('a manager saves pools, an operator gives them to miners and may write none, a technician sees none', async () => {
    const manager = await site.enter(browser, 'manager', { size: 'desktop' });
    await manager.page.locator('header .person').click();
    await link(manager.page, 'Pools').click();
    await manager.page.getByText('Nothing is saved yet.').waitFor();
    await button(manager.page, 'Save pools').click();
    await manager.page.getByLabel('Name').fill('main');
    await manager.page.getByLabel('Address', { exact: true }).fill(POOL);
    await manager.page.getByLabel('Worker', { exact: true }).fill('farm.{ip4}');
    await inDialog(manager.page, 'Save').click();
    await manager.page.getByRole('heading', { name: 'main' }).waitFor();
    await manager.page.getByText(`saved by ${manager.name}`).waitFor();

    const { page, context, faults, name } = await site.enter(browser, 'operator', { size: 'desktop' });
    await list(page, 25);
    await button(page, 'Pools').click();
    expect(await page.getByLabel('Saved pools').locator('option').allInnerTexts()).toEqual(['main']);
    await page.getByRole('dialog').getByText(POOL).waitFor();
    await inDialog(page, 'Next: what it would come to').click();
    await page.getByText('25 miners get the task').waitFor();
    const preview = await page.locator('.preview li').allInnerTexts();
    expect(preview).toHaveLength(3);
    for (const line of preview) expect(line).toMatch(/^\d+\.\d+\.\d+\.(\d+) → farm\.\1$/);
    await page.getByLabel('Type 25 to confirm').fill('25');
    await hold(inDialog(page, 'Pools: 25 miners'));
    await page.getByText(/^25 proven/).waitFor({ timeout: 90_000 });
    const given = site.farm.devices.filter((device) => device.truth().pools[0]?.url === POOL);
    expect(given).toHaveLength(25);
    for (const device of given) expect(device.truth().pools[0]?.worker_id).toBe(`farm.${device.ip.split('.')[3]}`);
    await page.goto(`${baseOf(page)}/pools`);
    await page.getByRole('heading', { name: 'main' }).waitFor();
    expect(await button(page, 'Save pools').count()).toBe(0);
    expect(name).not.toBe(manager.name);

    await button(manager.page, 'Remove').click();
    await inDialog(manager.page, 'Remove').click();
    await manager.page.getByText('Nothing is saved yet.').waitFor();

    const technician = await site.enter(browser, 'technician', { expected: REFUSED });
    await list(technician.page, 25);
    await button(technician.page, 'Reboot').waitFor();
    for (const act of ['Pools', 'Firmware', 'Password']) expect(await button(technician.page, act).count()).toBe(0);
    await technician.page.locator('header .person').click();
    await link(technician.page, 'Handbook').waitFor();
    expect(await link(technician.page, 'Pools').count()).toBe(0);
    await technician.page.goto(`${baseOf(technician.page)}/pools`);
    await technician.page.getByText('Your role does not allow this').waitFor();
    expect([manager.faults, faults, technician.faults]).toEqual([[], [], []]);
    await Promise.all([manager.context, context, technician.context].map((one) => one.close()));
  }, 180_000);

  test('a worker that lacks something is refused before anything is sent, and can be written anew', async () => {
    const { page, context, faults } = await site.enter(browser, 'manager', { expected: REFUSED });
    await list(page, 2);
    await button(page, 'Pools').click();
    await page.getByLabel('Address', { exact: true }).fill(POOL);
    await page.getByLabel('Worker', { exact: true }).fill('farm.{rack}');
    await inDialog(page, 'Next: what it would come to').click();
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'rack' }).waitFor();
    await inDialog(page, 'Back').click();
    expect(await page.getByLabel('Worker', { exact: true }).inputValue()).toBe('farm.{rack}');
    await page.getByLabel('Worker', { exact: true }).fill('farm.{mac}');
    await inDialog(page, 'Next: what it would come to').click();
    await page.getByText('2 miners get the task').waitFor();
    await inDialog(page, 'Cancel').click();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a new password is written twice, proven, and stands nowhere on the page', async () => {
    const device = site.farm.devices.find(({ driver }) => driver === 'antminer-stock');
    if (device === undefined) throw new Error('the farm has no such device');
    const { page, context, faults } = await site.enter(browser, 'manager', { size: 'phone' });
    const miner = (await site.json(MINER, 'miners')).find(({ ip }) => ip === device.ip);
    await page.goto(`${baseOf(page)}/miners/${miner?.id}`);
    await button(page, 'Password').click();
    await page.getByLabel('New password of the miners').fill(NEW_PASSWORD);
    await page.getByLabel('The same once more').fill('another');
    await inDialog(page, 'Next: what it would come to').click();
    await page.getByText('The two passwords differ.').waitFor();
    await page.getByLabel('The same once more').fill(NEW_PASSWORD);
    await inDialog(page, 'Next: what it would come to').click();
    await page.getByText('1 miner get').waitFor();
    await hold(inDialog(page, 'Password: 1 miner'));
    await page.getByText(/^1 proven/).waitFor({ timeout: 60_000 });
    expect(device.login?.password).toBe(NEW_PASSWORD);
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])');
    expect(`${kept}${await page.content()}`).not.toContain(NEW_PASSWORD);
    expect(faults).toEqual([]);
    await context.close();
  }, 120_000);

  test('an image goes to those that it fits by its name, and the others are named with the reason', async () => {
    const { page, context, faults } = await site.enter(browser, 'manager', { size: 'desktop' });
    await list(page, MINERS);
    await button(page, 'Firmware').click();
    await page.getByLabel('Name of the image').fill('whatsminer-m30s.bin');
    await inDialog(page, 'Next: what it would come to').click();
    await page.getByText(/miners get the task/).waitFor();
    const fits = Number(/\d+/.exec(await inSheet(page, 'get the task'))?.[0]);
    const leftOut = Number(/\d+/.exec(await inSheet(page, 'left out'))?.[0]);
    expect([fits > 0, leftOut > 0, fits + leftOut]).toEqual([true, true, MINERS]);
    await page.getByText(/is for whatsminer by its name, and the miner is of the make Antminer/).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('maintenance begins with a reason and an end, is undone, and is ended', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician', { size: 'phone' });
    await list(page, 5);
    const count = async (state: string) => (await site.json(MINER, 'miners', `state:${state}`)).length;
    const begin = async () => {
      await button(page, 'Maintenance').click();
      await page.getByLabel('Reason').fill('new fans');
      await page.getByLabel('Planned end').fill('2031-05-04T16:30');
      await inDialog(page, 'Begin: 5 miners').click();
      await page.getByText('5 miners are in maintenance now.').waitFor();
    };
    await begin();
    await until(
      () => count('maintenance'),
      (found) => found === 5,
    );
    await inDialog(page, 'Undo').click();
    await page.getByText('5 miners are back from maintenance.').waitFor();
    await until(
      () => count('maintenance'),
      (found) => found === 0,
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await begin();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.locator('.miner-link').first().click();
    await page
      .getByText(/Maintenance: new fans \(planned until May 4.* 16:30\)/)
      .first()
      .waitFor();
    await button(page, 'Maintenance').click();
    await inDialog(page, 'End maintenance: 1 miner').click();
    await page.getByText('1 miner is back from maintenance.').waitFor();
    await until(
      () => count('maintenance'),
      (found) => found === 4,
    );
    expect(faults).toEqual([]);
    await context.close();
  }, 120_000);

  test('a login that a scan found refused is entered, tried once, and kept only where it is accepted', async () => {
    const device = site.farm.devices.findLast(({ driver }) => driver === 'antminer-stock');
    if (device === undefined) throw new Error('the farm has no such device');
    device.setFault('wrong-password', true);
    const { page, context, faults } = await site.enter(browser, 'manager', { size: 'phone' });
    const scan = async () => {
      await page.goto(`${baseOf(page)}/scan`);
      await page.getByLabel(/^Ranges/).fill(device.ip);
      await page.locator('form').getByRole('button', { name: 'Scan' }).click();
      await page.getByText('Account · proven').waitFor({ timeout: 60_000 });
    };
    const enter = async (password: string) => {
      await button(page, 'Enter the login').click();
      await page.getByLabel('User').fill(device.login?.user ?? '');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await inDialog(page, 'Try it').click();
    };
    await scan();
    await enter('Not-the-one-3a1');
    await page.locator('.login-proof').getByText('refused', { exact: true }).waitFor({ timeout: 60_000 });
    const right = device.login?.password ?? '';
    await enter(right);
    await page.locator('.login-proof').getByText('accepted', { exact: true }).waitFor({ timeout: 60_000 });
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])');
    expect(`${kept}${await page.content()}`).not.toContain(right);
    await scan();
    await page.locator('summary', { hasText: 'identified (1)' }).waitFor();
    expect(await page.locator('summary', { hasText: 'login refused' }).count()).toBe(0);
    await site.pithead('audit', '--json').then(({ stdout }) => expect(stdout).not.toContain(right));
    expect(filesWith(right)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  }, 180_000);
});
