// The farm of the pictures: what its service answers to the page is recorded, one scene per screen.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { until } from '../../e2e/until.ts';
import { visit } from './browser.ts';
import { record, type Scene } from './recorded.ts';
import { claim, type PageSite, startSite } from './site.ts';

const RACKS = ['C1-01', 'C1-02', 'C2-01', 'C2-02'];
const SLOTS = 10;
const ILL = 6;
const countSchema = z.looseObject({ ip: z.string() });
/** What the page says of itself while it is live does not stand in an answer; the others are asked again in time. */
const SETTLED_MS = 6_000;

export async function recordScenes(browser: Browser, network: string, folder: string): Promise<void> {
  const mix = 'antminer-b=3,whatsminer-2=2';
  const site = await startSite({ network, miners: RACKS.length * SLOTS, mix });
  try {
    await furnish(site);
    const { page, context } = await visit(browser, { size: 'desktop' });
    const { code } = await site.people('add', 'Ana', '--role', 'operator');
    await claim(page, site.url(), { fragment: `reset:${code}` });
    await page.waitForURL(/\/now$/);
    const recording = record(page);
    const base = page.url().replace(/\/now$/, '');
    const farmId = base.split('/').at(-1) ?? '';
    const keep = async (name: string, path: string, show: (page: Page) => Promise<void>) => {
      recording.begin();
      await page.goto(`${base}/${path}`);
      await show(page);
      await page.waitForTimeout(SETTLED_MS);
      const atMs = Number(await page.evaluate('Date.now()'));
      const scene: Scene = { atMs, path, farmId, answers: recording.answers() };
      writeFileSync(join(folder, `${name}.scene.txt`), `${JSON.stringify(scene, undefined, 2)}\n`);
    };
    const ill = page.locator('.work .line').first();
    await keep('now', 'now', () => ill.waitFor());
    await keep('miners', 'miners', () => page.locator('.miner-row').first().waitFor());
    await keep('map', 'map', () => page.locator('.links li').first().waitFor());
    const reboot = page.locator('.list-acts').getByRole('button', { name: 'Reboot', exact: true });
    await keep('act', 'miners?rack=C1-02', async () => {
      await reboot.click();
      await page.getByText(/get the task/).waitFor();
    });
    await page.goto(`${base}/miners?cause=hashboard`);
    await page.locator('.miner-link').first().click();
    await page.getByRole('heading', { name: 'Facts' }).waitFor();
    const miner = page.url().slice(base.length + 1);
    await keep('miner', miner, () => page.getByRole('heading', { name: 'Facts' }).waitFor());
    await keep('tasks', await rebootRack(site, page), () => page.locator('progress').waitFor());
    await context.close();
  } finally {
    await site.stop();
  }
}

/** Places all miners, and makes some of them ill. */
async function furnish(site: PageSite): Promise<void> {
  const run = async (...args: string[]) => {
    const { code, stderr } = await site.pithead(...args);
    if (code !== 0) throw new Error(`pithead ${args.join(' ')}: ${stderr}`);
  };
  for (const name of ['1', '2']) await run('container', 'add', name);
  for (const rack of RACKS)
    await run('rack', 'set', rack, '--container', rack.slice(1, 2), '--rows', '2', '--columns', String(SLOTS / 2));
  const rows = site.farm.devices.map(({ ip }, n) => `${ip},${RACKS[Math.floor(n / SLOTS)]},${(n % SLOTS) + 1}`);
  const csv = join(site.folder, 'places.csv');
  writeFileSync(csv, `ip,rack,position\n${rows.join('\n')}\n`);
  await run('position', 'import', csv);
  const fault = (n: number, name: 'board-dead' | 'fan-stopped' | 'hot' | 'pool-dead' | 'low-hashrate') =>
    site.farm.devices[n]?.setFault(name, true);
  fault(5, 'board-dead');
  fault(23, 'board-dead');
  fault(12, 'fan-stopped');
  for (const n of [30, 31, 32]) fault(n, 'pool-dead');
  await until(
    () => site.json(countSchema, 'miners', '--ill'),
    (ill) => ill.length === ILL,
  );
}

const batchSchema = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
const detailSchema = z.looseObject({ data: z.looseObject({ status: z.string() }) });
const sessionSchema = z.looseObject({
  data: z.looseObject({ farms: z.tuple([z.looseObject({ id: z.string(), workspace_id: z.string() })]) }),
});
const OVER = ['succeeded', 'partially_succeeded', 'failed', 'timeout'];

/** A reboot of a rack, which one miner does not take, and is over; its path below the farm. */
async function rebootRack(site: PageSite, page: Page): Promise<string> {
  const api = `${site.url()}/public-api/v2`;
  const session = sessionSchema.parse(await (await page.request.get(`${api}/session`)).json());
  const [{ id, workspace_id: workspaceId }] = session.data.farms;
  const batches = `${api}/workspaces/${workspaceId}/farms/${id}/task-batches`;
  site.farm.devices[SLOTS]?.setFault('ignores-reboot', true);
  const data = { task_name: 'miner.system.reboot', filter: { rack: { eq: 'C1-02' } } };
  const made = await page.request.post(batches, { data, headers: { origin: site.url() } });
  const [batch] = batchSchema.parse(await made.json()).data;
  await until(
    async () => detailSchema.parse(await (await page.request.get(`${batches}/${batch?.id}`)).json()).data.status,
    (status) => OVER.includes(status),
  );
  return `tasks/${batch?.id}`;
}
