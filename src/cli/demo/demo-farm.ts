// A simulated farm with agent and service in a temporary folder, for `demo` and `selftest`. It reaches only loopback
// addresses. No other part of the program knows the simulated farm.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { type Farm, type FarmOptions, startFarm } from '../../../fixtures/farm/farm.ts';
import { OWNERS_ENVIRONMENT, OWNERS_LOGINS } from '../../../fixtures/farm/owners.ts';
import { suitablePortMap } from '../../../fixtures/farm/ports.ts';
import { parseConfig } from '../../agent/config/config.ts';
import { openTrustRecord, TRUST_FILE } from '../../agent/device/trust/trust-record.ts';
import { systemClock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { CommandFailed } from '../output/exit.ts';
import { type Stack, startStack } from '../run/all-in-one.ts';

export { DRIVER_NAMES, FAMILY_NAMES } from '../../../fixtures/farm/mix.ts';

type DemoOptions = Required<Pick<FarmOptions, 'miners' | 'network' | 'mix' | 'seed' | 'bootS'>> & {
  /** Port of the service; 0 = a free one. */
  readonly port: number;
  /** How often each miner is polled, as in the configuration. */
  readonly poll: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  onProgress(reported: number): void;
};

/** The way in. */
export type DemoFacts = {
  readonly url: string;
  readonly key: string;
  readonly workspace_id: string;
  readonly farm_id: string;
  readonly miners: number;
  /** Where the first person comes in, once. */
  readonly page: string;
};

const READY_LIMIT_MS = 120_000;

/**
 * Runs `show` when every miner has been reported; afterwards everything is stopped and removed, also after an error.
 * Throws CommandFailed when the miners are not reported in time, CancelledError when the signal aborts before.
 */
export async function withDemo<T>(options: DemoOptions, show: (facts: DemoFacts) => Promise<T>): Promise<T> {
  const { miners, network, mix, seed, bootS } = options;
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-demo-'));
  let farm: Farm | undefined;
  let stack: Stack | undefined;
  try {
    const portMap = await suitablePortMap();
    farm = await startFarm({ network, miners, mix, seed, bootS, warmUpS: 10, portMap });
    const config = parseConfig(
      JSON.stringify({
        stateDir,
        networks: [{ name: 'demo farm', range: network }],
        portMap,
        // Loopback bears what a farm's network does not.
        scan: { maxPerSecond: 50_000 },
        poll: { interval: options.poll },
        credentials: {
          keyFile: 'pithead.key',
          trust: 'network',
          logins: OWNERS_LOGINS,
        },
      }),
      { baseDir: stateDir, environment: OWNERS_ENVIRONMENT, name: 'demo' },
    );
    const record = openTrustRecord(join(stateDir, TRUST_FILE), systemClock);
    // They are simulated in this process: no person has to accept them first.
    record.vouch(farm.devices);
    record.close();
    stack = await startStack({ config, host: '127.0.0.1', port: options.port, log: options.log });
    const { url, workspaceId, farmId } = stack;
    const { key } = await stack.service.admin.createKey({ workspaceId, name: 'demo', role: 'viewer' });
    await untilAllReported(stack, key, options);
    const { code } = await stack.service.admin.people.claim(workspaceId);
    const page = `${url}/claim#claim:${code}`;
    return await show({ url, key, workspace_id: workspaceId, farm_id: farmId, miners, page });
  } finally {
    await stack?.stop();
    await farm?.stop();
    rmSync(stateDir, { recursive: true, force: true });
  }
}

const pageSchema = z.object({ pagination: z.object({ total: z.number() }) });

/** Asks the interface itself, as an integrator would, until it knows every miner. */
async function untilAllReported(stack: Stack, key: string, { miners, onProgress, signal }: DemoOptions): Promise<void> {
  const endMs = systemClock.monotonicMs() + READY_LIMIT_MS;
  for (;;) {
    const url = `${stack.url}/private-api/v1/${stack.workspaceId}/farms/${stack.farmId}/miner/latest?pageSize=1`;
    const { body } = await request(url, { headers: { 'x-api-key': key } });
    const { total } = pageSchema.parse(await body.json()).pagination;
    onProgress(total);
    if (total >= miners) return;
    if (systemClock.monotonicMs() > endMs)
      throw new CommandFailed(`only ${total} of ${miners} miners were reported within ${READY_LIMIT_MS / 1_000} s`);
    await systemClock.sleep(200, signal);
  }
}
