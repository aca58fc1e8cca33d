// Every screen for every role: it opens or says that the role may not, the acts that are there are those that the role
// may do, and the page asks nothing that the service refuses. The screens are those of the frame of a farm and the
// permissions those of the table of routes: a new screen has to be entered here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { enoughFor, type Permission, permissionsOf, ROLES } from '../../src/model/permissions/permissions.ts';
import { type Needed, RULES } from '../../src/service/auth/rules.data.ts';
import { loopback } from '../support/loopback.ts';
import { BROWSER_PATH, follow, launch } from './support/browser.ts';
import { type PageSite, startSite } from './support/site.ts';

const NET = loopback(27);
const FRAME = join(import.meta.dirname, '../../src/page/screens/entry/farm-frame.tsx');
const ROUTES = [...readFileSync(FRAME, 'utf8').matchAll(/<Route path="([^"]+)"/g)].map(([, path = '']) => path);

type Screen = {
  /** Of whom may not it is not shown. */
  readonly needs?: Permission;
  /** What it can do, by the names of its buttons and links; each is there for exactly those who may. */
  readonly acts?: Readonly<Record<string, Permission>>;
  /** Shown when it is drawn, to who may see it. Default: its heading. */
  readonly drawn?: string;
};

const LIST_ACTS: Readonly<Record<string, Permission>> = {
  ...{ Light: 'tasks.light', Refresh: 'tasks.refresh', Reboot: 'tasks.reboot' },
  ...{ Sleep: 'tasks.power_mode', Wake: 'tasks.power_mode', Pools: 'tasks.pools_saved' },
  ...{ Firmware: 'tasks.firmware', Password: 'tasks.password', Maintenance: 'miners.update' },
};

/** By the routes of the frame. What one route names by an id is that which the site has. */
const SCREENS: Readonly<Record<string, Screen>> = {
  '/now': { drawn: '.counts' },
  '/find': {},
  '/miners': { acts: LIST_ACTS, drawn: '.miner-row' },
  '/miners/:id': {
    acts: { ...LIST_ACTS, 'Light off': 'tasks.light', Log: 'tasks.log', Add: 'miners.update' },
    drawn: 'h2:text("Facts")',
  },
  '/tasks': { drawn: '.work li' },
  '/tasks/:id': { drawn: 'progress' },
  '/scan': { acts: { Scan: 'tasks.scan' }, drawn: '.work li' },
  '/scan/:id': {},
  '/locations': { acts: { 'Add a rack': 'miners.update', Walk: 'miners.update' }, drawn: '.places li' },
  '/walk/:rack': { acts: { Skip: 'miners.update' }, needs: 'miners.update', drawn: '.walk-slot' },
  '/map': {},
  '/map/:rack': { acts: { Walk: 'miners.update' }, drawn: '.rack' },
  '/account': { drawn: 'h2' },
  '/more': {
    acts: {
      ...{ People: 'people.update', 'Who did what': 'audit.read', Pools: 'tasks.pools_saved', Changes: 'events.read' },
      ...{ Webhooks: 'webhooks.update', 'API keys': 'keys.update' },
    },
  },
  '/people': { needs: 'people.update', drawn: '.work li' },
  '/people/:id': { needs: 'people.update' },
  '/audit': { needs: 'audit.read', drawn: '.work li' },
  '/pools': { needs: 'tasks.pools_saved' },
  '/webhooks': { needs: 'webhooks.update' },
  '/keys': { needs: 'keys.update' },
  '/settings': {},
  '/about': {},
  '/changes': { needs: 'events.read' },
  '/overview': {},
  '/walk-list': {},
  '/help/:topic?': {},
};

let site: PageSite;
let browser: Browser;
const idSchema = z.looseObject({ id: z.string() });
const listSchema = z.looseObject({ data: z.array(idSchema) });

beforeAll(async () => {
  if (BROWSER_PATH === undefined) return;
  [site, browser] = await Promise.all([startSite({ network: NET.network, miners: 4 }), launch()]);
  await site.pithead('container', 'add', '1');
  await site.pithead('rack', 'set', 'C03', '--container', '1', '--rows', '1', '--columns', '4');
  await giveTasks();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});

test('each screen of the frame is entered here, and no other', () => {
  expect(Object.keys(SCREENS).toSorted()).toEqual(ROUTES.toSorted());
});

const mayBy = (has: readonly Permission[]) => (needed: Permission) =>
  enoughFor(needed).some((each) => has.includes(each));

/** What the service needs of who asks this; undefined = it is no question to a farm or a workspace. */
function neededFor(method: string, path: string): Needed | undefined {
  const parts = path.split('/');
  const rule = Object.entries(RULES).find(([route]) => {
    const [verb, pattern = ''] = route.split(' ');
    const wanted = pattern.split('/');
    const fits = (part: string, index: number) => part.startsWith(':') || part === parts[index];
    return verb === method && wanted.length === parts.length && wanted.every(fits);
  });
  return rule?.[1].access === 'key' ? rule[1].permission : undefined;
}

type Asked = { readonly method: string; readonly path: string; readonly status: number };

function listen(page: Page): Asked[] {
  const asked: Asked[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    const isApi = pathname.startsWith('/public-api/');
    if (isApi) asked.push({ method: response.request().method(), path: pathname, status: response.status() });
  });
  return asked;
}

const sessionSchema = z.looseObject({
  data: z.looseObject({ farms: z.tuple([z.looseObject({ id: z.string(), workspace_id: z.string() })]) }),
});

/** Asks as the person of this page, with what the session cookie allows. */
async function askerOf(page: Page) {
  const api = `${site.url()}/public-api/v2`;
  const session = sessionSchema.parse(await (await page.request.get(`${api}/session`)).json());
  const [{ id, workspace_id: workspaceId }] = session.data.farms;
  const headers = { origin: site.url() };
  return {
    farmId: id,
    farm: `farms/${id}`,
    /** The ids of what is there. */
    async ids(path: string, data?: object): Promise<readonly string[]> {
      const url = `${api}/workspaces/${workspaceId}/${path}`;
      const answer = data === undefined ? page.request.get(url) : page.request.post(url, { data, headers });
      const read = listSchema.safeParse(await (await answer).json());
      return read.success ? read.data.data.map((each) => each.id) : [];
    },
  };
}

/** A scan and a light that the service knows of. */
async function giveTasks(): Promise<void> {
  const { page, context } = await site.enter(browser, 'admin');
  const { ids, farm } = await askerOf(page);
  const orders = [
    { task_name: 'agent.scan.create', agent_ids: await ids(`${farm}/agents`) },
    { task_name: 'miner.light.update', miner_ids: await ids(`${farm}/miners`), params: { on: true } },
  ];
  for (const order of orders) expect(await ids(`${farm}/task-batches`, order)).toHaveLength(1);
  await context.close();
}

/** A real address for each route. */
async function addressesOf(page: Page): Promise<(route: string) => string> {
  const { ids, farm, farmId } = await askerOf(page);
  const search = { page_size: 1, task_name: { eq: 'agent.scan.create' } };
  const found: Readonly<Record<string, string | undefined>> = {
    '/miners/:id': (await ids(`${farm}/miners`))[0],
    '/tasks/:id': (await ids(`${farm}/task-batches`))[0],
    '/scan/:id': (await ids(`${farm}/task-batches/search`, search))[0],
    '/people/:id': (await ids('people'))[0],
  };
  return (route) => {
    const path = route
      .replace(':id', found[route] ?? 'none')
      .replace(':rack', 'C03')
      .replace('/:topic?', '');
    return `${site.url()}/f/${farmId}${path}`;
  };
}

async function expectScreen(page: Page, screen: Screen, may: (needed: Permission) => boolean): Promise<void> {
  const isOpen = screen.needs === undefined || may(screen.needs);
  if (isOpen)
    await page
      .locator(screen.drawn ?? 'main h1')
      .first()
      .waitFor({ state: 'attached' });
  else await page.getByText('Your role does not allow this.').waitFor();
  await expectActs(page, screen, may);
  if (!isOpen) expect(await page.locator('main button').count()).toBe(0);
}

async function expectActs(page: Page, { acts = {} }: Screen, may: (needed: Permission) => boolean): Promise<void> {
  for (const [name, needed] of Object.entries(acts)) {
    const main = page.locator('main');
    const act = main.getByRole('button', { name, exact: true }).or(main.getByRole('link', { name, exact: true }));
    if (may(needed)) await act.first().waitFor();
    else expect(await act.count(), name).toBe(0);
  }
}

describe.skipIf(BROWSER_PATH === undefined).each(ROLES)('%s', (role) => {
  test('sees the screens that it may see, with the acts that it may do, and nothing is refused', async () => {
    const { page, context, faults } = await site.enter(browser, role, { size: 'desktop' });
    const may = mayBy(permissionsOf(role));
    const addressOf = await addressesOf(page);
    const asked = listen(page);
    for (const [route, screen] of Object.entries(SCREENS)) {
      await follow(page, addressOf(route));
      await expectScreen(page, screen, may).catch((error: unknown) => {
        throw new Error(`${route}: ${String(error)}`);
      });
    }
    const refused = asked.filter(({ status }) => status === 403 || status === 404);
    expect(refused).toEqual([]);
    const beyond = asked.filter(({ method, path }) => {
      const needed = neededFor(method, path);
      return needed !== undefined && needed !== 'any' && needed !== 'any-task' && !may(needed);
    });
    expect(beyond).toEqual([]);
    expect(asked.filter(({ method, path }) => neededFor(method, path) !== undefined).length).toBeGreaterThan(10);
    expect(faults).toEqual([]);
    await context.close();
  });
});
