// Agents of this version and of one to come, each saying what was frozen of it: the service takes everything, loses
// nothing that it knows, and serves it.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { query } from './database.ts';
import { type Rig, startRig } from './rig.ts';
import { enrol, helloOf, open, slice } from './wire-agent.ts';

const list = z.array(z.record(z.string(), z.unknown()));
const fileSchema = z.object({ agent: list, records: list });
const golden = (name: string) =>
  fileSchema.parse(JSON.parse(readFileSync(new URL(`../../../fixtures/wire/${name}.json`, import.meta.url), 'utf8')));

async function speak(rig: Rig, name: string) {
  const { agent: frames, records } = golden(name);
  const epoch = z.uuid().parse(frames[0]?.epoch);
  const agent = await open(rig, await enrol(rig), epoch);
  // The frozen proof is for the challenge of another connection.
  const { proof } = helloOf(agent);
  for (const frame of frames.filter(({ type }) => type !== 'epoch'))
    agent.sendBytes(JSON.stringify(frame.type === 'hello' ? { ...frame, proof } : frame));
  await agent.frame('welcome');
  agent.sendBytes(slice(epoch, 1, records));
  await agent.frame('ack');
  return agent;
}

test.each([
  ['present', 0],
  ['newer', 1],
])('an agent of the %s version is understood, and its miner served in both interfaces', async (name, rejected) => {
  const rig = await startRig();
  await speak(rig, name);
  const v1 = await rig.get(rig.farm('/miner/latest'));
  expect([v1.status, v1.body.data]).toMatchObject([
    200,
    [{ serial_number: 'SN-0001', mac: '02:00:00:00:00:01', hashrate: 110e12, pools: [{ worker_id: 'farm.1' }] }],
  ]);
  expect(JSON.stringify(v1.body)).not.toContain('newer_field');
  const v2 = await rig.get(`/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners`);
  expect([v2.status, v2.body.data]).toMatchObject([
    200,
    [{ make: 'Bitmain', cooling: name === 'newer' ? null : 'air', flags: [{ type: 'fan' }], fans: [{ rpm: 5_800 }] }],
  ]);
  expect(v2.body.data[0].flags).toHaveLength(1);
  expect(JSON.stringify(v2.body)).not.toContain('newer_field');
  const agents = await rig.post(`/private-api/v1/${rig.workspaceId}/agents/search`, {});
  expect([agents.status, agents.body.data]).toMatchObject([200, [{ version: '0.1.0', host: { cpu_count: 4 } }]]);
  const gaps = await query(rig, 'SELECT reason, count FROM gaps ORDER BY reason');
  const own = { reason: name === 'newer' ? 'moved_house' : 'restart', count: null };
  expect(gaps).toEqual(rejected === 0 ? [own] : [own, { reason: 'rejected', count: rejected }]);
  // The frozen hello says a time that is long over.
  expect(
    await query(rig, 'SELECT type FROM events WHERE type NOT IN (?, ?) ORDER BY type', 'clock_differs', 'flag_raised'),
  ).toEqual(
    name === 'present'
      ? [{ type: 'moved' }, { type: 'pools_changed' }, { type: 'task_on_site' }]
      : [{ type: 'pools_changed' }, { type: 'repainted' }],
  );
});
