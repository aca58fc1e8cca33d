// /metrics: what happened is counted under routes, kinds and states; no id, address, key or token shows. A revoked
// agent is let go.
import { expect, onTestFinished, test } from 'vitest';
import { query } from './database.ts';
import { hostRecord, minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

const scrape = async (rig: Rig) => {
  const response = await fetch(`${rig.url}/metrics`, { headers: { 'x-api-key': rig.key } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/plain');
  return response.text();
};

/** The value of the line with this name and these labels. */
const read = (text: string, line: string) =>
  Number(
    text
      .split('\n')
      .find((each) => each.startsWith(`${line} `))
      ?.slice(line.length + 1) ?? Number.NaN,
  );

test('requests, agents, ingest and tasks are counted', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const record = minerRecord(1, rig.clock.nowMs());
  await agent.report([record, hostRecord(rig.clock.nowMs())]);
  await agent.report([record], 1);
  const { body } = await rig.get(rig.farm('/miner/latest'));
  await rig.get(rig.farm('/miner/latest'), {});
  await fetch(`${rig.url}/no/such/${rig.farmId}`);
  await rig.post(rig.farm('/tasks/batches'), { task_name: 'miner.system.reboot', miner_ids: [body.data[0].id] });
  const text = await scrape(rig);
  const route = '/private-api/v1/:workspace_id/farms/:farm_id/miner/latest';
  expect(read(text, `pithead_http_requests_total{method="GET",route="${route}",status="200"}`)).toBe(1);
  expect(read(text, `pithead_http_requests_total{method="GET",route="${route}",status="401"}`)).toBe(1);
  expect(read(text, 'pithead_http_requests_total{method="GET",route="(none)",status="404"}')).toBe(1);
  expect(read(text, `pithead_http_request_duration_seconds_count{method="GET",route="${route}"}`)).toBe(2);
  expect(read(text, 'pithead_agents_connected')).toBe(1);
  expect(read(text, 'pithead_ingest_slices_total{outcome="stored"}')).toBe(1);
  expect(read(text, 'pithead_ingest_slices_total{outcome="duplicate"}')).toBe(1);
  expect(read(text, 'pithead_ingest_records_total{kind="miner"}')).toBe(1);
  expect(read(text, 'pithead_ingest_records_total{kind="host"}')).toBe(1);
  expect(read(text, 'pithead_ingest_lag_seconds_count')).toBe(1);
  expect(read(text, 'pithead_tasks{status="pending"}')).toBe(1);
  expect(read(text, 'pithead_tasks{status="succeeded"}')).toBe(0);
  const { key, workspaceId, farmId } = rig;
  for (const secret of [
    key,
    workspaceId,
    farmId,
    agent.identity.agentId,
    agent.identity.token,
    '127.0.0.1',
    '10.0.0.1',
  ])
    expect(text).not.toContain(secret);
});

test('the figures count all workspaces, so a tenant does not read them, whatever its key may do', async () => {
  const rig = await startRig();
  const tenant = await rig.service.admin.createWorkspace({ name: 'Tenant', slug: 'tenant' });
  for (const role of ['viewer', 'admin'] as const) {
    const { key } = await rig.service.admin.createKey({ workspaceId: tenant.id, name: role, role });
    const { status, body } = await rig.get('/metrics', { 'x-api-key': key });
    expect([status, body]).toEqual([
      403,
      {
        statusCode: 403,
        message: 'Access denied: this counts all workspaces, so it is for keys of the workspace default',
        error: 'Forbidden',
      },
    ]);
  }
  expect(await scrape(rig)).toContain('pithead_tasks{');
});

test('while the database is away the figures of the process are there, those of the database are not', async () => {
  const rig = await startRig();
  await query(rig, 'ALTER TABLE tasks RENAME TO tasks_away');
  onTestFinished(async () => void (await query(rig, 'ALTER TABLE tasks_away RENAME TO tasks')));
  const text = await scrape(rig);
  expect(read(text, 'process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(text).toContain('# TYPE process_cpu_seconds_total counter');
  expect(text).not.toMatch(/^pithead_tasks\{/m);
});

test('an agent that is revoked is let go and cannot come back', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  expect(await rig.service.admin.revokeAgent(agent.identity.agentId)).toBe(true);
  expect(await rig.service.admin.revokeAgent(agent.identity.agentId)).toBe(false);
  expect(await agent.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('revoked') });
  await expect(connect(rig, { identity: agent.identity })).rejects.toThrow('401');
});
