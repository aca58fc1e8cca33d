// Three copies of the service on one PostgreSQL send events to webhooks, and the copy that has just sent one is killed
// again and again: every event arrives, in order by its first arrival, and a repeat has the id of the first.
// PITHEAD_SEED and PITHEAD_KILLS replay or lengthen it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, openStore, type Store } from '../../src/service/store/store.ts';
import { startCluster } from '../postgres/cluster.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { buildOther } from './program.ts';
import { seeded } from './seeded.ts';
import { isWhole, report } from './table.ts';

const KILLS = Number(process.env.PITHEAD_KILLS ?? (isWhole ? 8 : 3));
const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_124);
const COPIES = 3;
const WEBHOOKS = 4;
/** A copy that was killed still holds its lease for so long, and the others look once a second. */
const TAKEN_OVER_MS = 40_000;

let folder: string;
let program: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-webhook-kills-'));
  program = buildOther(folder, 'service-process.ts');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The version names the process, and so does the user agent of what it sends. */
async function startCopy(target: string, name: string): Promise<ChildProcess> {
  const args = [program, target, '0', name, '127.0.0.0/8'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code} before it was ready`)));
    createInterface({ input: child.stdout }).once('line', () => resolve());
  });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function makeFarms(store: Store) {
  const nowMs = Date.now();
  const workspace = { id: newId(nowMs), name: 'W', slug: 'default' };
  const first = await store.tenants.ensure(workspace, { id: newId(nowMs), name: 'F' }, nowMs);
  const second = newId(nowMs);
  await store.tenants.createFarm({ id: second, workspaceId: workspace.id, name: null }, nowMs);
  return { workspaceId: workspace.id, farmIds: [first.id, second] };
}

/** What is wrong with what a receiver got; empty = nothing. */
function problemsOf(
  { deliveries }: Receiver,
  farmIds: readonly string[],
  counts: ReadonlyMap<string, number>,
): string[] {
  return farmIds.flatMap((farmId) => {
    const ofFarm = deliveries.filter(({ body }) => body.data.farm_id === farmId);
    const numberOfId = new Map<string, number>();
    const problems: string[] = [];
    for (const { id, body } of ofFarm) {
      const n = Number(body.data.detail.n);
      if (numberOfId.has(id) && numberOfId.get(id) !== n) problems.push(`${id} is of two events`);
      if (!numberOfId.has(id) && n !== numberOfId.size) problems.push(`${n} came where ${numberOfId.size} was next`);
      numberOfId.set(id, n);
    }
    if (numberOfId.size !== counts.get(farmId))
      problems.push(`${numberOfId.size} of ${counts.get(farmId)} events came`);
    return problems;
  });
}

const timeout = Math.max(400_000, KILLS * 2 * TAKEN_OVER_MS);

test('whichever copy is killed, every event comes, in order, and a repeat shows its id', { timeout }, async ({
  skip,
  onTestFinished,
  signal,
}) => {
  const cluster = await startCluster().catch((error: unknown) => {
    if (process.env.PITHEAD_REQUIRE_POSTGRES === '1') throw error;
    return skip(`PostgreSQL could not be started: ${error}`);
  });
  onTestFinished(() => cluster.stop());
  const store = await openStore(cluster.url);
  const { workspaceId, farmIds } = await makeFarms(store);
  const receivers: Receiver[] = [];
  for (let n = 0; n < WEBHOOKS; n++) {
    const receiver = await startReceiver();
    receivers.push(receiver);
    const about = { workspaceId, name: `hook ${n}`, url: receiver.url, farmIds: null, types: ['moved'] };
    await store.webhooks.create({ ...about, nowMs: Date.now() });
  }
  const copies = new Map<string, ChildProcess>();
  let started = 0;
  const start = async () => {
    const name = `copy-${started++}`;
    copies.set(`pithead/${name}`, await startCopy(cluster.url, name));
  };
  for (let n = 0; n < COPIES; n++) await start();
  onTestFinished(async () => {
    for (const child of copies.values()) await kill(child);
    for (const receiver of receivers) await receiver.stop();
    await store.close();
  });

  const counts = new Map(farmIds.map((farmId) => [farmId, 0]));
  const stopped = new AbortController();
  const appending = append(store, farmIds, counts, stopped.signal);
  const random = seeded(SEED);
  const startMs = performance.now();
  const outages: number[] = [];
  for (let kills = 0; kills < KILLS; kills++) {
    signal.throwIfAborted();
    const victim = await nextSender(receivers, copies, { isBeforeAnswer: kills % 2 === 0, afterMs: random() * 20 });
    await kill(victim.child);
    copies.delete(victim.name);
    const killedMs = performance.now();
    const before = receivers.map(({ deliveries }) => deliveries.length);
    await start();
    // Every webhook is sent for again, whichever copy had it.
    await expect
      .poll(() => receivers.every(({ deliveries }, n) => deliveries.length > (before[n] ?? 0) + 2), {
        timeout: 2 * TAKEN_OVER_MS,
      })
      .toBe(true);
    outages.push(performance.now() - killedMs);
  }
  stopped.abort();
  await appending;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const distinct = (receiver: Receiver) => new Set(receiver.deliveries.map(({ id }) => id)).size;
  await expect.poll(() => receivers.map(distinct), { timeout: 2 * TAKEN_OVER_MS }).toEqual(receivers.map(() => total));
  const problems = receivers.flatMap((receiver) => problemsOf(receiver, farmIds, counts));
  for (const problem of problems.slice(0, 10)) process.stdout.write(`webhooks: ${problem}\n`);
  const repeats = receivers.reduce((sum, receiver) => sum + receiver.deliveries.length - distinct(receiver), 0);
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  report({
    id: 'webhooks',
    value: `${KILLS} kills of the copy that sends in ${seconds} s, seed ${SEED}: ${total} events to each of ${WEBHOOKS} receivers, ${problems.length} missing or out of order, ${repeats} repeats with the id of the first, longest pause ${Math.round(Math.max(...outages) / 1_000)} s`,
    bar: 'every event, in order by first arrival; a pause of 40 s at most',
    isMet: problems.length === 0 && Math.max(...outages) <= TAKEN_OVER_MS && repeats >= Math.floor(KILLS / 2),
  });
});

/** About eight events a second, until the signal aborts. */
async function append(store: Store, farmIds: readonly string[], counts: Map<string, number>, signal: AbortSignal) {
  for (let n = 0; !signal.aborted; n++) {
    const farmId = farmIds[n % farmIds.length] ?? '';
    const next = counts.get(farmId) ?? 0;
    counts.set(farmId, next + 1);
    const event = { agent: { id: 'a', farmId }, type: 'moved' as const, atMs: Date.now(), detail: { n: next } };
    await store.events.recordForAgent(event);
    await pause(120);
  }
}

/**
 * The copy that sends the next message. It is chosen while that message has no answer, or at a random moment after the
 * answer: before or after the copy has written that it was taken.
 */
async function nextSender(
  receivers: readonly Receiver[],
  copies: ReadonlyMap<string, ChildProcess>,
  { isBeforeAnswer, afterMs }: { isBeforeAnswer: boolean; afterMs: number },
) {
  const name = await new Promise<string>((resolve) => {
    for (const receiver of receivers)
      receiver.answer = ({ headers }) => {
        for (const other of receivers) other.answer = () => 204;
        resolve(String(headers['user-agent']));
        // The copy is killed before it has the answer.
        return isBeforeAnswer ? (response) => void setTimeout(() => response.writeHead(204).end(), 2_000) : 204;
      };
  });
  if (!isBeforeAnswer) await pause(afterMs);
  const child = copies.get(name);
  if (child === undefined) throw new Error(`no copy is called ${name}`);
  return { name, child };
}
