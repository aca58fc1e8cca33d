// Without a network notes and places wait on the device, are sent once when it is back, and nothing is shown as done
// before; orders to devices never wait. A photo of a sticker names a miner. And a control board that was changed: the
// place goes on with the new unit.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, launch } from './support/browser.ts';
import { freePort, type PageSite, startSite } from './support/site.ts';

const NET = loopback(26);
const MINERS = 8;
let site: PageSite;
let browser: Browser;

const rackSchema = z.looseObject({
  slots: z.array(
    z.looseObject({ position: z.int(), miner: z.looseObject({ ip: z.string(), mac: z.string() }).nullable() }),
  ),
});
const minerSchema = z.looseObject({ ip: z.string(), mac: z.string().nullable(), is_online: z.boolean() });

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  const port = await freePort();
  const wanted = { network: NET.network, port, miners: MINERS, mix: 'antminer-b=1' };
  [site, browser] = await Promise.all([startSite(wanted), launch()]);
  for (const args of [
    ['container', 'add', '1'],
    ['rack', 'set', 'C03', '--container', '1', '--rows', '2', '--columns', '3'],
    ['position', 'set', device(0).ip, 'C03/1'],
  ])
    expect(await site.pithead(...args)).toMatchObject({ code: 0 });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

function device(index: number) {
  const found = site.farm.devices[index];
  if (found === undefined) throw new Error(`device ${index}: the farm has ${MINERS} miners`);
  return found;
}
const base = (page: Page) => page.url().replace(/(\/f\/[^/]+)\/.*$/, '$1');
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const shortOf = (ip: string) => ip.split('.').slice(-2).join('.');
/** Addresses by the slots of the rack in which miners stand. */
async function standing(by: 'ip' | 'mac' = 'ip'): Promise<Readonly<Record<number, string>>> {
  const [rack] = await site.json(rackSchema, 'rack', 'show', 'C03');
  const slots = rack?.slots ?? [];
  return Object.fromEntries(slots.flatMap(({ position, miner }) => (miner === null ? [] : [[position, miner[by]]])));
}
async function openMiner(page: Page, ip: string): Promise<void> {
  await page.goto(`${base(page)}/find`);
  await page.getByRole('searchbox').fill(ip);
  await page.locator('.miner-card').first().click();
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
}

describe.skipIf(BROWSER_PATH === undefined)('without a network', () => {
  test('a note waits, also for a page that is opened anew, and is written once; a reboot never waits', async () => {
    const { page, context } = await site.enter(browser, 'technician', { expected: /./ });
    await openMiner(page, device(0).ip);
    await context.setOffline(true);
    await page.getByLabel('New note').fill('fan ordered');
    await button(page, 'Add').click();
    await page.getByText(/fan ordered: waits for the network/).waitFor();
    await page.getByText('1 change waits for the network').waitFor();
    await button(page, 'Light').click();
    await page.getByText(/No answer to Light/).waitFor();
    expect(await page.getByText(/waits? for the network/).count()).toBe(2);
    const orders: string[] = [];
    const notes: (string | undefined)[] = [];
    context.on('request', (request) => {
      if (request.method() !== 'POST') return;
      if (request.url().endsWith('/task-batches')) orders.push(request.url());
      if (request.url().endsWith('/notes')) notes.push(request.headers()['idempotency-key']);
    });
    // Its first answer is lost on the way.
    let isLost = false;
    await context.route(/\/notes$/, async (route) => {
      if (isLost) return route.continue();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await page.goto('about:blank').catch(() => {});
    await context.setOffline(false);
    await page.goto(`${site.url()}/`);
    await page.getByText('1 change waits for the network').waitFor();
    await page.getByText('1 change waits for the network').waitFor({ state: 'detached', timeout: 30_000 });
    await openMiner(page, device(0).ip);
    await expect.poll(() => page.getByText('fan ordered').count()).toBeGreaterThan(0);
    expect(
      await page
        .locator('.events li')
        .filter({ hasText: /: fan ordered$/ })
        .count(),
    ).toBe(1);
    expect(notes.length).toBeGreaterThanOrEqual(2);
    expect(new Set(notes).size).toBe(1);
    expect(orders).toEqual([]);
    await context.close();
  });

  test('a walk goes on by hand; places wait, are taken when the network is back, and what is not is said', async () => {
    const { page, context } = await site.enter(browser, 'technician', { expected: /./ });
    await page.goto(`${base(page)}/walk/C03`);
    await page.getByText('row 1, column 2').waitFor();
    await context.setOffline(true);
    for (const index of [1, 2]) {
      await page.getByLabel('By hand').fill(shortOf(device(index).ip));
      await button(page, new RegExp(`^${device(index).ip.replaceAll('.', '\\.')}`)).click();
      await page.getByText(`C03-${index + 1} ← ${device(index).ip}: waits for the network`).waitFor();
    }
    await page.getByText('2 changes wait for the network').waitFor();
    await button(page, 'C03-2, waits for the network').waitFor();
    expect(await page.getByText(/miners? placed/).count()).toBe(0);
    expect(await standing()).toEqual({ 1: device(0).ip });
    // Meanwhile another person gives one of the slots away.
    await site.pithead('position', 'set', device(5).ip, 'C03/3');
    await context.setOffline(false);
    await page.getByText('1 change was not taken').waitFor({ timeout: 30_000 });
    expect(await standing()).toEqual({ 1: device(0).ip, 2: device(1).ip, 3: device(5).ip });
    await page.getByRole('status').getByRole('button', { name: 'Show' }).click();
    await page.getByText(/C03-3 ← .*: not taken: .*C03-3/).waitFor();
    await button(page, 'Discard').click();
    await page.getByText('1 change was not taken').waitFor({ state: 'detached' });
    await context.close();
  });
});

/** A browser that reads codes: what stands in the file is what the codes say. */
const READS_CODES = `window.BarcodeDetector = class { detect() { return Promise.resolve(window.codes); } };
window.createImageBitmap = async (photo) => {
  window.codes = (await photo.text()).split('\\n').filter((code) => code !== '').map((rawValue) => ({ rawValue }));
  return { close() {} };
};`;

/** A picture of one code, as a printer of labels makes it. */
async function stickerOf(format: 'Code128' | 'QRCode', text: string) {
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(WRITER)).buffer } });
  const { image, error } = await writeBarcode(text, { format, scale: 4 });
  if (image === null) throw new Error(`make a ${format}: ${error}`);
  return { name: 'sticker.png', mimeType: 'image/png', buffer: Buffer.from(await image.arrayBuffer()) };
}
const WRITER = fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm'));

describe.skipIf(BROWSER_PATH === undefined)('a photo of a sticker', () => {
  const photoOf = (text: string) => ({ name: 'sticker.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(text) });

  test('names the miner in Find and on a walk', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician');
    await context.addInitScript(READS_CODES);
    await page.goto(`${base(page)}/find`);
    const photo = page.getByLabel('Photo of the sticker');
    await photo.setInputFiles(photoOf(''));
    await page.getByText('No code was found on the photo.').waitFor();
    // Which code is that of a miner is known only after the miners have come.
    const held: Route[] = [];
    await page.route(/\/board(\?|$)/, (route) => void held.push(route));
    await page.reload();
    await photo.setInputFiles(photoOf(`S19-104\n${device(3).truth().mac.replaceAll(':', '')}`));
    await page.getByText('Reading the photo…').waitFor();
    await held.at(-1)?.continue();
    await expect.poll(() => page.locator('.miner-card').count()).toBe(1);
    expect(await page.locator('.miner-card').innerText()).toContain(device(3).ip);
    await page.unroute(/\/board(\?|$)/);
    await page.goto(`${base(page)}/walk/C03`);
    await photo.setInputFiles(photoOf(device(3).truth().mac));
    await button(page, new RegExp(`^${device(3).ip.replaceAll('.', '\\.')}`)).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('is read where the browser reads no codes, by what comes from the service alone', async () => {
    const { page, context, faults } = await site.enter(browser, 'technician', {
      expected: /wasm|ArrayBuffer|Failed to load/,
    });
    await context.addInitScript('delete window.BarcodeDetector');
    const photo = page.getByLabel('Photo of the sticker');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await page.goto(`${base(page)}/find`);
    await photo.waitFor({ state: 'attached' });
    expect(asked.filter((url) => url.endsWith('.wasm'))).toEqual([]);
    await page.route('**/*.wasm', (route) => route.abort());
    await photo.setInputFiles(await stickerOf('Code128', device(2).truth().mac.replaceAll(':', '')));
    await page.getByText('The reader of codes could not be loaded.').waitFor();
    await page.unroute('**/*.wasm');
    for (const [format, index] of [
      ['Code128', 2],
      ['QRCode', 3],
    ] as const) {
      await photo.setInputFiles(await stickerOf(format, device(index).truth().mac.replaceAll(':', '')));
      await page.locator('.miner-card', { hasText: device(index).ip }).waitFor();
      expect(await page.locator('.miner-card').count()).toBe(1);
    }
    await photo.setInputFiles({ name: 'dark.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(500) });
    await page.getByText('No code was found on the photo.').waitFor();
    expect(new Set(asked.map((url) => new URL(url).origin))).toEqual(new Set([new URL(site.url()).origin]));
    expect(faults).toEqual([]);
    await context.close();
  });
});

// The last: the clock of the host is another one afterwards.
describe.skipIf(BROWSER_PATH === undefined)('a board swap', () => {
  test('the new unit takes over place, notes and history of the silent one, after a question', async () => {
    const [old, unit] = [device(0), device(6)];
    const { ip } = old;
    const [oldMac, unitMac] = [old.truth().mac, unit.truth().mac];
    expect(await site.pithead('note', ip, 'board ordered')).toMatchObject({ code: 0 });
    old.setFault('hangs', true);
    await site.farm.move(ip, NET.ip(60));
    await site.farm.move(unit.ip, ip);
    const find = async (mac: string) => (await site.json(minerSchema, 'miners', mac))[0];
    await site.restart(5 * 60_000);
    await until(
      async () => [await find(unitMac), await find(oldMac)].map((miner) => miner?.is_online),
      ([isNew, isOld]) => isNew === true && isOld === false,
    );
    const viewer = await site.enter(browser, 'viewer');
    await openMiner(viewer.page, ip);
    expect(await viewer.page.getByRole('heading', { name: 'Board swap' }).count()).toBe(0);
    await viewer.context.close();
    const { page, context, faults } = await site.enter(browser, 'technician');
    await page.goto(`${base(page)}/find`);
    await page.getByRole('searchbox').fill(unitMac);
    await page.locator('.miner-card').first().click();
    await button(page, 'It stands where another one stood…').click();
    await button(page, /^C03-1 /).click();
    await page.getByRole('heading', { name: `${ip} where C03-1 stood: same chassis?` }).waitFor();
    await page.getByText('Location C03-1, notes and history go on with the new unit.').waitFor();
    expect((await standing('mac'))[1]).toBe(oldMac);
    await button(page, 'Same chassis').click();
    await page.getByRole('heading', { name: 'C03-1' }).waitFor();
    await page.getByText(unitMac, { exact: true }).waitFor({ timeout: 30_000 });
    await expect.poll(() => page.getByText('board ordered').count(), { timeout: 30_000 }).toBeGreaterThan(0);
    expect((await standing('mac'))[1]).toBe(unitMac);
    expect(faults).toEqual([]);
    await context.close();
  });
});
