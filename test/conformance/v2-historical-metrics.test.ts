// POST …/metrics/query over the wire: what an agent reports is there at once, in whole buckets; windows beyond the
// limits are refused.
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  classificationSchema,
  metricsBucketSchema,
  metricsSeriesSchema,
  minerMetricsBucketSchema,
} from '../../src/wire/api/metrics.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { type Rig, startRig } from '../unit/service-http/rig.ts';
import { connect } from '../unit/service-http/wire-agent.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const pathOf = (rig: Rig) => `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/metrics/query`;
const iso = (ms: number) => new Date(ms).toISOString();
const answerSchema = z.strictObject({
  success: z.literal(true),
  data: z.array(metricsBucketSchema),
  error: z.null(),
});

test('reports show in the hour by default, and the other granularities agree', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  await agent.report([minerRecord(1, nowMs), minerRecord(2, nowMs)]);
  const window = { from_time: iso(nowMs - 1), to_time: iso(nowMs + 1) };
  const { status, body } = await rig.post(pathOf(rig), window);
  expect(status).toBe(200);
  const { data } = answerSchema.parse(body);
  expect(data.at(-1)).toMatchObject({
    hashrate_avg: 220e12,
    expected_hashrate_avg: 220e12,
    power_avg: 6_500,
    temperature_avg: 71.5,
    temperature_max: 71.5,
    miners_online_avg: 2,
    miners_total: 2,
  });
  expect(data.at(-1)?.efficiency).toBeCloseTo(6_500 / 220, 9);
  for (const granularity of ['10min', 'hour', 'day', 'week']) {
    const other = answerSchema.parse((await rig.post(pathOf(rig), { ...window, granularity })).body);
    expect(other.data.at(-1)).toMatchObject({ hashrate_avg: 220e12, miners_online_avg: 2 });
  }
});

test('windows are half-open, answered in whole buckets, and as long as the granularity allows', async () => {
  const rig = await startRig();
  const begin = Date.UTC(2026, 0, 5);
  const ask = (granularity: string, fromMs: number, toMs: number) =>
    rig.post(pathOf(rig), { granularity, from_time: iso(fromMs), to_time: iso(toMs) });
  const limits = { '10min': [1, 144], hour: [7, 168], day: [90, 90], week: [365, 53] } as const;
  for (const [granularity, [days, count]] of Object.entries(limits)) {
    const longest = await ask(granularity, begin, begin + days * DAY_MS);
    expect(longest.status).toBe(200);
    const { data } = answerSchema.parse(longest.body);
    expect(data).toHaveLength(count);
    expect(data[0]?.from).toBe('2026-01-05T00:00:00.000Z');
    expect(data.every(({ coverage, hashrate_avg }) => coverage === 0 && hashrate_avg === null)).toBe(true);
    const longer = await ask(granularity, begin, begin + days * DAY_MS + 1);
    expect(longer.status).toBe(400);
    expect(longer.body.message).toContain('to_time');
  }
  const inside = await ask('hour', begin + 1_800_000, begin + HOUR_MS + 1);
  expect(inside.body.data.map(({ from }: { from: string }) => from)).toEqual([
    '2026-01-05T00:00:00.000Z',
    '2026-01-05T01:00:00.000Z',
  ]);
});

test('what is no window is refused with the field', async () => {
  const rig = await startRig();
  const good = { from_time: '2026-01-05T00:00:00Z', to_time: '2026-01-05T01:00:00Z' };
  const bad: readonly (readonly [string, unknown])[] = [
    ['from_time', { to_time: good.to_time }],
    ['to_time', { from_time: good.from_time }],
    ['to_time', { ...good, to_time: good.from_time }],
    ['from_time', { ...good, from_time: '2026-01-05' }],
    ['granularity', { ...good, granularity: 'month' }],
    ['farms', { ...good, farms: [] }],
    ['from_time', { from_time: '0000-01-01T00:00:00Z', to_time: '0000-01-01T01:00:00Z' }],
    ['to_time', { from_time: '9999-12-31T00:00:00Z', to_time: '9999-12-31T01:00:00Z' }],
  ];
  for (const [field, body] of bad) {
    const answer = await rig.post(pathOf(rig), body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(field);
  }
});

test("of one miner: the hour that is reported, whole hours, days and weeks; nothing finer, and no other farm's miner", async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  await agent.report([minerRecord(1, nowMs)]);
  const [miner] = (await rig.get(rig.farm('/miner/latest'))).body.data;
  const farmPath = pathOf(rig).replace('/metrics/query', '');
  const ask = (id: string, change: object = {}) =>
    rig.post(`${farmPath}/miners/${id}/metrics/query`, { from_time: iso(nowMs), to_time: iso(nowMs + 1), ...change });
  for (const granularity of ['hour', 'day', 'week']) {
    const { status, body } = await ask(miner.id, { granularity });
    expect(status).toBe(200);
    const data = z.array(minerMetricsBucketSchema).parse(body.data);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({ hashrate_avg: 110e12, power_avg: 3_250, temperature_max: 71.5, online_avg: 1 });
  }
  const finer = await ask(miner.id, { granularity: '10min' });
  expect([finer.status, finer.body.message]).toEqual([400, expect.stringContaining('granularity')]);
  const longer = await ask(miner.id, { to_time: iso(nowMs + 8 * DAY_MS) });
  expect([longer.status, longer.body.message]).toEqual([400, expect.stringContaining('to_time')]);
  expect((await ask(rig.farmId)).status).toBe(404);
});

test('in groups: a series for each value, and no hashrate where two coins would be added up', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  await agent.report([
    minerRecord(1, nowMs, { extras: { algorithm: 'sha256' }, document: { model: 'S19' } }),
    minerRecord(2, nowMs, { extras: { algorithm: 'scrypt' }, document: { model: 'L9', hashrate: 16e9 } }),
  ]);
  const ask = (change: object) => rig.post(pathOf(rig), { from_time: iso(nowMs), to_time: iso(nowMs + 1), ...change });
  const whole = answerSchema.parse((await ask({})).body).data[0];
  const none = { hashrate_avg: null, expected_hashrate_avg: null, efficiency: null };
  expect(whole).toMatchObject({ ...none, power_avg: 6_500, miners_total: 2, algorithms: ['scrypt', 'sha256'] });
  const series = async (change: object) => z.array(metricsSeriesSchema).parse((await ask(change)).body.data);
  for (const granularity of ['10min', 'hour', 'day', 'week'])
    expect(await series({ group_by: 'algorithm', granularity })).toMatchObject([
      { group: 'scrypt', buckets: [{ hashrate_avg: 16e9, power_avg: 3_250, miners_online_avg: 1 }] },
      { group: 'sha256', buckets: [{ hashrate_avg: 110e12, power_avg: 3_250, miners_online_avg: 1 }] },
    ]);
  expect(await series({ group_by: 'model' })).toMatchObject([
    { group: 'L9', buckets: [{ hashrate_avg: 16e9, power_avg: 3_250, expected_hashrate_avg: null }] },
    { group: 'S19', buckets: [{ hashrate_avg: 110e12, power_avg: 3_250, coverage: expect.any(Number) }] },
  ]);
  expect(await series({ group_by: 'rack' })).toMatchObject([
    { group: null, buckets: [{ ...none, power_avg: 6_500, algorithms: ['scrypt', 'sha256'] }] },
  ]);
  const refused = await ask({ group_by: 'rack', granularity: 'day' });
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('granularity')]);
  expect((await ask({ group_by: 'hostname' })).status).toBe(400);
});

test('counts in groups, with the figures of those that are online', async () => {
  const rig = await startRig();
  const agent = await connect(rig);
  const nowMs = rig.clock.nowMs();
  await agent.report([
    minerRecord(1, nowMs, { extras: { algorithm: 'sha256' }, document: { anomaly_flags: 1 } }),
    minerRecord(2, nowMs, { extras: { algorithm: null } }),
    minerRecord(3, nowMs, { extras: { algorithm: 'scrypt' }, document: { model: 'L9', hashrate: 16e9 } }),
  ]);
  const path = pathOf(rig).replace('/metrics/', '/miner-metrics/');
  const ask = async (body?: object) => classificationSchema.parse((await rig.post(path, body ?? {})).body.data);
  expect(await ask()).not.toHaveProperty('groups');
  const usual = { hashrate: 110e12, expected_hashrate: 110e12 };
  const both = { algorithms: ['sha256', null] };
  expect((await ask({ group_by: 'model' })).groups).toEqual([
    { value: 'Antminer S19 Pro', count: 2, online: 2, with_anomalies: 1, ...usual, power: 6_500, ...both },
    { value: 'L9', count: 1, online: 1, with_anomalies: 0, ...usual, hashrate: 16e9, power: 3_250 },
  ]);
  const [all] = (await ask({ group_by: 'container' })).groups ?? [];
  const several = { algorithms: ['scrypt', 'sha256', null] };
  expect(all).toMatchObject({
    value: null,
    count: 3,
    hashrate: null,
    expected_hashrate: null,
    power: 9_750,
    ...several,
  });
  rig.clock.step(24 * HOUR_MS);
  const [stale] = (await ask({ group_by: 'container' })).groups ?? [];
  expect(stale).toMatchObject({ count: 3, online: 0, hashrate: null, power: null });
});
