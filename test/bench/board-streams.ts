// What streams of the board cost a service of its own process, while one agent reports its miners: with no reader, with
// one, and with many, in turns in one run. What each reader is sent, and how large a snapshot is. Fails where a bar is
// missed.
import { request } from 'undici';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { type BenchAgent, connect } from './bench-agent.ts';
import { type BenchService, startServiceProcess } from './farm-process.ts';
import { print } from './figures.ts';
import { POLL_S, polled, recordByChance } from './records-by-chance.ts';

const READERS = [0, 1, 20, 200] as const;
/** The rest of the service varies by more than 20 readers cost: turns are compared with those beside them. */
const ROUNDS = 5;
const SLICE = 500;
const EVERY_MS = 1_000;
/** Until all readers have what they lacked, and the code is compiled. */
const SETTLE_MS = 2_000;
/** Of a key; more have to be of several. */
const MOST_OF_KEY = 100;

/** For 10,000 miners, of which 167 change each second. */
const MOST_MORE_PERCENT = 1;
const MOST_BYTES = 5_000;
const MOST_SNAPSHOT_BYTES = 400_000;

/** `shares` = the percent of a core of each second. */
type Turn = { readonly shares: readonly number[]; readonly bytesPerSecond: number };

export async function measureStreams(miners: number, seconds: number): Promise<void> {
  const service = await startServiceProcess();
  const ending = new AbortController();
  try {
    const agent = await connect(service);
    const records = Array.from({ length: miners }, (_, n) => recordByChance(n));
    for (let start = 0; start < miners; start += SLICE)
      await agent.report(records.slice(start, start + SLICE).map(polled));
    const reporting = report(agent, records, ending.signal);
    const turns = new Map<number, Turn[]>();
    for (let round = 0; round < ROUNDS; round++)
      for (const count of READERS) {
        const turn = await turnWith(service, count, seconds);
        turns.set(count, [...(turns.get(count) ?? []), turn]);
      }
    const snapshot = await measureSnapshots(service);
    ending.abort();
    await reporting;
    agent.close();
    judge(miners, turns, snapshot);
  } finally {
    ending.abort();
    await service.stop();
  }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of the middle half: without the seconds in which other work falls, such as a checkpoint of the database. */
function middleMean(values: readonly number[]): number {
  const quarter = Math.floor(values.length / 4);
  return mean(values.toSorted((a, b) => a - b).slice(quarter, values.length - quarter));
}

function judge(miners: number, turns: ReadonlyMap<number, readonly Turn[]>, snapshot: number): void {
  const shareOf = (count: number) => middleMean((turns.get(count) ?? []).flatMap(({ shares }) => shares));
  for (const [count, all] of turns) {
    const each = all.map(({ shares }) => middleMean(shares).toFixed(1)).join(', ');
    const bytes = count === 0 ? '' : `, ${(mean(all.map((turn) => turn.bytesPerSecond)) / 1_000).toFixed(2)} kB/s each`;
    print(`${count} streams of ${miners} miners: ${shareOf(count).toFixed(2)} % of a core (${each})${bytes}`);
  }
  const more = costOf(turns, 20);
  const bytes = Math.max(...[...turns].flatMap(([, all]) => all.map((turn) => turn.bytesPerSecond)));
  print(`20 streams cost ${more.toFixed(2)} % of a core more than none, at most ${MOST_MORE_PERCENT} %`);
  print(`a stream at most ${(bytes / 1_000).toFixed(2)} kB/s, at most ${MOST_BYTES / 1_000}`);
  print(`a snapshot ${(snapshot / 1_000).toFixed(0)} kB, at most ${MOST_SNAPSHOT_BYTES / 1_000}`);
  if (!(more <= MOST_MORE_PERCENT && bytes <= MOST_BYTES && snapshot <= MOST_SNAPSHOT_BYTES)) process.exitCode = 1;
}

/** Of so many readers against none, in the middle one of the rounds. */
function costOf(turns: ReadonlyMap<number, readonly Turn[]>, count: number): number {
  const without = turns.get(0) ?? [];
  const costs = (turns.get(count) ?? []).map(
    ({ shares }, round) => middleMean(shares) - middleMean(without[round]?.shares ?? []),
  );
  return costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? Number.NaN;
}

/** A part of all of them each second, until the signal. */
async function report(agent: BenchAgent, records: ReturnType<typeof recordByChance>[], signal: AbortSignal) {
  const perSecond = Math.round(records.length / POLL_S);
  for (let start = 0; !signal.aborted; start = (start + perSecond) % records.length) {
    await agent.report(records.slice(start, start + perSecond).map(polled));
    await systemClock.sleep(EVERY_MS);
  }
}

/** The shares of a core that the service takes, and what one reader gets. */
async function turnWith(service: BenchService, count: number, seconds: number): Promise<Turn> {
  let bytes = 0;
  const has = count === 0 ? undefined : await snapshotOf(service);
  const sockets = Array.from({ length: has === undefined ? 0 : count }, (_, n) => {
    const key = n < MOST_OF_KEY ? service.key : service.otherKey;
    const url = `${boardOf(service)}/stream?epoch=${has?.epoch}&since=${has?.seq}`;
    const socket = new WebSocket(url.replace('http', 'ws'), {
      headers: { 'x-api-key': key },
      perMessageDeflate: false,
    });
    socket.on('message', (data) => {
      bytes += Buffer.isBuffer(data) ? data.length : 0;
    });
    return socket;
  });
  await systemClock.sleep(SETTLE_MS);
  if (sockets.some(({ readyState }) => readyState !== WebSocket.OPEN)) throw new Error('a stream is not open');
  bytes = 0;
  const startMs = systemClock.monotonicMs();
  const shares: number[] = [];
  for (let second = 0; second < seconds; second++) shares.push(await shareOfSecond(service));
  const bytesPerSecond = (1_000 * bytes) / Math.max(1, count) / (systemClock.monotonicMs() - startMs);
  for (const socket of sockets) socket.terminate();
  return { shares, bytesPerSecond };
}

async function shareOfSecond(service: BenchService): Promise<number> {
  const [before, startMs] = [await cpuMs(service), systemClock.monotonicMs()];
  await systemClock.sleep(EVERY_MS);
  return (100 * ((await cpuMs(service)) - before)) / (systemClock.monotonicMs() - startMs);
}

const SNAPSHOT_READERS = 20;

/** Its bytes as they travel. Says what many readers cost who ask at once, and one. */
async function measureSnapshots(service: BenchService): Promise<number> {
  let bytes = 0;
  for (const count of [1, SNAPSHOT_READERS]) {
    await systemClock.sleep(2 * EVERY_MS);
    const before = await cpuMs(service);
    const all = await Promise.all(Array.from({ length: count }, () => snapshotBytes(service)));
    print(`${count} snapshots at once: ${((await cpuMs(service)) - before).toFixed(0)} ms of a core`);
    bytes = Math.max(...all);
  }
  return bytes;
}

const boardOf = ({ url, workspaceId, farmId }: BenchService) =>
  `${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/board`;

const answerSchema = z.object({ data: z.object({ epoch: z.string(), seq: z.int() }) });

async function snapshotOf(service: BenchService) {
  const { statusCode, body } = await request(boardOf(service), { headers: { 'x-api-key': service.key } });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`board: ${statusCode} ${text.slice(0, 200)}`);
  return answerSchema.parse(JSON.parse(text)).data;
}

async function snapshotBytes(service: BenchService): Promise<number> {
  const headers = { 'x-api-key': service.key, 'accept-encoding': 'gzip' };
  const { body } = await request(boardOf(service), { headers });
  return (await body.arrayBuffer()).byteLength;
}

const cpuSchema = z.object({ user: z.number(), system: z.number() });

async function cpuMs({ bareUrl }: BenchService): Promise<number> {
  const { body } = await request(`${bareUrl}/cpu`);
  const { user, system } = cpuSchema.parse(await body.json());
  return (user + system) / 1_000;
}
