// An agent of one version and a service of another, each a process of its own on the sources of its version, with a
// simulated farm: what a farm has while it is upgraded.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { until } from '../e2e/until.ts';
import { startBaselineService } from './baseline.ts';

const COMMAND_MS = 60_000;
const DONE_MS = 90_000;
const MINERS = 3;

const enrolSchema = z.object({ code: z.string() });
const keySchema = z.object({ key: z.string(), workspace_id: z.string(), farm_id: z.string() });
const listSchema = z.object({ data: z.array(z.object({ id: z.string(), last_updated_at: z.string().nullable() })) });
const madeSchema = z.object({ data: z.array(z.object({ id: z.string() })) });
const batchSchema = z.object({ data: z.object({ status: z.string() }) });

/** Folders with the sources of each. `hasRoles` = keys of this service may do nothing that their role does not say. */
export type Sources = { readonly agent: string; readonly service: string; readonly hasRoles: boolean };

/** Gives the reboots that the farm has had of the one that was ordered, once its
 * batch has succeeded. Throws with what the agent said when that does not come.
 */
export async function meetAsProcesses(
  { agent, service, hasRoles }: Sources,
  network: string,
): Promise<{ miners: number; reboots: number }> {
  const home = mkdtempSync(join(tmpdir(), 'pithead-skew-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const environment = { PATH: process.env.PATH ?? '', HOME: home, XDG_STATE_HOME: home };
  const database = join(home, 'service.sqlite');
  const { url } = await startBaselineService(service, database, home);
  const run = (...args: string[]): unknown =>
    JSON.parse(
      execFileSync(process.execPath, ['src/main.ts', ...args, '--database', database, '--json'], {
        ...{ cwd: service, env: environment, encoding: 'utf8', timeout: COMMAND_MS },
      }),
    );
  const { code } = enrolSchema.parse(run('enroll'));
  const key = keySchema.parse(run('key', 'create', '--name', 'trial', ...(hasRoles ? ['--role', 'admin'] : [])));

  const portMap = await suitablePortMap();
  const farm = await startFarm({ miners: MINERS, mix: 'bitaxe', network, portMap, bootS: 1, warmUpS: 1 });
  onTestFinished(() => farm.stop());
  const config = {
    ...{ stateDir: join(home, 'agent'), networks: [network], portMap, poll: { interval: '1s' } },
    service: { url, enrolmentCode: code },
    tasks: { reboot: { checkEveryS: 0.2 } },
  };
  const file = join(home, 'pithead.yaml');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  const child = spawn(process.execPath, ['src/main.ts', 'agent', '--config', file], {
    ...{ cwd: agent, env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await over;
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      said = (said + bytes.toString()).slice(-4_000);
    });

  const ask = async (path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${url}${path}`, {
      ...{ method: body === undefined ? 'GET' : 'POST', body: body === undefined ? null : JSON.stringify(body) },
      headers: { 'x-api-key': key.key, ...(body !== undefined && { 'content-type': 'application/json' }) },
    });
    return answer.json();
  };
  const farmPath = `${key.workspace_id}/farms/${key.farm_id}`;
  const miners = async () => listSchema.parse(await ask(`/private-api/v1/${farmPath}/miner/latest`)).data;
  try {
    const found = await until(miners, (seen) => seen.length === MINERS, DONE_MS);
    // Polled again since: reports go on.
    await until(
      miners,
      (seen) => seen.every(({ last_updated_at: at }, n) => at !== found[n]?.last_updated_at),
      DONE_MS,
    );
    const batches = `/public-api/v2/workspaces/${farmPath}/task-batches`;
    const order = { task_name: 'miner.system.reboot', miner_ids: [found[0]?.id] };
    const [made] = madeSchema.parse(await ask(batches, order)).data;
    const batch = async () => batchSchema.parse(await ask(`${batches}/${made?.id}`)).data.status;
    await until(batch, (status) => status === 'succeeded', DONE_MS);
    const reboots = farm.devices.reduce((sum, device) => sum + device.reboots, 0);
    return { miners: found.length, reboots };
  } catch (error) {
    throw new Error(`${String(error)}\nthe agent said: ${said}`);
  }
}
