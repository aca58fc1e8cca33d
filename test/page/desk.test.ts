// What a shift hands over and what a manager reads, in a real browser against the whole program and a simulated farm:
// changes with who did what, on the screen and on paper; the overview, whose counts are those of the lists behind it;
// and files that hold just what was filtered.
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, launch } from './support/browser.ts';
import { type PageSite, startSite } from './support/site.ts';

const NET = loopback(26);
const MINERS = 14;
let site: PageSite;
let browser: Browser;

const minerSchema = z.looseObject({ ip: z.string() });
const rowSchema = z.looseObject({ algorithm: z.string().nullable(), power_w: z.number().nullable() });

/** Where a folder is given, people can look at what was tested. */
const SHOTS = process.env.PITHEAD_SHOTS;
const shoot = async (page: Page, name: string) => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
};

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  [site, browser] = await Promise.all([startSite({ network: NET.network, miners: MINERS }), launch()]);
  for (const args of [
    ['container', 'add', 'C1'],
    ['rack', 'set', 'C1-01', '--container', 'C1', '--rows', '1', '--columns', '6'],
    ['rack', 'set', 'C1-02', '--container', 'C1', '--rows', '1', '--columns', '6'],
    ...[0, 1, 2].map((n) => ['position', 'set', device(n).ip, `C1-01/${n + 1}`]),
    ...[3, 4].map((n) => ['position', 'set', device(n).ip, `C1-02/${n + 1}`]),
  ])
    expect(await site.pithead(...args)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

function device(index: number) {
  const found = site.farm.devices[index];
  if (found === undefined) throw new Error(`device ${index}: the farm has ${MINERS} miners`);
  return found;
}
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const goTo = (page: Page, screen: string) => page.goto(page.url().replace(/(\/f\/[^/]+)\/.*$/, `$1/${screen}`));
const group = (page: Page, kind: string) => page.locator(`.change-${kind}`);

const illCount = async () => (await site.json(minerSchema, 'miners', '--ill')).length;

const changeSchema = z.looseObject({ kind: z.string().optional(), text: z.string().optional() });
/** Numbers of a text such as `3 of 14`. */
const numbersOf = (text: string) => (text.match(/\d+/g) ?? []).map(Number);
const shownCount = async (page: Page) => numbersOf(await page.locator('.list-head [role=status]').innerText());

/** As a browser keeps it. */
async function saved(page: Page, name: string): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  return readFileSync(await download.path());
}

describe.skipIf(BROWSER_PATH === undefined)('the desk', () => {
  test('changes: a flag that healed, one that is open, a reboot with the name of the person; and on paper', async () => {
    device(0).setFault('board-dead', true);
    device(3).setFault('board-dead', true);
    await until(illCount, (count) => count === 2);
    device(3).setFault('board-dead', false);
    await until(illCount, (count) => count === 1);
    const { page, context, faults, name } = await site.enter(browser, 'technician', { size: 'desktop' });
    await goTo(page, `miners/${await minerId(page, device(1).ip)}`);
    await button(page, 'Reboot').focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Reboot/ })
      .click();
    await until(
      () => site.json(changeSchema, 'changes'),
      (changes) => changes.some(({ kind, text }) => kind === 'task' && text?.includes('1 succeeded')),
    );
    await goTo(page, 'now');
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    await group(page, 'open').getByText(device(0).ip).first().waitFor();
    await group(page, 'healed').getByText(device(3).ip).first().waitFor();
    await group(page, 'task').locator('.change', { hasText: name }).getByText('1 succeeded').waitFor();
    expect(await group(page, 'location').locator('.change').count()).toBe(5);
    await shoot(page, 'changes-desktop');

    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const gone of ['nav.bottom', 'header.top', '.actions', 'summary'])
      for (const each of await page.locator(gone).all()) expect(await each.isVisible(), gone).toBe(false);
    expect(await page.locator('h1:visible').allInnerTexts()).toEqual([expect.stringContaining('Handover: ')]);
    expect(await page.locator('.print-only').innerText()).toContain(`Printed by ${name}`);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.evaluate('getComputedStyle(document.querySelector(".change-text")).color')).toBe('rgb(0, 0, 0)');
    await shoot(page, 'changes-print');
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });

    await group(page, 'open').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'C1-01-1', level: 1 }).waitFor();
    await page.goBack();
    await group(page, 'task').getByRole('link').first().click();
    await page.waitForURL(/\/tasks\/[0-9a-f-]+$/);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('the span stands in the address: a shift, hours, a moment; what is usual is 12 hours', async () => {
    const { page, context, faults } = await site.enter(browser, 'viewer');
    await goTo(page, 'changes');
    await group(page, 'open').waitFor();
    const current = () => page.locator('.act[aria-current]').innerText();
    expect(await current()).toBe('12 h');
    await shoot(page, 'changes-phone');
    await page.getByRole('link', { name: 'Shift, from 07:00' }).click();
    await page.waitForURL(/since=07%3A00$/);
    expect(await current()).toBe('Shift, from 07:00');
    await page.getByText('Another time').click();
    await page.getByLabel('The shift begins at').fill('19:30');
    await page.getByRole('link', { name: 'Shift, from 19:30' }).waitFor();
    await page.getByLabel('From', { exact: true }).fill('2026-01-31T06:00');
    await button(page, 'Show').click();
    await page.waitForURL(/since=2026-01-\S+Z$/);
    await page.locator('strong', { hasText: 'Jan 31, 2026, 06:00' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Shift, from 19:30' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test.each(['rack', 'container', 'model'])('the overview by %s: each line counts the list behind it', async (by) => {
    const { page, context, faults } = await site.enter(browser, 'viewer');
    await goTo(page, `overview?by=${by}`);
    const parts = page.locator('.part');
    await parts.first().waitFor();
    await shoot(page, `overview-${by}-phone`);
    if (by === 'rack') expect(await parts.first().innerText()).toContain('C1-01');
    let sum = 0;
    for (let index = 0; index < (await parts.count()); index++) {
      const [count = 0] = numbersOf(await parts.nth(index).locator('.part-count').innerText());
      await parts.nth(index).locator('.part-main').click();
      await page.locator('.miner-row').first().waitFor();
      expect(await shownCount(page)).toEqual([count, MINERS]);
      sum += count;
      await page.goBack();
      await parts.first().waitFor();
    }
    expect(sum).toBe(MINERS);
    await page.locator('.part-ill').first().click();
    await page.locator('.miner-row').first().waitFor();
    expect(await shownCount(page)).toEqual([1, MINERS]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('the overview says what it could not count, and its sums are those of the list', async () => {
    const { page, context, faults } = await site.enter(browser, 'viewer', { size: 'desktop' });
    await goTo(page, 'overview');
    await page.locator('.part').first().waitFor();
    const rows = await site.json(rowSchema, 'miners');
    const read = rows.filter(({ algorithm }) => algorithm === 'sha256');
    const without = read.filter(({ power_w }) => power_w === null).length;
    const powerW = read.reduce((sum, { power_w }) => sum + (power_w ?? 0), 0);
    await page.getByText(`${without} of ${MINERS} without a power reading`).waitFor();
    await page
      .getByText(`${(powerW / 1_000).toFixed(1)} kW`)
      .first()
      .waitFor();
    await shoot(page, 'overview-desktop');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a viewer exports just what is filtered, as CSV and as a workbook', async () => {
    const { page, context, faults } = await site.enter(browser, 'viewer', { size: 'desktop' });
    await goTo(page, 'miners?rack=C1-01');
    await page.locator('.miner-row').first().waitFor();
    await page.locator('.list-export summary').click();
    await shoot(page, 'list-export');
    const [head = [], ...rows]: string[][] = parse(await saved(page, 'CSV'), { bom: true });
    const of = (title: string) => rows.map((row) => row[head.indexOf(title)]);
    expect(of('address')).toEqual([0, 1, 2].map((n) => device(n).ip));
    expect(of('rack')).toEqual(['C1-01', 'C1-01', 'C1-01']);
    expect(head).toEqual(expect.arrayContaining(['rate TH/s', 'power W', 'worker', 'flags', 'seen']));
    const files = unzipSync(await saved(page, 'Excel'));
    const sheet = new TextDecoder().decode(files['xl/worksheets/sheet1.xml']);
    expect(sheet.match(/<row /g)).toHaveLength(1 + 3);
    await page.getByText(/^Saved: miners-.*xlsx$/).waitFor();
    await page.locator('.miner-row input').nth(1).check();
    const [, ...chosen]: string[][] = parse(await saved(page, 'CSV'), { bom: true });
    expect(chosen.map((row) => row[head.indexOf('address')])).toEqual([device(1).ip]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a list for a walk: the filter in the order of the racks, with boxes to tick', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician');
    await goTo(page, 'miners?container=C1');
    await page.locator('.list-export summary').click();
    await page.getByRole('link', { name: 'Walk list for print' }).click();
    await page.locator('.walk-list').first().waitFor();
    await shoot(page, 'walk-list-phone');
    expect(await page.locator('h2').allInnerTexts()).toEqual(['C1 C1-01', 'C1 C1-02']);
    expect(await page.locator('.tick').count()).toBe(5);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('nav.bottom').isVisible()).toBe(false);
    expect(await page.locator('.walk-list').first().isVisible()).toBe(true);
    await shoot(page, 'walk-list-print');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('the picture of the map, painted where something has changed, is that which a new one is', async () => {
    const { page, context, faults } = await site.enter(browser, 'viewer');
    await goTo(page, 'map?by=flags');
    const texts = async () => (await page.locator('.links li').allInnerTexts()).map((text) => text.replace('\n', ': '));
    const painted = () => page.evaluate<string>('document.querySelector("canvas").toDataURL()');
    /** As it is after the changes, and as a page that is loaded then paints it. */
    const becomes = async (...wanted: readonly string[]) => {
      await expect.poll(texts, { timeout: 60_000 }).toEqual(wanted);
      const shown = await painted();
      await page.reload();
      await expect.poll(texts, { timeout: 30_000 }).toEqual(wanted);
      expect(await painted()).toBe(shown);
      return shown;
    };
    // A second try begins as the first one did.
    device(4).setFault('board-dead', false);
    for (const args of [
      ['position', 'clear', device(5).ip],
      ['position', 'set', device(3).ip, 'C1-02/4'],
    ])
      expect(await site.pithead(...args)).toMatchObject({ code: 0 });
    device(0).setFault('board-dead', true);
    const first = 'C1-01: 2 good, 1 not good, 3 empty';
    const seen = [await becomes(first, 'C1-02: 2 good, 4 empty')];
    device(4).setFault('board-dead', true);
    seen.push(await becomes(first, 'C1-02: 1 good, 1 not good, 4 empty'));
    device(4).setFault('board-dead', false);
    expect(await site.pithead('position', 'set', device(5).ip, 'C1-02/6')).toMatchObject({ code: 0 });
    expect(await site.pithead('position', 'clear', device(3).ip)).toMatchObject({ code: 0 });
    seen.push(await becomes(first, 'C1-02: 2 good, 4 empty'));
    await page.emulateMedia({ colorScheme: 'dark' });
    device(4).setFault('board-dead', true);
    seen.push(await becomes(first, 'C1-02: 1 good, 1 not good, 4 empty'));
    expect(new Set(seen).size).toBe(seen.length);
    expect(faults).toEqual([]);
    await context.close();
  });
});

/** By its address in the list. */
async function minerId(page: Page, ip: string): Promise<string> {
  await goTo(page, `miners?q=${ip}`);
  const link = page.locator('.miner-link', { hasText: ip }).first();
  return (await link.getAttribute('href'))?.split('/').at(-1) ?? '';
}
