// An agent of one version and a service of another, each a process of its own on the sources of its version, with a
// simulated farm: what a farm has while it is upgraded.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { until } from '../e2e/until.ts';
import { goldenOf, type SpeaksAs, startBetween } from '../fault/speaks-as.ts';
import { startBaselineService } from './baseline.ts';

const COMMAND_MS = 60_000;
const DONE_MS = 90_000;
const MINERS = 3;

const enrolSchema = z.object({ code: z.string() });
const keySchema = z.object({ key: z.string(), workspace_id: z.string(), farm_id: z.string() });
const listSchema = z.object({
  data: z.array(z.object({ id: z.string(), mac: z.string(), last_updated_at: z.string().nullable() })),
});
const frozenMinerSchema = z.object({ kind: z.literal('miner'), document: z.object({ mac: z.string() }) });
const madeSchema = z.object({ data: z.array(z.object({ id: z.string() })) });
const batchSchema = z.object({ data: z.object({ status: z.string() }) });

/**
 * Folders with the sources of each. `hasRoles` = keys of this service may do nothing that their role does not say.
 * `speaksAs` = what is said between them is that of another version, by its frozen messages.
 */
export type Pair = {
  readonly agent: string;
  readonly service: string;
  readonly hasRoles: boolean;
  readonly speaksAs?: SpeaksAs;
};

type Met = {
  readonly reboots: number;
  /** Frozen messages that were said, and records that the service did not read. */
  readonly said: number;
  readonly rejected: number;
  /** How connections ended while there was work. */
  readonly ends: readonly string[];
};

/** MACs of the miners that are frozen: they are reported, and no device has them. */
const frozenMacs = ({ agent }: SpeaksAs): ReadonlySet<string> =>
  new Set(
    agent === undefined
      ? []
      : goldenOf(agent).records.flatMap((record) => frozenMinerSchema.safeParse(record).data?.document.mac ?? []),
  );

function rejectedIn(database: string): number {
  const db = new DatabaseSync(database, { readOnly: true });
  const row = db.prepare("SELECT coalesce(sum(count), 0) AS n FROM gaps WHERE reason = 'rejected'").get();
  db.close();
  return Number(row?.n);
}

/** Gives the reboots that the farm has had of the one that was ordered, once its
 * batch has succeeded. Throws with what the agent said when that does not come.
 */
export async function meetAsProcesses(
  { agent, service, hasRoles, speaksAs = {} }: Pair,
  network: string,
): Promise<Met> {
  const home = mkdtempSync(join(tmpdir(), 'pithead-skew-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const environment = { PATH: process.env.PATH ?? '', HOME: home, XDG_STATE_HOME: home };
  const database = join(home, 'service.sqlite');
  const { url } = await startBaselineService(service, database, home);
  const run = async (...args: string[]): Promise<unknown> => {
    const command = ['src/main.ts', ...args, '--database', database, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      ...{ cwd: service, env: environment, encoding: 'utf8', timeout: COMMAND_MS },
    });
    return JSON.parse(stdout);
  };
  const { code } = enrolSchema.parse(await run('enroll'));
  const key = keySchema.parse(await run('key', 'create', '--name', 'trial', ...(hasRoles ? ['--role', 'admin'] : [])));
  const between = await startBetween(url, speaksAs);
  onTestFinished(() => between.stop());

  const portMap = await suitablePortMap();
  const farm = await startFarm({ miners: MINERS, mix: 'bitaxe', network, portMap, bootS: 1, warmUpS: 1 });
  onTestFinished(() => farm.stop());
  const config = {
    ...{ stateDir: join(home, 'agent'), networks: [network], portMap, poll: { interval: '1s' } },
    service: { url: between.url, enrolmentCode: code },
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
  const frozen = frozenMacs(speaksAs);
  const all = async () => listSchema.parse(await ask(`/private-api/v1/${farmPath}/miner/latest`)).data;
  const miners = async () => (await all()).filter(({ mac }) => !frozen.has(mac));
  try {
    const found = await until(miners, (seen) => seen.length === MINERS, DONE_MS);
    await until(all, (seen) => seen.length === MINERS + frozen.size, DONE_MS);
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
    return { reboots, said: between.said(), rejected: rejectedIn(database), ends: [...between.ends] };
  } catch (error) {
    throw new Error(`${String(error)}\nthe agent said: ${said}`);
  }
}
