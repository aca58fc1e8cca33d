// The board with several copies of the service: what is stored or set by one shows on the streams of another.
import { expect, test } from 'vitest';
import { read } from '../service-http/board-readers.ts';
import { minerRecord } from '../service-http/records.ts';
import { call, startRig } from '../service-http/rig.ts';
import { connect } from '../service-http/wire-agent.ts';

/** Beside it a copy finds by itself what others have set, but only every 5 s. */
const SOON = { timeout: 2_000, interval: 10 };
const KEY = '00000000-0000-4000-8000-00000000000a';

test('what is stored or set by one copy shows on the stream of another within 2 s', { timeout: 20_000 }, async () => {
  const first = await startRig();
  const second = await startRig({ databasePath: first.databasePath });
  const agent = await connect(first);
  const report = (hashrate: number) =>
    agent.report([minerRecord(1, first.clock.nowMs(), { key: KEY, document: { hashrate } })]);
  await report(1e14);
  const { reader } = await read(second);
  const miner = () => reader.rows.get(1);
  for (const hashrate of [11e12, 12e12]) {
    await report(hashrate);
    await expect.poll(() => miner()?.hashrateHs, SOON).toBe(hashrate);
  }
  // What came with the newest slice is read each second, whatever is set of it.
  await agent.report([minerRecord(2, first.clock.nowMs())]);
  const farm = `${first.url}/public-api/v2/workspaces/${first.workspaceId}/farms/${first.farmId}`;
  const send = (method: string, path: string, body: object) =>
    call(farm + path, {
      method,
      headers: { 'x-api-key': first.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (const rack of ['C03', 'C04', 'C05']) {
    expect((await send('PATCH', `/miners/${miner()?.id}`, { rack })).status).toBe(200);
    await expect.poll(() => miner()?.rack, SOON).toBe(rack);
  }
  const { status } = await send('PUT', '/containers/hall', {});
  expect(status).toBe(200);
  expect((await send('PUT', '/racks/C05', { container: 'hall' })).status).toBe(200);
  await expect.poll(() => miner()?.container, SOON).toBe('hall');
});
