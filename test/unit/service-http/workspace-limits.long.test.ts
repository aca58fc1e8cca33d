// The limits of a workspace over HTTP: the headers say what is left, a large answer costs what it was, large requests
// wait in a bounded line, and small ones do not.
import { request } from 'undici';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { minerRecord } from './records.ts';
import { startRig } from './rig.ts';
import { connect } from './wire-agent.ts';

const MINERS = 1_100;

async function startWith(perWorkspace: number) {
  const rig = await startRig({ limits: { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perWorkspace } } });
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  for (let n = 0; n < MINERS; n += 100)
    await agent.report(Array.from({ length: 100 }, (_, index) => minerRecord(n + index, nowMs)));
  const headers = { 'x-api-key': rig.key, 'accept-encoding': 'identity' };
  return {
    rig,
    list: (size: number, more = '') => rig.get(rig.farm(`/miner/latest?pageSize=${size}${more}`), headers),
  };
}
const leftOf = ({ headers }: { headers: Headers }) => Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

test('each answer says what is left; a large one costs by its bytes and no more', async () => {
  const { list } = await startWith(120);
  // Starts the thread that makes them.
  await list(200);
  const small = await list(10);
  expect(small.headers.get('ratelimit-policy')).toBe('"workspace";q=120;w=60');
  expect(small.headers.get('ratelimit')).toMatch(/^"workspace";r=1[12]\d;t=[0-5]$/);
  const large = await list(10_000);
  const bytes = Number(large.headers.get('content-length'));
  expect(bytes).toBeGreaterThan(1_000_000);
  // Points come back meanwhile, two in a second; before the answer a hundred were taken.
  const cost = leftOf(small) - leftOf(large);
  expect(cost).toBeLessThanOrEqual(1 + Math.floor(bytes / 200_000));
  expect(cost).toBeGreaterThan(0);
  expect(leftOf(await list(10))).toBeGreaterThan(100);
});

test('a large request that there are not enough points for is refused before it is made, a small one is not', async () => {
  const { list } = await startWith(101);
  expect((await list(10)).status).toBe(200);
  const refused = await list(10_000, '&mining_modes_not_in=none');
  expect([refused.status, refused.body.message]).toEqual([429, expect.stringContaining('this request costs 101')]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await list(10)).status).toBe(200);
});

test('too many large requests at once are refused, and small ones go past them', async () => {
  const { rig, list } = await startWith(1e9);
  let served = 0;
  const large = Array.from({ length: 200 }, async (_, n) => {
    const answer = await list(1_000, `&mining_modes_not_in=none${n}`);
    if (answer.status === 200) served++;
    return answer;
  });
  const small = await list(10);
  const servedBefore = served;
  const answers = await Promise.all(large);
  expect(small.status).toBe(200);
  expect(servedBefore).toBeLessThan(served);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  const refused = answers.find(({ body }) => /large requests of the workspace wait/.test(body.message));
  expect(refused?.status).toBe(429);
  expect(refused?.headers.get('retry-after')).toBe('2');
  const headers = { 'x-api-key': rig.key };
  const path = rig.url + rig.farm('/miner/latest?pageSize=10000');
  const head = await request(path, { method: 'HEAD', headers });
  expect([head.statusCode, Number(head.headers['content-length']) > 1_000_000]).toEqual([200, true]);
});
