// What readers of the board cost a service of its own process, over HTTP: each asks every second for what has changed,
// while one agent reports its miners. With no reader, with one, and with many, in turns in one run.
import { request } from 'undici';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { type BenchAgent, connect } from './bench-agent.ts';
import { type BenchService, startServiceProcess } from './farm-process.ts';
import { print } from './figures.ts';
import { POLL_S, polled, recordByChance } from './records-by-chance.ts';

const READERS = [0, 1, 20, 0, 1, 20] as const;
const SLICE = 500;
const EVERY_MS = 1_000;

export async function measureReaders(miners: number, seconds: number): Promise<void> {
  const service = await startServiceProcess();
  const ending = new AbortController();
  try {
    const agent = await connect(service);
    const records = Array.from({ length: miners }, (_, n) => recordByChance(n));
    for (let start = 0; start < miners; start += SLICE)
      await agent.report(records.slice(start, start + SLICE).map(polled));
    const reporting = report(agent, records, ending.signal);
    const shares = new Map<number, number[]>();
    for (const count of READERS) {
      const share = await shareWith(service, count, seconds);
      shares.set(count, [...(shares.get(count) ?? []), share]);
    }
    ending.abort();
    await reporting;
    agent.close();
    const mean = (count: number) => {
      const all = shares.get(count) ?? [];
      return all.reduce((sum, share) => sum + share, 0) / all.length;
    };
    for (const [count, all] of shares) {
      const more = count === 0 ? '' : `: ${(mean(count) - mean(0)).toFixed(1)} % more`;
      const each = all.map((share) => share.toFixed(1)).join(', ');
      print(`${count} readers of ${miners} miners: ${mean(count).toFixed(1)} % of a core (${each})${more}`);
    }
  } finally {
    ending.abort();
    await service.stop();
  }
}

/** A part of all of them each second, until the signal. */
async function report(agent: BenchAgent, records: ReturnType<typeof recordByChance>[], signal: AbortSignal) {
  const perSecond = Math.round(records.length / POLL_S);
  for (let start = 0; !signal.aborted; start = (start + perSecond) % records.length) {
    await agent.report(records.slice(start, start + perSecond).map(polled));
    await systemClock.sleep(EVERY_MS);
  }
}

/** The share of a core that the service takes, in percent. The readers have all rows before the time begins. */
async function shareWith(service: BenchService, count: number, seconds: number): Promise<number> {
  const ending = new AbortController();
  const started = Array.from({ length: count }, async (_, n) => {
    await systemClock.sleep((n * EVERY_MS) / count);
    return { n, had: await ask(service) };
  });
  const readers = (await Promise.all(started)).map(async ({ n, had }) => {
    await systemClock.sleep((n * EVERY_MS) / count);
    for (let last = had; !ending.signal.aborted; last = await ask(service, last)) await systemClock.sleep(EVERY_MS);
  });
  const [before, startMs] = [await cpuMs(service), systemClock.monotonicMs()];
  await systemClock.sleep(seconds * 1_000);
  const share = (100 * ((await cpuMs(service)) - before)) / (systemClock.monotonicMs() - startMs);
  ending.abort();
  await Promise.all(readers);
  return share;
}

const answerSchema = z.object({ data: z.object({ epoch: z.string(), seq: z.int() }) });
type Had = { readonly epoch: string; readonly seq: number };

async function ask({ url, workspaceId, farmId, key }: BenchService, had?: Had): Promise<Had> {
  const { statusCode, body } = await request(
    `${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/board/search`,
    {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ select: '', ...(had && { epoch: had.epoch, since: had.seq }) }),
    },
  );
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`board: ${statusCode} ${text.slice(0, 200)}`);
  return answerSchema.parse(JSON.parse(text)).data;
}

const cpuSchema = z.object({ user: z.number(), system: z.number() });

async function cpuMs({ bareUrl }: BenchService): Promise<number> {
  const { body } = await request(`${bareUrl}/cpu`);
  const { user, system } = cpuSchema.parse(await body.json());
  return (user + system) / 1_000;
}
