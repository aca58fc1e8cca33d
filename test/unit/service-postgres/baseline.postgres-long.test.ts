// The upgrade from the baseline version on PostgreSQL, under load: beside a copy of the baseline nothing is changed and
// its history stays right; once it is stopped this version takes over history, tasks, events, keys and agents; the
// baseline does not come back onto the new schema.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../src/base/clock.ts';
import { createService } from '../../../src/service/service.ts';
import { STEPS } from '../../../src/service/store/migrations/migrations.ts';
import { checkOutBaseline, runBaseline, startBaselineService } from '../../skew/baseline.ts';
import { newDatabase, queryDatabase, temporaryDatabase } from '../../support/database.ts';
import { minerRecord } from '../service-http/records.ts';
import { call, recordingLog, steppedClock } from '../service-http/rig.ts';
import { enrolBy, helloOf, type Identity, open } from '../service-http/wire-agent.ts';

const MINERS = 30;
const clock = steppedClock();

const jsonOf = <S extends z.ZodType>(schema: S, text: string): z.infer<S> => schema.parse(JSON.parse(text));

async function connectTo(url: string, identity: Identity, epoch?: string, nextSeq = 1) {
  const agent = await open({ url, clock }, identity, epoch, nextSeq);
  // The baseline calls the instance id `home`.
  agent.sendBytes(JSON.stringify({ ...helloOf(agent), next_seq: nextSeq, home: agent.epoch }));
  await agent.frame('welcome');
  return agent;
}

const KEYS = Array.from({ length: MINERS }, () => randomUUID());
/** Agents of the baseline tell no algorithm. */
const reportOf = () => KEYS.map((key, n) => minerRecord(n, Date.now(), { key, extras: { algorithm: null } }));

const columns = (target: string) =>
  queryDatabase(
    target,
    `SELECT table_name || '.' || column_name || ' ' || data_type AS has FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY 1`,
  );

test.runIf(existsSync(new URL('../../../.git', import.meta.url)))(
  'the baseline and this version on one database: history, tasks and events are right on both sides',
  async () => {
    const target = await temporaryDatabase();
    const folder = checkOutBaseline();
    const old = await startBaselineService(folder, target);
    const run = (...args: string[]) => runBaseline(folder, ...args, '--database', target, '--json');
    const { key } = jsonOf(z.object({ key: z.string() }), run('key', 'create', '--name', 'test'));
    const { code } = jsonOf(z.object({ code: z.string() }), run('enroll'));
    const enrolled = (await enrolBy({ url: old.url }, code)).body;
    const identity: Identity = { agentId: enrolled.agent_id, token: enrolled.token };
    const farm = `${enrolled.workspace_id}/farms/${enrolled.farm_id}`;
    const ask = (url: string, path: string, body?: unknown) =>
      call(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const historyOf = async (url: string) => {
      const at = { from_time: new Date(Date.now() - 1_200_000).toISOString(), to_time: new Date().toISOString() };
      const path = `/public-api/v2/workspaces/${farm}/metrics/query`;
      const { status, body } = await ask(url, path, { ...at, granularity: '10min' });
      expect(status).toBe(200);
      return body.data
        .filter(({ hashrate_avg }: { hashrate_avg: number | null }) => hashrate_avg !== null)
        .map(({ from, hashrate_avg, power_avg, miners_total }: Record<string, unknown>) => ({
          ...{ from, hashrate_avg, power_avg, miners_total },
        }));
    };
    const agent = await connectTo(old.url, identity);
    let isOver = false;
    let reports = 0;
    const reporting = (async () => {
      while (!isOver) {
        await agent.report(reportOf());
        reports++;
      }
    })();
    await expect.poll(() => reports).toBeGreaterThan(5);
    const list = await ask(old.url, `/private-api/v1/${farm}/miner/latest`);

    const log = recordingLog();
    const start = () =>
      createService({ databasePath: target, host: '127.0.0.1', port: 0, clock: systemClock, log, version: '0.2.0' });
    for (let tries = 0; tries < 3; tries++) {
      const refused: unknown = await start().catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'service.older-copies' });
      expect(String(refused)).toContain('from 127.0.0.1, connected since');
    }
    const before = reports;
    await expect.poll(() => reports).toBeGreaterThan(before + 5);
    expect((await call(`${old.url}/readyz`, {})).status).toBe(200);
    isOver = true;
    await reporting;
    await agent.close();
    const order = { task_name: 'miner.system.reboot', miner_ids: list.body.data.map(({ id }: { id: string }) => id) };
    expect((await ask(old.url, `/private-api/v1/${farm}/tasks/batches`, order)).status).toBe(200);
    const [oldHistory, oldTasks, oldEvents] = [
      await historyOf(old.url),
      await queryDatabase(target, 'SELECT id, status FROM tasks ORDER BY id'),
      await queryDatabase(target, 'SELECT type, at, miner_id FROM events ORDER BY at, type, miner_id'),
    ];
    expect(oldHistory.at(-1)).toMatchObject({ miners_total: MINERS });
    expect(oldHistory.at(-1).hashrate_avg).toBeGreaterThan(0);
    expect(oldTasks).toHaveLength(order.miner_ids.length);
    await old.stop();

    const service = await start();
    onTestFinished(() => service.stop());
    const { url } = await service.start();
    expect(await queryDatabase(target, 'SELECT version FROM schema_version')).toEqual([{ version: STEPS.length }]);
    expect(await historyOf(url)).toEqual(oldHistory);
    expect(await queryDatabase(target, 'SELECT id, status FROM tasks ORDER BY id')).toEqual(oldTasks);
    expect(await queryDatabase(target, 'SELECT type, at, miner_id FROM events ORDER BY at, type, miner_id')).toEqual(
      oldEvents,
    );
    const again = await connectTo(url, identity, agent.epoch, reports + 1);
    for (let n = 0; n < 3; n++) await again.report(reportOf());
    // What was ordered before the upgrade is carried out after it.
    const tasksOf = () => again.frames.filter((frame) => frame.type === 'task');
    await expect.poll(() => tasksOf().length).toBe(oldTasks.length);
    const at = new Date().toISOString();
    const done = { kind: 'task' as const, status: 'succeeded' as const, at, message: null, evidence: {} };
    await again.report(tasksOf().map(({ task_id }) => ({ ...done, task_id })));
    expect(await queryDatabase(target, 'SELECT id, status FROM tasks ORDER BY id')).toEqual(
      oldTasks.map(({ id }) => ({ id, status: 'succeeded' })),
    );
    const history = await historyOf(url);
    expect(history.at(-1).hashrate_avg).toBeGreaterThan(0.9 * oldHistory.at(-1).hashrate_avg);
    expect(history.at(-1).miners_total).toBe(MINERS);
    expect((await ask(url, `/private-api/v1/${farm}/miner/latest`)).body.data).toHaveLength(list.body.data.length);
    await expect(startBaselineService(folder, target)).rejects.toThrow(/schema 2, this version knows 1/);
    expect((await call(`${url}/readyz`, {})).status).toBe(200);

    // What the step adds is all that a new database has.
    const fresh = await newDatabase({ isReady: true });
    onTestFinished(() => fresh.drop());
    expect(await columns(target)).toEqual(await columns(fresh.target));
  },
);
