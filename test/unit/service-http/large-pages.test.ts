// Large pages of both versions over HTTP: compressed for who takes it, the same bytes for who does not, and what a
// client changed shows at once.
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { minerRecord } from './records.ts';
import { startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

const MINERS = 300;

test('a large page is compressed for who takes it, in both versions', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  await agent.report(Array.from({ length: MINERS }, (_, n) => minerRecord(n, nowMs)));
  const v2 = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners`;
  const get = async (path: string, coding: string) => {
    const headers = { 'x-api-key': rig.key, 'accept-encoding': coding };
    const answer = await request(rig.url + path, { headers });
    expect(answer.statusCode).toBe(200);
    return { headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  };
  for (const path of [rig.farm('/miner/latest?pageSize=1000'), `${v2}?page_size=1000`]) {
    const plain = await get(path, 'identity');
    const small = await get(path, 'br, gzip');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(small.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'application/json; charset=utf-8',
      vary: expect.stringContaining('accept-encoding'),
    });
    expect(small.bytes.length).toBeLessThan(plain.bytes.length / 4);
    const [unpacked, said] = [gunzipSync(small.bytes), plain.bytes].map((bytes) => JSON.parse(bytes.toString('utf8')));
    expect(unpacked).toEqual(said);
    expect(said.data).toHaveLength(MINERS);
    expect((await get(path.replace('1000', '1'), 'gzip')).headers['content-encoding']).toBeUndefined();
  }
});
