// A whole site for end-to-end tests: simulated farm, agent and service in this process, real sockets in between, state
// in a temporary folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { type Farm, type FarmOptions, startFarm } from '../../fixtures/farm/farm.ts';
import { OWNERS_ENVIRONMENT, OWNERS_LOGINS } from '../../fixtures/farm/owners.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { type AgentConfig, parseConfig } from '../../src/agent/config/config.ts';
import { silentLog } from '../../src/base/log.ts';
import { type Stack, startStack } from '../../src/cli/run/all-in-one.ts';
import { type MinerV1, minerV1Schema } from '../../src/model/miner.ts';
import { loopback } from '../support/loopback.ts';
import type { neighbourAt } from '../support/neighbours.ts';
import { until } from './until.ts';
import { vouchFor } from './vouch.ts';

/** The whole answer of a list of miners. */
export const minerListSchema = z.strictObject({
  success: z.literal(true),
  data: z.array(minerV1Schema),
  pagination: z.strictObject({
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
    hasNext: z.boolean(),
    hasPrevious: z.boolean(),
  }),
  error: z.null(),
});

export type Site = {
  readonly farm: Farm;
  readonly stateDir: string;
  stack: Stack;
  /** Every miner as the interface serves it, each checked against the schema. */
  miners(query?: string): Promise<MinerV1[]>;
  /** The miner at this address. */
  miner(ip: string): Promise<MinerV1>;
  /** Any request to the interface of this farm; paths from below the farm. */
  call(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: unknown }>;
  readonly until: typeof until;
  readonly config: AgentConfig;
  /** Agent and service end, and begin again on the same state; `meanwhile` is done in between. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

export async function startSite(
  farmOptions: Partial<FarmOptions> & Pick<FarmOptions, 'miners'>,
  config: Readonly<Record<string, unknown>> = {},
  /** What the network says of an address: loopback itself has no neighbours. */
  neighbourOf?: (farm: Farm, ip: string) => ReturnType<typeof neighbourAt>,
): Promise<Site> {
  const portMap = await suitablePortMap();
  const { network = loopback().network } = farmOptions;
  const farm = await startFarm({ ...farmOptions, network, portMap });
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-e2e-'));
  const parsed = parseConfig(
    JSON.stringify({
      stateDir,
      networks: [network],
      portMap,
      // Loopback bears what a farm's network does not.
      scan: { maxPerSecond: 50_000 },
      poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
      credentials: { trust: 'network', logins: OWNERS_LOGINS },
      ...config,
    }),
    {
      baseDir: stateDir,
      environment: { ...OWNERS_ENVIRONMENT, XDG_CONFIG_HOME: stateDir },
      name: 'e2e',
    },
  );
  vouchFor(stateDir, farm);
  const neighbours = neighbourOf && { at: (ip: string) => neighbourOf(farm, ip) };
  const start = () =>
    startStack({
      ...{ config: parsed, host: '127.0.0.1', port: 0, log: silentLog },
      ...(neighbours && { neighbours }),
    });
  const stack = await start();
  const { key } = await stack.service.admin.createKey({ workspaceId: stack.workspaceId, name: 'e2e', role: 'admin' });
  const site: Site = {
    farm,
    stateDir,
    stack,
    async call(method, path, body, headers = {}) {
      const url = `${site.stack.url}/private-api/v1/${stack.workspaceId}/farms/${stack.farmId}${path}`;
      const answer = await request(url, {
        method,
        headers: {
          'x-api-key': key,
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.statusCode, body: await answer.body.json() };
    },
    async miners(query = '') {
      const { body } = await site.call('GET', `/miner/latest?pageSize=1000${query}`);
      return minerListSchema.parse(body).data;
    },
    async miner(ip) {
      const [miner] = await site.miners(`&ip_ranges=${ip}`);
      if (miner === undefined) throw new Error(`the interface knows no miner at ${ip}`);
      return miner;
    },
    until,
    config: parsed,
    async restart(meanwhile) {
      await site.stack.stop();
      await meanwhile?.();
      site.stack = await start();
    },
    async stop() {
      await site.stack.stop();
      await farm.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
  return site;
}
