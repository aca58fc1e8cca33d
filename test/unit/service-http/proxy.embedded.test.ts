// Whose address counts: that of the connection, unless a proxy that we trust says otherwise.
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { type Rig, startRig } from './rig.ts';

const limits = { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perStranger: 3 } };

const guess = async (rig: Rig, forwardedFor: string): Promise<number> =>
  (await rig.get(rig.farm('/miner/latest'), { 'x-api-key': 'guess', 'x-forwarded-for': forwardedFor })).status;

async function statusesOf(rig: Rig, addresses: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const address of addresses) statuses.push(await guess(rig, address));
  return statuses;
}

test('without a trusted proxy nobody gets more guesses by naming other addresses', async () => {
  const rig = await startRig({ limits });
  const addresses = Array.from({ length: 5 }, (_, n) => `203.0.113.${n}`);
  expect(await statusesOf(rig, addresses)).toEqual([401, 401, 401, 429, 429]);
});

test('a proxy that is not among the trusted ones is not believed', async () => {
  const rig = await startRig({ limits, trustProxy: ['192.0.2.1', '198.51.100.0/24'] });
  const addresses = Array.from({ length: 5 }, (_, n) => `203.0.113.${n}`);
  expect(await statusesOf(rig, addresses)).toEqual([401, 401, 401, 429, 429]);
});

test('behind a trusted proxy each client has its own rate, and cannot borrow one', async () => {
  const rig = await startRig({ limits, trustProxy: ['127.0.0.0/8'] });
  expect(
    await statusesOf(
      rig,
      Array.from({ length: 4 }, () => '203.0.113.1'),
    ),
  ).toEqual([401, 401, 401, 429]);
  expect(await guess(rig, '203.0.113.2')).toBe(401);
  // What the client wrote itself stands in front of what the proxy saw.
  const forged = Array.from({ length: 4 }, (_, n) => `10.9.8.${n}, 203.0.113.3`);
  expect(await statusesOf(rig, forged)).toEqual([401, 401, 401, 429]);
});

test('what a proxy says is no address of a path, a host or a log', async () => {
  const rig = await startRig({ trustProxy: ['127.0.0.0/8'] });
  const { status } = await rig.get('/healthz', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' });
  expect(status).toBe(200);
});
