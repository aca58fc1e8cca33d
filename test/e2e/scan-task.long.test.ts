// An integrator has a farm scanned through the interface: the agent is a process of its own, says how far it is, ends
// with an account that adds up, gives up when told to, and begins again when it was killed in the middle.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { VERSION } from '../../src/base/version.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { taskV2Schema } from '../../src/wire/api/tasks.ts';
import { loopback } from '../support/loopback.ts';
import { type Started, startPithead } from './process.ts';
import { until } from './until.ts';
import { vouchFor } from './vouch.ts';

const MINERS = 12;
const NET = loopback(22);
const OUTSIDE = loopback(30).network;
/** Addresses a second, three ports each: slow enough to be watched. */
const PER_SECOND = 90;

let folder: string;
let farm: Farm;
let service: Service;
let agent: Started | undefined;
let agentId: string;
let call: (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<unknown>;

const start = () => {
  agent = startPithead(['agent', '-c', join(folder, 'pithead.yaml')], { cwd: folder });
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-scan-task-'));
  const portMap = await suitablePortMap();
  farm = await startFarm({ network: NET.part(0, 26), miners: MINERS, mix: 'all', seed: 9, portMap });
  service = await createService({
    databasePath: join(folder, 'service.sqlite'),
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: silentLog,
    version: VERSION,
  });
  const { url } = await service.start();
  const { workspaceId, farmId } = await service.admin.ensureDefaults();
  const { key } = await service.admin.createKey({ workspaceId, name: 'e2e', role: 'admin' });
  const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 600_000 });
  call = async (method, path, body) => {
    const answer = await request(`${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer.body.json();
  };
  mkdirSync(join(folder, 'state'));
  vouchFor(join(folder, 'state'), farm);
  const config = {
    stateDir: 'state',
    networks: [NET.network],
    portMap,
    scan: { every: '7d', timeout: '300ms', maxPerSecond: 3 * PER_SECOND },
    poll: { interval: '1s', deadline: '3s' },
    service: { url, enrolmentCode: code, allowPlain: true },
  };
  writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify(config));
  start();
  await agent?.untilPrinted('stdout', 'connected to the service');
  const agents = z.object({ data: z.array(z.object({ id: z.string(), status: z.string() })) });
  const [found] = await until(
    async () => agents.parse(await call('GET', '/agents')).data,
    (list) => list[0]?.status === 'online',
  );
  agentId = found?.id ?? '';
});
afterAll(async () => {
  agent?.kill('SIGKILL');
  await service.stop();
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

const created = z.object({
  data: z.array(z.object({ id: z.string() })),
  meta: z.object({ skipped: z.array(z.object({ reason: z.string(), agent_ids: z.array(z.string()) })) }),
});
const listed = z.object({ data: z.tuple([taskV2Schema]) });
const accountSchema = z.object({
  account: z.object({
    addresses: z.int(),
    excluded: z.int(),
    notReached: z.int(),
    isCancelled: z.boolean(),
    counts: z.record(z.string(), z.int()),
  }),
});

async function scan(ranges?: readonly string[]) {
  const params = ranges === undefined ? {} : { ranges };
  return created.parse(
    await call('POST', '/task-batches', { task_name: 'agent.scan.create', agent_ids: [agentId], params }),
  );
}
const taskOf = async (batchId: string | undefined) =>
  listed.parse(await call('GET', `/task-batches/${batchId}/tasks`)).data[0];
type Task = z.infer<typeof taskV2Schema>;
const isOver = ({ status }: Task) => status !== 'pending' && status !== 'running';
const hasBegun = ({ evidence }: Task) => 'progress' in evidence;

function accountOf({ evidence }: Task) {
  const { account } = accountSchema.parse(evidence);
  const settled = Object.values(account.counts).reduce((sum, count) => sum + count, 0);
  expect(settled + account.excluded + account.notReached).toBe(account.addresses);
  return account;
}

test('the scan says how far it is, a second one is not made meanwhile, and the account adds up', async () => {
  const { data } = await scan();
  const steps: unknown[] = [];
  const done = await until(async () => {
    const task = await taskOf(data[0]?.id);
    if (steps.length === 0 && hasBegun(task))
      expect((await scan()).meta.skipped).toEqual([
        expect.objectContaining({ reason: 'no_change', agent_ids: [agentId] }),
      ]);
    if (hasBegun(task) && JSON.stringify(steps.at(-1)) !== JSON.stringify(task.evidence.progress))
      steps.push(task.evidence.progress);
    return task;
  }, isOver);
  expect(done, JSON.stringify(done)).toMatchObject({ status: 'succeeded', miner_id: null, agent_id: agentId });
  expect(accountOf(done)).toMatchObject({
    addresses: 1_024,
    excluded: 2,
    notReached: 0,
    isCancelled: false,
    counts: { identified: expect.any(Number) },
  });
  expect(steps.length).toBeGreaterThan(1);
  expect(steps[0]).toMatchObject({ total: 1_022, phase: 'first pass', found: expect.any(Number) });
  const miners = z.object({ pagination: z.object({ total: z.int() }) });
  await until(
    async () => miners.parse(await call('GET', '/miners')).pagination.total,
    (total) => total === MINERS,
  );
});

test('ranges beyond the configured networks are refused by the agent, with the range by name', async () => {
  const { data } = await scan([NET.part(256, 24), OUTSIDE]);
  const done = await until(() => taskOf(data[0]?.id), isOver);
  expect(done).toMatchObject({
    status: 'failed',
    message: `refused: ${OUTSIDE} is outside the networks configured here`,
  });
});

test('a cancel ends it with what it has found', async () => {
  const { data } = await scan();
  await until(() => taskOf(data[0]?.id), hasBegun);
  await call('POST', `/task-batches/${data[0]?.id}/cancel`);
  const done = await until(() => taskOf(data[0]?.id), isOver);
  expect(done).toMatchObject({ status: 'cancelled', message: expect.stringContaining('what was found is kept') });
  const account = accountOf(done);
  expect(account.isCancelled).toBe(true);
  expect(account.notReached).toBeGreaterThan(0);
});

test('an agent that is killed in the middle scans again when it is back', async () => {
  const { data } = await scan([NET.part(0, 24), NET.part(256, 24)]);
  await until(() => taskOf(data[0]?.id), hasBegun);
  agent?.kill('SIGKILL');
  await agent?.end();
  start();
  const done = await until(() => taskOf(data[0]?.id), isOver);
  expect(done, JSON.stringify(done)).toMatchObject({ status: 'succeeded' });
  expect(accountOf(done)).toMatchObject({ addresses: 512, excluded: 1, notReached: 0 });
});
