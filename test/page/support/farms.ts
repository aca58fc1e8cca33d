// One service with several farms, for what pages of different people must and must not see of each other: the first
// farm has its agent in this process, the second one an agent in a process of its own that can be stopped, the third is
// of another workspace and empty.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { type Farm, startFarm } from '../../../fixtures/farm/farm.ts';
import { OWNERS_ENVIRONMENT, OWNERS_LOGINS } from '../../../fixtures/farm/owners.ts';
import { suitablePortMap } from '../../../fixtures/farm/ports.ts';
import type { Role } from '../../../src/model/permissions/permissions.data.ts';
import { type Started, startPithead } from '../../e2e/process.ts';
import { type Site, startSite as startFirst } from '../../e2e/site.ts';
import { until } from '../../e2e/until.ts';
import { vouchFor } from '../../e2e/vouch.ts';
import type { Loopback } from '../../support/loopback.ts';
import { type Visit, visit } from './browser.ts';
import { claim } from './site.ts';

/** How soon things are wrong in these tests. */
export const QUICK = {
  poll: { interval: '2s', slowEvery: 1, staticEvery: '5s', deadline: '2s' },
  flags: { warmUp: '1s', unknown: { frozen: { polls: 1_000, time: '1d' } } },
};
const MIX = { mix: 'antminer-b=1,whatsminer-2=1', seed: 1, noise: 0, noiseStepS: 1, bootS: 2, warmUpS: 1 };

export type FarmName = 'first' | 'second' | 'empty';

export type Farms = {
  readonly site: Site;
  readonly second: Farm;
  readonly ids: Readonly<Record<FarmName, { readonly farmId: string; readonly workspaceId: string }>>;
  /** The agent of the second farm ends, as when its host loses its power. */
  stopSecondAgent(): Promise<void>;
  /**
   * A person who may do this in these farms, or in all of the first workspace, at the first screen; `through` = another
   * address of the service.
   */
  enter(
    browser: Browser,
    roles: Role | Partial<Readonly<Record<FarmName, Role>>>,
    options?: Parameters<typeof visit>[1] & { readonly through?: string },
  ): Promise<Visit>;
  stop(): Promise<void>;
};

/** Ready when each miner of the first farm has been read. `net` has to hold 64 addresses. */
export async function startFarms(
  net: Loopback,
  { miners, others }: { miners: number; others: number },
): Promise<Farms> {
  const [first, second] = [net.part(0, 27), net.part(32, 27)];
  const site = await startFirst({ ...MIX, miners, network: first }, QUICK);
  const { admin } = site.stack.service;
  const { workspaceId, farmId } = site.stack;
  const other = await admin.createFarm({ workspaceId, name: 'Second' });
  const elsewhere = await admin.createWorkspace({ name: 'Elsewhere', slug: 'elsewhere' });
  const empty = await admin.createFarm({ workspaceId: elsewhere.id, name: 'Empty' });
  const agent = await startAgent({ site, farmId: other.id, network: second, miners: others });
  const ids = {
    first: { workspaceId, farmId },
    second: { workspaceId, farmId: other.id },
    empty: { workspaceId: elsewhere.id, farmId: empty.id },
  };
  let entered = 0;
  await until(
    async () => (await site.miners()).filter(({ last_check_succeed }) => last_check_succeed).length,
    (count) => count === miners,
  );
  return {
    ...{ site, second: agent.farm, ids, stopSecondAgent: agent.kill },
    async enter(browser, roles, { through, ...options } = {}) {
      const visited = await visit(browser, options);
      const ofFarms = typeof roles === 'string' ? {} : roles;
      const farmRoles = Object.entries(ofFarms).map(([name, role]) => ({ farmId: idOf(ids, name), role }));
      const role = typeof roles === 'string' ? roles : null;
      const owner = 'empty' in ofFarms ? elsewhere.id : workspaceId;
      entered += 1;
      const { code } = await admin.people.add({ workspaceId: owner, name: `person ${entered}`, role, farmRoles });
      await claim(visited.page, through ?? site.stack.url, { fragment: `reset:${code}` });
      return visited;
    },
    async stop() {
      await agent.stop();
      await site.stop();
    },
  };
}

const idOf = (ids: Farms['ids'], name: string): string => {
  const found = Object.entries(ids).find(([each]) => each === name);
  if (found === undefined) throw new Error(`there is no farm ${name}`);
  return found[1].farmId;
};

type AgentOptions = {
  readonly site: Site;
  readonly farmId: string;
  readonly network: string;
  readonly miners: number;
};

async function startAgent({ site, farmId, network, miners }: AgentOptions) {
  const portMap = await suitablePortMap();
  const farm = await startFarm({ ...MIX, miners, network, portMap });
  const folder = join(site.stateDir, 'second');
  vouchFor(join(folder, 'state'), farm);
  const { code } = await site.stack.service.admin.createEnrolmentCode({ farmId, ttlMs: 600_000 });
  const config = join(folder, 'pithead.yaml');
  const service = { url: site.stack.url, enrolmentCode: code, keepLocal: false, allowPlain: true };
  const whole = {
    ...{ stateDir: 'state', networks: [network], portMap, scan: { maxPerSecond: 50_000, ipReports: false }, service },
    ...{ credentials: { trust: 'network', logins: OWNERS_LOGINS }, ...QUICK },
  };
  writeFileSync(config, JSON.stringify(whole), { mode: 0o600 });
  const running: Started = startPithead(['run', '--config', config], { environment: OWNERS_ENVIRONMENT });
  const kill = async () => {
    running.kill('SIGKILL');
    await running.end();
  };
  return {
    ...{ farm, kill },
    async stop() {
      if (!running.hasEnded) await kill();
      await farm.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
