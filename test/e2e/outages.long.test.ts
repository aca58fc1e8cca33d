// One trouble of many miners, from the devices to what a person and an integrator see: a dead pool is one finding and
// not 35 flags, a dead switch is one, and a miner that hangs is called what it is, with the time of its last answer.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { findRunningAgent } from '../../src/agent/control/control-client.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead, type Started, startPithead } from './process.ts';
import { readScan } from './scan-lines.ts';
import { until } from './until.ts';

const { network: NETWORK, ip: ipOf } = loopback(26);
const MINERS = 35;
const SILENT = 12;
const MOST_MS = 10_000;

let farm: Farm;
let folder: string;
let config: string;
let up: Started;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-outages-'));
  const portMap = await suitablePortMap();
  farm = await startFarm({
    ...{ network: NETWORK, miners: MINERS, mix: { 'whatsminer-2': 20, 'avalon-a': 15 }, seed: 7, portMap },
    // A hashrate that stands still for minutes is a fault of its own.
    ...{ noise: 0.002, noiseStepS: 1, warmUpS: 1 },
  });
  config = join(folder, 'pithead.yaml');
  const poll = { interval: '1s', slowEvery: 1, deadline: '3s' };
  const flags = { warmUp: '1s', pool: { elsewhere: '2s' } };
  writeFileSync(config, JSON.stringify({ networks: [NETWORK], portMap, stateDir: 'state', poll, flags }));
  up = startPithead(['up', '--config', config, '--port', '0']);
  await up.untilPrinted('stderr', 'service on');
  await until(state, ({ miners }) => miners.answering === MINERS);
});
afterAll(async () => {
  up.kill('SIGTERM');
  await up.end();
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pithead = (...args: string[]) => runPithead([...args, '--config', config]);

async function withAgent<T>(
  work: (agent: Extract<Awaited<ReturnType<typeof findRunningAgent>>, { kind: 'running' }>['agent']) => Promise<T>,
) {
  const found = await findRunningAgent(join(folder, 'state'));
  if (found.kind !== 'running') throw new Error(`the agent is ${found.kind}`);
  try {
    return await work(found.agent);
  } finally {
    await found.agent.close();
  }
}

const state = () => withAgent((agent) => agent.state());

/** The findings that the service has heard of, oldest first, as `type title`, and the flags of its miners. */
async function integrator() {
  const { stdout } = await pithead('key', 'create', '--name', 'e2e', '--json');
  const { key, workspace_id, farm_id } = z
    .looseObject({ key: z.string(), workspace_id: z.string(), farm_id: z.string() })
    .parse(JSON.parse(stdout));
  const v2 = `${/service on (\S+?),/.exec(up.stderr())?.[1]}/public-api/v2/workspaces/${workspace_id}/farms/${farm_id}`;
  const get = async <T>(path: string, schema: z.ZodType<T>) => {
    const answer = await request(`${v2}${path}`, { headers: { 'x-api-key': key } });
    return schema.parse(await answer.body.json());
  };
  const events = z.looseObject({
    data: z.array(z.looseObject({ type: z.string(), detail: z.looseObject({ title: z.string() }) })),
  });
  return {
    findings: async () => {
      const { data } = await get('/events?type=finding_raised,finding_cleared', events);
      return data.map(({ type, detail }) => `${type} ${detail.title}`).toReversed();
    },
  };
}

const setFault = (name: 'pool-dead' | 'hangs', isOn: boolean, count = MINERS) => {
  for (const device of farm.devices.slice(0, count)) device.setFault(name, isOn);
};

test('a pool that dies under 35 miners is one finding, and is over as one', async () => {
  const service = await integrator();
  setFault('pool-dead', true);
  const { findings, miners } = await until(state, ({ findings }) => findings[0]?.miner_count === MINERS);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({ kind: 'pool', severity: 'critical', of: MINERS });
  expect(miners.flags.pool).toBe(MINERS);
  const { title = '' } = findings[0] ?? {};
  expect(title).toMatch(/^pool \S+:\d+ dead: 35 miners$/);
  await until(service.findings, (told) => told.length > 0);
  expect(await service.findings()).toEqual([`finding_raised ${title}`]);

  const { stdout } = await pithead('status');
  const lines = stdout.split('\n').filter((line) => line.startsWith('FINDING'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^FINDING +pool \S+ dead: 35 miners since \d\d:\d\d$/);

  setFault('pool-dead', false);
  await until(state, ({ findings }) => findings.length === 0);
  await until(service.findings, (told) => told.length > 1);
  expect(await service.findings()).toEqual([`finding_raised ${title}`, `finding_cleared ${title}`]);
});

test('a first pool that dies under miners that have another is one mild finding', async () => {
  const some = farm.devices.filter(({ family }) => family === 'whatsminer-2');
  for (const device of some) device.setFault('first-pool-dead', true);
  const { findings, miners } = await until(state, ({ findings }) => findings[0]?.miner_count === some.length);
  expect(findings).toMatchObject([{ kind: 'pool', severity: 'minor', of: MINERS }]);
  expect(findings[0]?.title).toMatch(/^pool \S+:\d+ dead: 20 of 35 miners use another$/);
  expect(miners.flags.pool).toBe(some.length);
  for (const device of some) device.setFault('first-pool-dead', false);
  await until(state, ({ findings, miners }) => findings.length === 0 && miners.flags.pool === undefined);
});

test('miners that hang together are one finding, and each is called what it is within ten seconds', async () => {
  setFault('hangs', true, SILENT);
  const { findings } = await until(state, ({ findings }) => findings[0]?.miner_count === SILENT);
  expect(findings).toHaveLength(1);
  expect(findings[0]?.title).toBe(`${ipOf(0)}/24: ${SILENT} of ${MINERS} miners do not answer`);

  const { ip = '' } = farm.devices[0] ?? {};
  const askedMs = performance.now();
  const found = await withAgent((agent) => agent.look(ip, new AbortController().signal));
  expect(performance.now() - askedMs).toBeLessThan(MOST_MS);
  expect(found).toMatchObject({ status: 'unknown', known: { driver: expect.any(String), since: expect.any(String) } });
  expect(found.sample).toBeUndefined();

  const look = await pithead('miner', ip);
  expect(look.code).not.toBe(0);
  expect(look.stdout).toMatch(
    new RegExp(`^${ip}  known \\(.+, ${ip}\\), accepts connections, answers nothing since \\d\\d:\\d\\d\\n.*PDU`, 'm'),
  );
  expect(look.stdout).not.toContain('no driver');

  const scan = await pithead('scan', ip);
  expect(scan.stdout).toMatch(/known \(.+\), accepts connections, answers nothing since \d\d:\d\d/);
  expect(scan.stdout).toContain('1 known miner accepts connections and answers nothing');
  const { found: rows, summary } = readScan((await pithead('scan', '--json', ip)).stdout);
  expect(rows[0]).toMatchObject({ ip, status: 'unknown', model: expect.any(String), silent_since: expect.any(String) });
  expect(summary).toMatchObject({ unknown: 1 });
  expect(Number(summary.elapsed_ms)).toBeLessThan(MOST_MS);

  setFault('hangs', false, SILENT);
  await until(state, ({ findings, miners }) => findings.length === 0 && miners.answering === MINERS);
});

test('a known miner that answers without sense is no stranger, and is not called silent', async () => {
  const device = farm.devices.find(({ family }) => family === 'avalon-a');
  const ip = device?.ip ?? '';
  device?.setFault('garbage', true);
  await until(state, ({ miners }) => miners.flags.unknown === 1);
  const look = await pithead('miner', ip);
  expect(look.stdout).toMatch(/^\S+ {2}known \(.+\), answers nothing that a miner says since \d\d:\d\d$/m);
  expect(look.stdout).not.toContain('no driver');
  const { miners } = await state();
  expect(miners).toMatchObject({ total: MINERS, silent: 0, answering: MINERS });
  device?.setFault('garbage', false);
  await until(state, ({ miners }) => miners.flags.unknown === undefined);
});

test('a miner that has just begun to hang is found out within ten seconds too', async () => {
  const device = farm.devices.at(-1);
  const ip = device?.ip ?? '';
  device?.setFault('hangs', true);
  const askedMs = performance.now();
  const found = await withAgent((agent) => agent.look(ip, new AbortController().signal));
  expect(performance.now() - askedMs).toBeLessThan(MOST_MS);
  expect(found.known?.since).toEqual(expect.any(String));
  device?.setFault('hangs', false);
});
