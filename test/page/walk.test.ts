// A technician places miners along a rack without touching the phone, undoes, swaps, and finds miners by their lights;
// and a viewer sees the rack on the map. In a real browser, against the whole program and simulated miners whose
// buttons are pressed.
import { createSocket } from 'node:dgram';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, launch } from './support/browser.ts';
import { type PageSite, startSite } from './support/site.ts';

const NET = loopback(26);
const MINERS = 14;
const SLOTS = 10;
/** Where Antminers send what their button says. */
const REPORTS = 14_235;
let site: PageSite;
let browser: Browser;
let reportPort: number;

const rackSchema = z.looseObject({
  slots: z.array(z.looseObject({ position: z.int(), miner: z.looseObject({ ip: z.string() }).nullable() })),
});

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  reportPort = await freeUdpPort();
  const portMap = { ...(await suitablePortMap()), [REPORTS]: reportPort };
  const config = { portMap, scan: { maxPerSecond: 50_000, ipReports: true } };
  [site, browser] = await Promise.all([
    startSite({ network: NET.network, miners: MINERS, mix: 'antminer-b=1', config }),
    launch(),
  ]);
  for (const args of [
    ['container', 'add', '1'],
    ['rack', 'set', 'C03', '--container', '1', '--rows', '2', '--columns', '5'],
    ['rack', 'set', 'C04', '--container', '1', '--rows', '1', '--columns', '4'],
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
const press = (index: number) => site.farm.pressIpReport(device(index).ip, { host: '127.0.0.1', port: reportPort });
const asked = (page: Page) => page.locator('.walk-number strong');
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const goTo = (page: Page, screen: string) => page.goto(page.url().replace(/(\/f\/[^/]+)\/.*$/, `$1/${screen}`));
/** Buttons count from now on. */
const isHeard = (page: Page) => page.waitForResponse((response) => response.url().includes('type=ip_reported'));
/** Addresses by the slots of a rack in which miners stand. */
async function standing(name: string): Promise<Readonly<Record<number, string>>> {
  const [rack] = await site.json(rackSchema, 'rack', 'show', name);
  const slots = rack?.slots ?? [];
  return Object.fromEntries(slots.flatMap(({ position, miner }) => (miner === null ? [] : [[position, miner.ip]])));
}

describe.skipIf(BROWSER_PATH === undefined)('a walk', () => {
  test('ten miners are placed by their buttons, in order, without a touch; the last one can be undone', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician');
    const heard = isHeard(page);
    await goTo(page, 'walk/C03');
    await heard;
    for (let slot = 1; slot <= SLOTS; slot += 1) {
      await expect.poll(() => asked(page).innerText(), { timeout: 15_000 }).toBe(String(slot));
      await press(slot - 1);
    }
    await page.getByText('No empty slot is left').waitFor();
    const wanted = Object.fromEntries(Array.from({ length: SLOTS }, (_, index) => [index + 1, device(index).ip]));
    expect(await standing('C03')).toEqual(wanted);
    await page.getByText('10 miners placed').waitFor();
    await button(page, 'Undo').click();
    await page.getByText(`${device(SLOTS - 1).ip} is back: no rack.`).waitFor();
    expect(await asked(page).innerText()).toBe(String(SLOTS));
    expect(Object.keys(await standing('C03'))).toHaveLength(SLOTS - 1);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a held slot asks before it swaps, and a miner is placed by its last digits', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician');
    const heard = isHeard(page);
    await goTo(page, 'walk/C03');
    await heard;
    const [holder, other] = [device(0), device(11)];
    await button(page, /^C03-1, held by/).click();
    await press(11);
    await page.getByText(`C03-1 is held by ${holder.ip}. Put ${other.ip} there?`).waitFor();
    await button(page, 'No').click();
    expect((await standing('C03'))[1]).toBe(holder.ip);
    await page.getByLabel('By hand').fill(other.ip.split('.').slice(-2).join('.'));
    await button(page, new RegExp(`^${other.ip.replaceAll('.', '\\.')} `)).click();
    await button(page, 'Swap').click();
    await page.getByText(`C03-1 ← ${other.ip}`).waitFor();
    expect((await standing('C03'))[1]).toBe(other.ip);
    await button(page, 'Undo').click();
    await page.getByText(`${other.ip} is back: no rack.`).waitFor();
    expect((await standing('C03'))[1]).toBe(holder.ip);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('by light: one miner without a location after the other shines, and the slot that is tapped gets it', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician');
    await goTo(page, 'walk/C04');
    await button(page, 'By light').click();
    const placed: string[] = [];
    for (const slot of [3, 1]) {
      const lit = await until(
        () => site.farm.devices.find((one) => one.truth().light_on === true && !placed.includes(one.ip)),
        (found) => found !== undefined,
      );
      if (lit === undefined) throw new Error('no light is on');
      await page.getByText(`The light of ${lit.ip} goes on`).waitFor();
      await button(page, `C04-${slot}, empty`).click();
      await page.getByText(`C04-${slot} ← ${lit.ip}`).waitFor();
      expect((await standing('C04'))[slot]).toBe(lit.ip);
      placed.push(lit.ip);
    }
    await button(page, 'End lights').click();
    await until(
      () => site.farm.devices.filter((one) => one.truth().light_on === true).length,
      (count) => count === 0,
    );
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a container and a rack are added, the rack is walked along, and removed', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician');
    await goTo(page, 'locations');
    await page.getByLabel('Add a container').fill('2');
    await button(page, 'Save').click();
    await page.getByText('0 racks').waitFor();
    await button(page, 'Add a rack').click();
    await page.getByLabel('Name').fill('D 1/2');
    await page
      .getByRole('dialog')
      .getByLabel(/^Container/)
      .selectOption('2');
    await page.getByLabel('Rows').fill('3');
    await page.getByLabel('Columns').fill('2');
    await page.getByLabel('Slot 1 is').selectOption('bottom-left');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const line = page.getByRole('listitem').filter({ hasText: 'D 1/2' });
    await line.getByText('3 × 2 slots').waitFor();
    await line.getByRole('link', { name: 'Walk' }).click();
    await page.getByText('row 3, column 1').waitFor();
    await page.goBack();
    await line.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await line.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe.skipIf(BROWSER_PATH === undefined)('the map', () => {
  test('shows each slot with its mark, goes from slot to slot by arrow keys, and to the miner', async () => {
    const { page, context, faults } = await site.enter(browser, 'viewer', { size: 'desktop' });
    await goTo(page, 'map');
    await page.getByRole('link', { name: /^C03 / }).waitFor();
    await page.locator('canvas').click({ position: { x: 10, y: 50 } });
    await page.getByRole('heading', { name: 'Map: rack C03' }).waitFor();
    expect(await page.getByRole('link', { name: 'Walk' }).count()).toBe(0);
    await page.getByRole('link', { name: /^C03-1, good/ }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator(':focus').innerText()).toContain('C03-7');
    await page.getByRole('button', { name: 'C03-10, empty' }).waitFor();
    device(1).setFault('board-dead', true);
    await page.getByLabel('Coloured by').selectOption('flags');
    await page.getByRole('link', { name: /^C03-2, ill/ }).click();
    await page.getByRole('heading', { name: 'C03-2' }).waitFor();
    device(1).setFault('board-dead', false);
    expect(faults).toEqual([]);
    await context.close();
  });
});
