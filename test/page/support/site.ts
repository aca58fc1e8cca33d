// A simulated farm with the whole program beside it, its first admin, and people of other roles, for tests of the page.

import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { type ProgramSite, startProgram } from '../../e2e/program-site.ts';
import { until } from '../../e2e/until.ts';
import { type Visit, visit } from './browser.ts';

export const PASSWORD = 'a long enough one';
const madeSchema = z.looseObject({ code: z.string(), url: z.string() });
const minerSchema = z.looseObject({ ip: z.string(), is_online: z.boolean() });

export type PageSite = ProgramSite & {
  /** As the program prints it when it has started. */
  url(): string;
  /** What `pithead people …` prints. */
  people(...args: string[]): Promise<z.infer<typeof madeSchema>>;
  /** Goes to the first screen of the farm as a person of this role. */
  enter(browser: Browser, role: string, options?: Parameters<typeof visit>[1]): Promise<Visit & { name: string }>;
};

type SiteOptions = {
  readonly network: string;
  readonly port?: number;
  readonly miners?: number;
  readonly mix?: string;
  readonly config?: Readonly<Record<string, unknown>>;
};

/** Ready when every miner has been read. */
export async function startSite({
  network,
  port,
  miners = 12,
  mix = 'antminer-b=1,whatsminer-2=1',
  config,
}: SiteOptions) {
  const site = await startProgram({
    ...(port !== undefined && { port }),
    farm: { miners, mix, network, seed: 1, noise: 0, noiseStepS: 1, bootS: 2, warmUpS: 1 },
    config: () => ({
      poll: { interval: '2s', slowEvery: 1, staticEvery: '5s', deadline: '2s' },
      flags: { warmUp: '1s', unknown: { frozen: { polls: 1_000, time: '1d' } } },
      tasks: {
        reboot: { backS: 60, hashS: 120, graceS: 2, checkEveryS: 0.3, dailyCap: 100, recentS: 0 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
      ...config,
    }),
  });
  await until(
    async () => (await site.json(minerSchema, 'miners')).filter(({ is_online }) => is_online).length,
    (count) => count === miners,
  );
  return withPeople(site);
}

function withPeople(site: ProgramSite): PageSite {
  const people = async (...args: string[]) => {
    const { stdout, stderr, code } = await site.pithead('people', ...args, '--json');
    if (code !== 0) throw new Error(`pithead people ${args.join(' ')}: ${stderr}`);
    return madeSchema.parse(JSON.parse(stdout));
  };
  let admin: Promise<Admin> | undefined;
  return {
    ...site,
    people,
    url: () => site.url(),
    async enter(browser, role, options) {
      const visited = await visit(browser, options);
      const { page, context } = visited;
      admin ??= people('add', 'who adds people', '--role', 'admin').then(({ code }) => beginAs(site.url(), code));
      const name = `${role} ${Math.round(performance.now())}`;
      const code = await (await admin).add(name, role);
      const headers = { origin: site.url() };
      const claimed = await context.request.post(site.url() + CLAIM, { headers, data: { code, password: PASSWORD } });
      if (!claimed.ok()) throw new Error(`begin as ${name}: ${await claimed.text()}`);
      await page.goto(site.url());
      await firstScreen(page).waitFor();
      return { ...visited, name };
    },
  };
}

const SESSION = '/public-api/v2/session';
const CLAIM = `${SESSION}/claim`;
const sessionSchema = z.looseObject({
  data: z.looseObject({ workspaces: z.tuple([z.looseObject({ id: z.string() })]) }),
});
const addedSchema = z.looseObject({ data: z.looseObject({ code: z.looseObject({ code: z.string() }) }) });

/** Adds people by the interface: a command for each would be a process for each. */
type Admin = { add(name: string, role: string): Promise<string> };

async function beginAs(url: string, code: string): Promise<Admin> {
  const post = async (path: string, body: unknown, cookie = '') => {
    const headers = { origin: url, cookie, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return { answer: await answer.json(), cookie: answer.headers.getSetCookie()[0]?.split(';')[0] };
  };
  const { answer, cookie } = await post(CLAIM, { code, password: PASSWORD });
  const [{ id }] = sessionSchema.parse(answer).data.workspaces;
  return {
    async add(name, role) {
      const added = await post(`/public-api/v2/workspaces/${id}/people`, { name, role }, cookie);
      return addedSchema.parse(added.answer).data.code.code;
    },
  };
}

const firstScreen = (page: Page) => page.getByRole('navigation').or(page.getByRole('heading', { name: 'Which farm?' }));

/** Uses a one-time address as a person does, and waits for the first screen. */
export async function claim(page: Page, url: string, { fragment, name }: { fragment: string; name?: string }) {
  await page.goto('about:blank');
  await page.goto(`${url}/claim#${fragment}`);
  if (name !== undefined) await page.getByLabel('Your name').fill(name);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('The same password again').fill(PASSWORD);
  await page.getByRole('button', { name: 'Begin' }).click();
  await firstScreen(page).waitFor();
}

/** One that nothing listens at now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
