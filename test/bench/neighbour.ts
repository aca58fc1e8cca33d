// What one tenant costs another: a list of 10 miners, alone and beside a tenant that asks for pages of 10,000 with ever
// new filters over ten connections, in turns in one run, on both databases. Fails where its p99 beside is more than
// twice its p99 alone. Beside a plain process that keeps one processor busy it is measured too: that much is the
// machine's doing.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { Agent, request } from 'undici';
import { startCluster } from '../postgres/cluster.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { connect } from './bench-agent.ts';
import {
  type BenchService,
  type BenchTenant,
  startBusyProcess,
  startLoadProcess,
  startServiceProcess,
} from './farm-process.ts';
import { print, quantile, stats, timed } from './figures.ts';

const SLICE = 500;
const NEIGHBOUR_MINERS = 100;
const MOST_RATIO = 2;
/** Between two requests: as a page does that is looked at, and so that the client is not what is measured. */
const PAUSE_MS = 5;

export async function benchNeighbour(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '10000' },
      connections: { type: 'string', default: '10' },
      rounds: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '8' },
      database: { type: 'string', default: 'sqlite,postgres' },
    },
  });
  const [miners = 0, connections = 0] = [values.miners, values.connections].map(Number);
  const [rounds = 0, seconds = 0] = [values.rounds, values.seconds].map(Number);
  for (const database of values.database.split(',')) {
    const cluster = database === 'postgres' ? await startCluster({ isDurable: true }) : undefined;
    try {
      const ratio = await measure(database, cluster?.url, { miners, connections, rounds, seconds });
      if (!(ratio <= MOST_RATIO)) process.exitCode = 1;
    } finally {
      await cluster?.stop();
    }
  }
}

type Options = Readonly<Record<'miners' | 'connections' | 'rounds' | 'seconds', number>>;

async function measure(database: string, target: string | undefined, options: Options): Promise<number> {
  const ready = await startServiceProcess(target);
  const pauses = { alone: [] as number[], busy: [] as number[], beside: [] as number[] };
  try {
    await fill(ready, ready, options.miners);
    await fill(ready, ready.neighbour, NEIGHBOUR_MINERS);
    // The server does so by itself, within a minute.
    if (target !== undefined) await analyse(target);
    // The first requests compile the code.
    await smallLists(ready, 2);
    for (let round = 0; round < options.rounds; round++) {
      pauses.alone.push(...(await smallLists(ready, options.seconds)));
      const busy = await startBusyProcess();
      pauses.busy.push(...(await smallLists(ready, options.seconds)));
      await busy.stop();
      const load = await startLoadProcess(listUrl(ready, ready, options.miners), ready.key, options.connections);
      await smallLists(ready, 1);
      pauses.beside.push(...(await smallLists(ready, options.seconds)));
      await load.stop();
    }
  } finally {
    await ready.stop();
  }
  const { alone, busy, beside } = pauses;
  const ratioOf = (list: readonly number[]) => quantile(list, 0.99) / quantile(alone, 0.99);
  const ratio = ratioOf(beside);
  print(`${database}, list of 10 alone: ${alone.length} requests, ${stats(alone)}`);
  print(
    `  beside ${options.connections} connections that ask for ${options.miners}: ${beside.length}, ${stats(beside)}`,
  );
  print(
    `  beside a process that keeps one of ${availableParallelism()} processors busy: ${busy.length}, ${stats(busy)}`,
  );
  const control = ratioOf(busy).toFixed(2);
  print(
    `  p99 beside / p99 alone: ${ratio.toFixed(2)}, at most ${MOST_RATIO.toFixed(1)}; beside the process: ${control}`,
  );
  return ratio;
}

async function analyse(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('ANALYZE');
  await client.end();
}

async function fill(service: BenchService, tenant: BenchTenant, miners: number): Promise<void> {
  const agent = await connect({ url: service.url, code: tenant.code });
  const records = Array.from({ length: miners }, (_, index) => minerRecord(index, Date.now()));
  for (let start = 0; start < miners; start += SLICE) await agent.report(records.slice(start, start + SLICE));
  agent.close();
}

const listUrl = ({ url }: BenchService, { workspaceId, farmId }: BenchTenant, pageSize: number) =>
  `${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/miners?page_size=${Math.min(10_000, pageSize)}`;

async function smallLists(service: BenchService, seconds: number): Promise<number[]> {
  const { neighbour } = service;
  const dispatcher = new Agent({ connections: 1 });
  const url = listUrl(service, neighbour, 10);
  const times: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) {
    const one = async () => {
      const { statusCode, body } = await request(url, { headers: { 'x-api-key': neighbour.key }, dispatcher });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${text.slice(0, 200)}`);
    };
    times.push(await timed(one));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await dispatcher.close();
  return times;
}
