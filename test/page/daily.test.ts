// A technician's round on a phone and on a desktop, in a real browser, against the whole program and a simulated farm:
// coming in, finding what is ill, acting, and seeing it proven.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { violations } from './support/axe.ts';
import { BROWSER_PATH, hold, launch, type Size, type Visit, visit } from './support/browser.ts';
import { claim, PASSWORD, type PageSite, startSite } from './support/site.ts';

const NET = loopback(26);
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

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name });
describe.skipIf(BROWSER_PATH === undefined)('a round', () => {
  test('without a session there is only the login, which names the command for the first person', async () => {
    const { page, context, faults } = await visit(browser);
    await page.goto(`${site.url()}/f/${crypto.randomUUID()}/miners`);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('pithead people claim');
    await page.getByLabel('Name').fill('stranger');
    await page.getByLabel('Password').fill('not a password');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Name or password is wrong.').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('the first person comes in by the one-time address, logs out and in again', async () => {
    const { page, context, faults } = await visit(browser);
    const { code } = await site.people('claim');
    await claim(page, site.url(), { fragment: `claim:${code}`, name: 'Ada' });
    expect(page.url()).not.toContain(code);
    await link(page, 'Ada').click();
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('navigation').waitFor();
    const other = await visit(browser);
    await other.page.goto(`${site.url()}/claim#claim:${code}`);
    await other.page.getByLabel('Your name').fill('Eve');
    await other.page.getByLabel('New password').fill(PASSWORD);
    await other.page.getByLabel('The same password again').fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Begin' }).click();
    await other.page.getByText('This code was used already').waitFor();
    expect(faults).toEqual([]);
    await other.context.close();
    await context.close();
  });

  test.each<Size>(['phone', 'desktop'])('ill, located, rebooted, verified in five taps (%s)', async (size) => {
    const device = site.farm.devices[size === 'phone' ? 0 : 1];
    if (device === undefined) throw new Error('the farm is empty');
    const { page, context, faults } = await site.enter(browser, 'technician', { size });
    device.setFault('board-dead', true);
    await link(page, /Hashboard/)
      .first()
      .click();
    await link(page, new RegExp(device.ip.replaceAll('.', '\\.')))
      .first()
      .click();
    await page.getByRole('heading', { name: device.ip }).waitFor();
    await page.getByText('Hashboard', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Light', exact: true }).click();
    await until(
      () => device.truth().light_on,
      (isOn) => isOn === true,
    );
    device.setFault('board-dead', false);
    await hold(page.getByRole('button', { name: 'Reboot', exact: true }));
    await page.getByText(/goes out in \d s/).waitFor();
    await page.getByText(/Reboot: proven/).waitFor({ timeout: 60_000 });
    expect(faults).toEqual([]);
    await context.close();
  });

  test('an act for a whole list: the sheet counts who gets it, it goes to them, and each one is proven', async () => {
    const { page, context, faults } = await site.enter(browser, 'operator', { size: 'desktop' });
    await link(page, 'Miners').first().click();
    await page.locator('.list-acts').getByRole('button', { name: 'Light', exact: true }).click();
    await page.getByText('12 miners get the task').waitFor();
    await hold(page.getByRole('button', { name: 'Light: 12 miners', exact: true }));
    await page.getByText('12 proven').waitFor({ timeout: 60_000 });
    expect(site.farm.devices.filter((device) => device.truth().light_on).length).toBe(12);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('who takes a line of the worklist is seen by others, who take it over on purpose only', async () => {
    const device = site.farm.devices[2];
    if (device === undefined) throw new Error('the farm is empty');
    device.setFault('fan-stopped', true);
    const [ann, ben] = await Promise.all([
      site.enter(browser, 'technician', { size: 'phone' }),
      site.enter(browser, 'operator', { size: 'desktop' }),
    ]);
    const lineOf = ({ page }: Visit) => page.locator('.line-fan');
    const press = async (visited: Visit, name: string) => {
      await lineOf(visited).getByLabel('More').click();
      await lineOf(visited).getByRole('button', { name, exact: true }).click();
    };
    await press(ann, 'I take it');
    await lineOf(ann).getByText('you have it').waitFor();
    await lineOf(ben).getByText(`${ann.name} has it`).waitFor();
    expect(await violations(ben.page)).toEqual([]);

    await ann.page.getByRole('button', { name: 'Only mine (1)' }).click();
    expect(new URL(ann.page.url()).search).toBe('?mine');
    await ann.page.reload();
    await lineOf(ann).getByText('you have it').waitFor();

    await press(ben, `Take over from ${ann.name}`);
    await lineOf(ben).getByText('you have it').waitFor();
    await ann.page.getByRole('button', { name: 'Only mine (0)' }).waitFor();
    await lineOf(ann).waitFor({ state: 'detached' });
    await ann.page.getByRole('button', { name: 'Only mine (0)' }).click();
    await lineOf(ann).getByText(`${ben.name} has it`).waitFor();

    await press(ben, 'Release');
    await lineOf(ben).getByText('you have it').waitFor({ state: 'detached' });
    await lineOf(ann).getByText(`${ben.name} has it`).waitFor({ state: 'detached' });
    expect([...ann.faults, ...ben.faults]).toEqual([]);
    await Promise.all([ann.context.close(), ben.context.close()]);
  });
});
