// An integrator reboots miners through the interface: they really go away and come back, never more at once than
// configured, and the batch says what became of it.

import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { drivers } from '../../drivers/index.ts';
import type { Device } from '../../fixtures/farm/farm.ts';
import { agentDatabasePath } from '../../src/agent/state/database.ts';
import { databaseOf } from '../../src/cli/run/local-service.ts';
import { batchSummarySchema, createAnswerSchema } from '../../src/service/http/v1/batches.ts';
import { type Site, startSite } from './site.ts';

const CONCURRENCY = 6;
const BATCH = 20;
let site: Site;

beforeAll(async () => {
  site = await startSite(
    { miners: 30, mix: 'all', seed: 11, noise: 0, noiseStepS: 1, bootS: 2, warmUpS: 3 },
    {
      tasks: {
        reboot: { concurrency: CONCURRENCY, backS: 15, hashS: 60, graceS: 8, checkEveryS: 0.3 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    },
  );
  await site.until(
    () => site.miners(),
    (miners) => miners.length === 30,
  );
});
afterAll(() => site.stop());

/** Of some families nobody knows how. */
const canReboot = ({ driver }: Device) => drivers.some(({ id, abilities }) => id === driver && abilities.reboot);

/** Devices that can, and that no test has taken yet. */
const free = new Set<Device>();
function take(count: number): Device[] {
  if (free.size === 0) for (const device of site.farm.devices) if (canReboot(device)) free.add(device);
  const taken = [...free].slice(0, count);
  for (const device of taken) free.delete(device);
  return taken;
}

async function idsOf(devices: readonly Device[]): Promise<string[]> {
  const miners = await site.miners();
  return devices.map((device) => miners.find(({ ip }) => ip === device.ip)?.id ?? '');
}

async function post(ids: readonly string[], headers: Record<string, string> = {}) {
  const order = { task_name: 'miner.system.reboot', miner_ids: ids };
  const { status, body } = await site.call('POST', '/tasks/batches', order, headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return createAnswerSchema.parse(body);
}

const searchSchema = z.looseObject({ data: z.array(batchSummarySchema) });

/** The batch when it is over, as the interface lists it. */
function ended(batchId: string | undefined, limitMs: number) {
  return site.until(
    async () => {
      const { body } = await site.call('GET', '/tasks/batches?pageSize=100');
      return searchSchema.parse(body).data.find(({ batch_id }) => batch_id === batchId);
    },
    (batch) => batch !== undefined && batch.status !== 'pending' && batch.status !== 'running',
    limitMs,
  );
}

/** What the agent says of the tasks of a batch, for whoever reads why a test failed. */
function wordsOf(batchId: string | undefined): string {
  const tasks = site.stack.agent.tasks.list().filter((task) => task.batchId === batchId);
  return tasks.map(({ status, message }) => `${status}: ${message}`).join('\n');
}

/** The number of the last order that the agent admitted: only those that are signed have one. */
function lastSequence(): number {
  const database = new DatabaseSync(agentDatabasePath(site.stateDir), { readOnly: true });
  try {
    return z.object({ seq: z.int() }).parse(database.prepare('SELECT seq FROM admitted_messages').get()).seq;
  } finally {
    database.close();
  }
}

/** Why a task ended as it did, as the service keeps it. */
function reasons(batchId: string | undefined) {
  const database = new DatabaseSync(databaseOf(site.stateDir), { readOnly: true });
  try {
    return database.prepare('SELECT status, message FROM tasks WHERE batch_id = ?').all(batchId ?? '');
  } finally {
    database.close();
  }
}

test('twenty miners go away and come back, at most the configured number at once, and all hash again', async () => {
  const devices = take(BATCH);
  const before = await site.miners();
  const { data, meta } = await post(await idsOf(devices));
  expect(meta.summary).toEqual({ created_count: BATCH, skipped_count: 0 });
  let mostAway = 0;
  const watching = setInterval(() => {
    mostAway = Math.max(mostAway, devices.filter(({ isUp }) => !isUp).length);
  }, 20);
  try {
    const batch = await ended(data[0]?.batch_id, 180_000);
    expect(batch, JSON.stringify(reasons(data[0]?.batch_id))).toMatchObject({
      status: 'succeeded',
      task_count: BATCH,
      succeed_count: BATCH,
      failed_count: 0,
    });
  } finally {
    clearInterval(watching);
  }
  expect(devices.map(({ reboots }) => reboots)).toEqual(Array(BATCH).fill(1));
  // Notices are numbered in one row with the orders.
  expect(lastSequence()).toBeGreaterThanOrEqual(BATCH);
  expect(mostAway).toBeLessThanOrEqual(CONCURRENCY);
  expect(mostAway).toBeGreaterThan(1);

  const after = await site.until(
    () => site.miners(),
    (miners) =>
      devices.every(({ ip }) => miners.some((miner) => miner.ip === ip && miner.uptime < 600 && miner.is_mining)),
  );
  expect(after.map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id).toSorted());
  const untouched = before.filter(({ ip }) => devices.every((device) => device.ip !== ip));
  for (const { id, uptime } of untouched)
    expect(after.find((miner) => miner.id === id)?.uptime).toBeGreaterThanOrEqual(uptime);
});

test.concurrent('one that never returns and one that does nothing fail their batch, with a reason; the others do not suffer', async () => {
  const [lost, deaf, fine] = take(3);
  if (lost === undefined || deaf === undefined || fine === undefined) throw new Error('the farm has too few miners');
  lost.setFault('never-returns', true);
  deaf.setFault('ignores-reboot', true);
  const [lostId = '', deafId = '', fineId = ''] = await idsOf([lost, deaf, fine]);
  const [forLost, forDeaf] = [await post([lostId]), await post([deafId, fineId])];
  const [lostBatch, deafBatch] = await Promise.all([
    ended(forLost.data[0]?.batch_id, 120_000),
    ended(forDeaf.data[0]?.batch_id, 120_000),
  ]);
  expect(lostBatch).toMatchObject({ status: 'failed', task_count: 1, succeed_count: 0, failed_count: 1 });
  expect(reasons(lostBatch?.batch_id)).toMatchObject([
    { status: 'timeout', message: expect.stringContaining('did not come back') },
  ]);
  expect(deafBatch).toMatchObject({ status: 'partially_succeeded', task_count: 2, succeed_count: 1, failed_count: 1 });
  expect(reasons(deafBatch?.batch_id)).toEqual(
    expect.arrayContaining([
      { status: 'failed', message: expect.stringContaining('did not restart') },
      { status: 'succeeded', message: null },
    ]),
  );
  expect([lost.reboots, deaf.reboots, fine.reboots]).toEqual([1, 0, 1]);
  lost.setFault('never-returns', false);
});

test.concurrent('miners that cannot have the task are skipped, each with its reason, and the others have it', async () => {
  const [running, other] = take(2);
  const unable = site.farm.devices.find((device) => !canReboot(device));
  if (running === undefined || other === undefined || unable === undefined)
    throw new Error('the farm has too few miners');
  const [runningId = '', otherId = '', unableId = ''] = await idsOf([running, other, unable]);
  const stranger = randomUUID();
  const first = await post([runningId]);
  const { data, meta } = await post([runningId, otherId, stranger, unableId, otherId]);
  expect(data).toMatchObject([{ task_count: 1 }]);
  expect(meta.summary).toEqual({ created_count: 1, skipped_count: 3 });
  expect(Object.fromEntries(meta.skipped.map(({ reason, miner_ids }) => [reason, miner_ids]))).toEqual({
    not_found: [stranger],
    unsupported: [unableId],
    no_change: [runningId],
  });
  for (const answer of [first, { data }])
    expect((await ended(answer.data[0]?.batch_id, 120_000))?.status).toBe('succeeded');
  expect([running.reboots, other.reboots]).toEqual([1, 1]);
});

test.concurrent('the same Idempotency-Key gives the same batch and no second reboot; with another body it is refused', async () => {
  const [device, other] = take(2);
  if (device === undefined || other === undefined) throw new Error('the farm has too few miners');
  const [id = '', otherId = ''] = await idsOf([device, other]);
  const headers = { 'idempotency-key': 'reboot-after-dust' };
  const [first, again] = await Promise.all([post([id], headers), post([id], headers)]);
  expect(again).toEqual(first);
  const conflict = await site.call(
    'POST',
    '/tasks/batches',
    { task_name: 'miner.system.reboot', miner_ids: [otherId] },
    headers,
  );
  expect(conflict.status).toBe(409);
  const batchId = first.data[0]?.batch_id;
  expect((await ended(batchId, 120_000))?.status, wordsOf(batchId)).toBe('succeeded');
  expect(await post([id], headers)).toEqual(first);
  expect([device.reboots, other.reboots]).toEqual([1, 0]);
});
