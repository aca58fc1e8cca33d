// A company: farms of 10,000 miners, copies of the service on one PostgreSQL that synchronises its writes, and agents
// that report over real uplinks. How fast everything is stored the first time; then, while every miner reports once a
// minute, how long storing and the questions of integrators take, and what each copy needs of its processor.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createService } from '../../src/service/service.ts';
import type { MinerRecord } from '../../src/wire/records.ts';
import { startCluster } from '../postgres/cluster.ts';
import { fleetRecord, SLICE } from '../unit/service/store/fleet.ts';
import { type BenchAgent, connect } from './bench-agent.ts';
import { type BenchService, startServiceProcess } from './farm-process.ts';
import { print, stats, timed } from './figures.ts';

const FARM_SIZE = 10_000;
const ROUND_MS = 60_000;

type Site = { readonly farmId: string; readonly first: number; readonly agent: BenchAgent };

export async function benchFleet(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '100000' },
      copies: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '60' },
    },
  });
  const [miners = 0, copyCount = 0, seconds = 0] = [values.miners, values.copies, values.seconds].map(Number);
  const cluster = await startCluster({ isDurable: true });
  const copies: Awaited<ReturnType<typeof startServiceProcess>>[] = [];
  try {
    for (let n = 0; n < copyCount; n++) copies.push(await startServiceProcess(cluster.url));
    const sites = await enrolFarms(cluster.url, copies, Math.ceil(miners / FARM_SIZE));
    print(`${sites.length} farms of ${FARM_SIZE} miners, ${copies.length} copies on one PostgreSQL`);
    await firstTime(sites, copies);
    await inTheRhythm(sites, copies, seconds);
    for (const { agent } of sites) agent.close();
  } finally {
    for (const { stop } of copies) await stop();
    await cluster.stop();
  }
}

/** One farm after the other, each with an agent; the agents are spread over the copies. */
async function enrolFarms(database: string, copies: readonly BenchService[], count: number): Promise<Site[]> {
  const options = { host: '127.0.0.1', port: 0, clock: systemClock, log: silentLog, version: 'bench' };
  const service = await createService({ ...options, databasePath: database });
  try {
    const { workspaceId } = await service.admin.ensureDefaults();
    const sites: Site[] = [];
    for (let n = 0; n < count; n++) {
      const { id: farmId } = await service.admin.createFarm({ workspaceId, name: `farm ${n + 1}` });
      const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 600_000, maxMiners: 2 * FARM_SIZE });
      const copy = copies[n % copies.length];
      if (copy === undefined) throw new Error('there is at least one copy');
      sites.push({ farmId, first: n * FARM_SIZE, agent: await connect({ url: copy.url, code }) });
    }
    return sites;
  } finally {
    await service.stop();
  }
}

/** What a poll of the farm gives: hashrates are never the same twice. */
function recordsOf({ first }: Site, from: number, nowMs: number): MinerRecord[] {
  const end = Math.min(FARM_SIZE, from + SLICE);
  return Array.from({ length: end - from }, (_, n) => {
    const record = fleetRecord(first + from + n, nowMs);
    const { hashrate } = record.document;
    return {
      ...record,
      document: { ...record.document, hashrate: hashrate && hashrate * (0.99 + Math.random() / 50) },
    };
  });
}

async function firstTime(sites: readonly Site[], copies: readonly BenchService[]): Promise<void> {
  const times: number[] = [];
  const used = await cpuOf(copies);
  const startMs = performance.now();
  await Promise.all(
    sites.map(async (site) => {
      for (let from = 0; from < FARM_SIZE; from += SLICE)
        times.push(await timed(() => site.agent.report(recordsOf(site, from, Date.now()))));
    }),
  );
  const elapsedS = (performance.now() - startMs) / 1_000;
  const count = sites.length * FARM_SIZE;
  print(`first time: ${Math.round(count / elapsedS)} records/s; slices of ${SLICE}: ${stats(times)}`);
  print(`  ${await usedPerRecord(copies, used, count)}`);
}

/** Each farm sends its slices spread over the round, as an agent does. */
async function keepReporting(
  sites: readonly Site[],
  signal: AbortSignal,
): Promise<{ times: number[]; lateMs: number }> {
  const times: number[] = [];
  let lateMs = 0;
  const everyMs = (ROUND_MS * SLICE) / FARM_SIZE;
  await Promise.all(
    sites.map(async (site, n) => {
      let dueMs = performance.now() + (everyMs * n) / sites.length;
      for (let from = 0; !signal.aborted; from = (from + SLICE) % FARM_SIZE) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
        lateMs = Math.max(lateMs, performance.now() - dueMs);
        times.push(await timed(() => site.agent.report(recordsOf(site, from, Date.now()))));
        dueMs += everyMs;
      }
    }),
  );
  return { times, lateMs };
}

async function inTheRhythm(sites: readonly Site[], copies: readonly BenchService[], seconds: number): Promise<void> {
  const stopping = new AbortController();
  const [used, hostBefore, startMs] = [await cpuOf(copies), busyMs(), performance.now()];
  const reporting = keepReporting(sites, stopping.signal);
  const asked = await askUntil(startMs + seconds * 1_000, sites, copies);
  stopping.abort();
  const { times, lateMs } = await reporting;
  const elapsedMs = performance.now() - startMs;
  const count = times.length * SLICE;
  print(
    `once a minute each: ${Math.round((count * 1_000) / elapsedMs)} records/s, at most ${Math.round(lateMs)} ms late`,
  );
  print(`  slices of ${SLICE}, sent to acknowledged: ${stats(times)}`);
  print(`  ${await usedPerRecord(copies, used, count)}, the questions below included`);
  const host = (busyMs() - hostBefore) / elapsedMs;
  print(`  of this host, PostgreSQL and the senders included: ${host.toFixed(2)} cores of ${cpus().length}`);
  for (const [what, list] of asked) print(`  ${what}: ${list.length} asked, ${stats(list)}`);
}

/** Questions of integrators one after the other, at each copy and farm in turn, until the time is over. */
async function askUntil(endMs: number, sites: readonly Site[], copies: readonly BenchService[]) {
  const asked = new Map<string, number[]>();
  for (let turn = 0; performance.now() < endMs; turn++) {
    const [site, copy] = [sites[turn % sites.length], copies[turn % copies.length]];
    if (site === undefined || copy === undefined) break;
    for (const { what, path, body } of questionsAt(turn)) {
      const url = `${copy.url}/public-api/v2/workspaces/${copy.workspaceId}/farms/${site.farmId}${path}`;
      const times = asked.get(what) ?? [];
      times.push(await timed(() => ask(url, copy.key, body)));
      asked.set(what, times);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return asked;
}

const PAUSE_MS = 250;
const HOUR_MS = 3_600_000;

type Question = { readonly what: string; readonly path: string; readonly body?: unknown };

function questionsAt(turn: number): readonly Question[] {
  const nowMs = Date.now();
  const range = { from_time: new Date(nowMs - HOUR_MS).toISOString(), to_time: new Date(nowMs).toISOString() };
  return [
    { what: 'page of 50', path: `/miners?page_size=50&page=${(turn % 20) + 1}` },
    { what: 'flagged miners', path: '/miners?has_anomaly=true&page_size=50' },
    {
      what: 'search by model and part of an address',
      path: '/miners/search',
      body: { model: { eq: 'Antminer S21' }, search: { field: 'ip', value: '.7' } },
    },
    { what: 'counts by class', path: '/miner-metrics/query', body: {} },
    { what: 'metrics of an hour', path: '/metrics/query', body: { ...range, granularity: '10min' } },
    ...(turn % 10 === 0 ? [{ what: 'page of 10,000', path: '/miners?page_size=10000' }] : []),
  ];
}

async function ask(url: string, key: string, body: unknown): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const reply = await request(url, {
    ...{ headers, method: body === undefined ? 'GET' : 'POST' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${url}: ${reply.statusCode} ${text.slice(0, 300)}`);
}

const cpuSchema = z.object({ user: z.number(), system: z.number() });

/** Microseconds of the processor that each copy has used so far. */
const cpuOf = (copies: readonly BenchService[]): Promise<number[]> =>
  Promise.all(
    copies.map(async ({ bareUrl }) => {
      const { body } = await request(`${bareUrl}/cpu`);
      const { user, system } = cpuSchema.parse(await body.json());
      return user + system;
    }),
  );

async function usedPerRecord(copies: readonly BenchService[], before: readonly number[], count: number) {
  const after = await cpuOf(copies);
  const used = after.reduce((sum, usedUs, n) => sum + usedUs - (before[n] ?? 0), 0);
  return `${(used / count).toFixed(1)} us of the copies' processors for each record`;
}

/** Of all processors of this host, since it started. */
const busyMs = () => cpus().reduce((sum, { times }) => sum + times.user + times.sys + times.irq + times.nice, 0);
