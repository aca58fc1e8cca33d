// The lists of v1 and v2: a page of every miner against the same bytes from a bare server in the same process, in turns
// in one run; then a page of 50 while reports come in at the rate that one agent may have (25,000 a minute).
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { z } from 'zod';
import type { MinerRecord } from '../../src/wire/records.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { type BenchAgent, connect } from './bench-agent.ts';
import { type BenchService, startServiceProcess } from './farm-process.ts';
import { median, print, stats, timed } from './figures.ts';

const SLICE = 500;
const REPORTS_PER_S = 25_000 / 60;

export async function benchList(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '30' },
      seconds: { type: 'string', default: '15' },
    },
  });
  const [miners = 0, rounds = 0, seconds = 0] = [values.miners, values.rounds, values.seconds].map(Number);
  const ready = await startServiceProcess();
  try {
    const agent = await connect(ready);
    const records = Array.from({ length: miners }, (_, index) => minerRecord(index, Date.now()));
    for (const pass of ['first', 'again']) await fill(agent, records, pass);
    await largePages(ready, Math.min(miners, 10_000), rounds);
    await smallPages(ready, 'quiet', seconds);
    const stopping = new AbortController();
    const load = keepReporting(agent, records, stopping.signal);
    await smallPages(ready, 'under ingest', seconds);
    await largePages(ready, Math.min(miners, 10_000), rounds, 'under ingest');
    stopping.abort();
    print(`  slices of ${SLICE} in that time: ${stats(await load)}`);
    agent.close();
  } finally {
    await ready.stop();
  }
}

const freshened = (records: readonly MinerRecord[]): MinerRecord[] => {
  const at = new Date().toISOString();
  return records.map((record) => ({ ...record, at, document: { ...record.document, last_updated_at: at } }));
};

async function fill(agent: BenchAgent, records: readonly MinerRecord[], pass: string): Promise<void> {
  const times: number[] = [];
  for (let start = 0; start < records.length; start += SLICE) {
    const part = freshened(records.slice(start, start + SLICE));
    times.push(await timed(() => agent.report(part)));
  }
  print(`${records.length} miners reported, ${pass} time: slices of ${SLICE}, sent to acknowledged: ${stats(times)}`);
}

async function keepReporting(
  agent: BenchAgent,
  records: readonly MinerRecord[],
  signal: AbortSignal,
): Promise<number[]> {
  const times: number[] = [];
  const everyMs = (1_000 * SLICE) / REPORTS_PER_S;
  for (let start = 0; !signal.aborted; start = (start + SLICE) % records.length) {
    const part = freshened(records.slice(start, start + SLICE));
    const elapsedMs = await timed(() => agent.report(part));
    times.push(elapsedMs);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, everyMs - elapsedMs)));
  }
  return times;
}

const listUrl = (
  { url, workspaceId, farmId }: BenchService,
  pageSize: number,
  page = 1,
  version: 'v1' | 'v2' = 'v1',
) =>
  version === 'v1'
    ? `${url}/private-api/v1/${workspaceId}/farms/${farmId}/miner/latest?pageSize=${pageSize}&page=${page}`
    : `${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/miners?page_size=${pageSize}&page=${page}`;

async function get(url: string, key: string, coding = 'identity'): Promise<Buffer> {
  const { statusCode, body } = await request(url, { headers: { 'x-api-key': key, 'accept-encoding': coding } });
  const bytes = Buffer.from(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${bytes.toString('utf8', 0, 200)}`);
  return bytes;
}

/** What the process of the service has used so far; of its work this is what a busy machine does not change much. */
async function cpuMs({ bareUrl }: BenchService): Promise<number> {
  const { user, system } = cpuSchema.parse(JSON.parse((await get(`${bareUrl}/cpu`, '')).toString()));
  return (user + system) / 1_000;
}
const cpuSchema = z.object({ user: z.number(), system: z.number() });

/**
 * Every page in turns with the same bytes from the bare server: kept ones, ones that are made for this request, and
 * compressed ones.
 */
async function largePages(ready: BenchService, pageSize: number, rounds: number, when = 'quiet'): Promise<void> {
  for (const version of ['v1', 'v2'] as const) {
    const url = listUrl(ready, pageSize, 1, version);
    // No miner has this mode: nothing is left out, and nobody has asked for the page before.
    const fresh = () => `${url}&mining_modes_not_in=${randomUUID()}`;
    const bytes = await get(url, ready.key);
    const small = await get(url, ready.key, 'gzip');
    await request(ready.bareUrl, { method: 'PUT', body: bytes });
    const times = { bare: [] as number[], kept: [] as number[], made: [] as number[] };
    const packed = { kept: [] as number[], made: [] as number[] };
    const cpu: number[] = [];
    for (let round = 0; round < rounds; round++) {
      times.bare.push(await timed(() => get(ready.bareUrl, '')));
      // Kept for a second, as it was sent: on a busy machine the one from before may be gone.
      await get(url, ready.key);
      times.kept.push(await timed(() => get(url, ready.key)));
      await get(url, ready.key, 'gzip');
      packed.kept.push(await timed(() => get(url, ready.key, 'gzip')));
      const before = await cpuMs(ready);
      times.made.push(await timed(() => get(fresh(), ready.key)));
      cpu.push((await cpuMs(ready)) - before);
      packed.made.push(await timed(() => get(fresh(), ready.key, 'gzip')));
    }
    const ratio = (list: readonly number[]) => `${(median(list) / median(times.bare)).toFixed(2)} of bare`;
    const mb = (length: number) => `${(length / 1e6).toFixed(2)} MB`;
    print(
      `${version} page of ${pageSize}, ${when}: ${mb(bytes.length)}, gzip ${mb(small.length)}; bare server ${stats(times.bare)}`,
    );
    for (const [name, list] of Object.entries(times))
      if (name !== 'bare') print(`  ${name}: ${stats(list)}, ${ratio(list)}`);
    print(`  made, of the service's processor: ${stats(cpu)}`);
    for (const [name, list] of Object.entries(packed)) print(`  ${name}, gzip: ${stats(list)}, ${ratio(list)}`);
  }
}

async function smallPages(ready: BenchService, when: string, seconds: number): Promise<void> {
  const times: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  for (let page = 1; performance.now() < endMs; page = (page % 20) + 1)
    times.push(await timed(() => get(listUrl(ready, 50, page), ready.key)));
  print(`page of 50, ${when}: ${times.length} requests one after the other, ${stats(times)}`);
}
