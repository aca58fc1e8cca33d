// What agents report arrives exactly once, in order, and is served as it was said.
import { expect, test } from 'vitest';
import { minerV1Schema } from '../../../src/model/miner.ts';
import { minerRecord } from './records.ts';
import { startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

test('a reported miner is served with every field of the interface', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const record = minerRecord(1, rig.clock.nowMs());
  await agent.report([record]);
  const { status, body } = await rig.get(rig.farm('/miner/latest'));
  expect(status).toBe(200);
  expect(body).toMatchObject({
    success: true,
    error: null,
    pagination: { total: 1, limit: 10, offset: 0, hasNext: false, hasPrevious: false },
  });
  const miner = minerV1Schema.parse(body.data[0]);
  expect(miner).toMatchObject({
    ...record.document,
    farm_id: rig.farmId,
    farm: { id: rig.farmId, name: 'Default' },
    workspace_id: rig.workspaceId,
    status: 'online',
    stale: false,
    lifecycle_status: 'online',
    ops_status: null,
    health_status: null,
    rack: null,
    position: null,
    created_at: record.at,
  });
});
