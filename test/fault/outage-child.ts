// What of an agent stores and reports, as a process of its own, so that its memory is its own: a farm of simulated
// miners on a virtual clock, a service over a real socket. It works with the service for a while, then without it, then
// again. Arguments: folder, URL, id and token of the agent, miners, cycles. Each line of its output is JSON: what
// happened, or how much memory it takes.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { keepHeapSmall } from '../../src/base/platform/heap-flags.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { MinerRecord } from '../../src/wire/records.ts';
import { clockBehind } from '../support/clock-behind.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { uplinkTo } from '../unit/agent/uplink/uplink-to.ts';
import { fleetRecord } from '../unit/service/store/fleet.ts';
import { prove } from '../unit/service-http/wire-agent.ts';
import { seeded } from './seeded.ts';

keepHeapSmall();
const [folder = '', url = '', agentId = '', token = '', ...numbers] = process.argv.slice(2);
const [miners = 0, cycles = 0] = numbers.map(Number);
const CYCLE_MS = 60_000;
/** With the service, before it goes away: what an agent that has run for a while takes. */
const CALM_CYCLES = 15;
/** Turns of the clock per cycle: polls are spread over it, and a slice is written as often as in real life. */
const TURNS = 60;
/** How often the farm is polled when the service is back, each miner once per cycle. */
const TICK_MS = 250;
/** What waits for its slice and what is being written. */
const MOST_PENDING = 400;

/** Between the outage and what is new: history fills a shorter hole. */
const HOLE_MS = 5 * CYCLE_MS;

const startMs = Date.now() - (CALM_CYCLES + cycles) * CYCLE_MS - HOLE_MS;
const virtual = createVirtualClock(startMs);
const startElapsedMs = virtual.elapsedMs();
/** The clocks of the uplink and of the service: the hours of the outage have not passed yet. */
let behindMs = cycles * CYCLE_MS;
const wallClock = clockBehind(() => behindMs);
const uplinkClock = {
  ...wallClock,
  // That of the outbox, which dates slices by it.
  elapsedMs: () => wallClock.nowMs() - startMs + startElapsedMs,
};
const random = seeded(8);
const fleet = Array.from({ length: miners }, (_, miner) => fleetRecord(miner, virtual.nowMs()));
let produced = 0;
/** What history has to have of it: a minute of a miner counts once, and an unreachable one has no hashrate. */
const expected = { samples: 0, numbers: 0 };
const lastMinutes = new Int32Array(miners);
/** The number that each miner shows. */
const newest = new Float64Array(miners);

/**
 * A miner's record with figures that move as those of real ones do; its hashrate is the number by which the ledger
 * knows it.
 */
function next(atMs: number): MinerRecord {
  const miner = produced % miners;
  const record = fleet[miner];
  if (record === undefined) throw new Error('no miners');
  produced++;
  newest[miner] = produced;
  const { document } = record;
  const minute = Math.floor(atMs / 60_000);
  if (lastMinutes[miner] !== minute) {
    lastMinutes[miner] = minute;
    expected.samples++;
    if (document.last_check_succeed) expected.numbers += produced;
  }
  const at = new Date(atMs).toISOString();
  return {
    ...record,
    at,
    document: {
      ...document,
      last_updated_at: at,
      hashrate: produced,
      power: 3_000 + Math.floor(random() * 500),
      temp: 60 + Math.floor(random() * 20),
      uptime: Math.floor(atMs / 1_000) % 1_000_000,
      hashboards: document.hashboards.map((board) => ({ ...board, hashrate: 36e12 * (0.9 + 0.2 * random()) })),
    },
  };
}

const say = (what: string, more: object = {}) =>
  process.stdout.write(`${JSON.stringify({ what, produced, rssMb: process.memoryUsage.rss() / 2 ** 20, ...more })}\n`);
const orders = createInterface({ input: process.stdin });
const goOn = () => once(orders, 'line');

const outbox = openOutbox(folder, { clock: virtual, log: silentLog, newEpoch: randomUUID });
await outbox.setUplinks(['farm']);
const uplink = uplinkTo(url, {
  credentials: { agentId, token: new Secret(token), prove },
  allowPlain: true,
  source: outbox.source('farm'),
  clock: uplinkClock,
  timing: { backoff: { baseMs: 50, capMs: 500 } },
});
uplink.start();

async function cycle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    const due = Math.floor(((turn + 1) * miners) / TURNS) - Math.floor((turn * miners) / TURNS);
    for (let miner = 0; miner < due; miner++) outbox.offer(next(virtual.nowMs()));
    await virtual.advance(CYCLE_MS / TURNS);
    // The clock is virtual, the compression is not: a second of real life would be enough for it by far.
    while (outbox.state().pendingRecords > MOST_PENDING) await systemClock.sleep(1);
  }
}

const backlog = () => outbox.state().backlog.farm ?? 0;
for (let done = 0; done < CALM_CYCLES; done++) {
  await cycle();
  while (backlog() > 4) await systemClock.sleep(2);
}
say('calm');
await goOn();
for (let done = 0; done < cycles; done++) {
  await cycle();
  if (done % 10 === 9) say('away');
}
await outbox.flush();
behindMs = 0;
say('away', { bytes: outbox.state().bytes, slices: outbox.state().slices });
await goOn();
const keepUp = () => virtual.advance(Date.now() - virtual.nowMs());
await keepUp();
const startedMs = performance.now();
const ofOutage = produced;
const backAtMs = virtual.nowMs();
const nextDueMs = () => backAtMs + Math.floor(((produced - ofOutage) * CYCLE_MS) / miners);
let saidMs = 0;
while ((await outbox.source('farm').epochs()).length > 1 || backlog() > 2) {
  await systemClock.sleep(TICK_MS);
  await keepUp();
  const before = produced;
  // Each miner exactly once per cycle: history fills a hole of one minute.
  for (let atMs = nextDueMs(); atMs <= virtual.nowMs(); atMs = nextDueMs()) outbox.offer(next(atMs));
  if (produced > before) say('live', { number: produced });
  if (performance.now() - saidMs < 500) continue;
  saidMs = performance.now();
  say('back');
}
say('drained', { drainedMs: performance.now() - startedMs, ofOutage });
await outbox.flush();
while (backlog() > 0) await systemClock.sleep(20);
const slices = await outbox.append([]);
await uplink.stop();
await outbox.close();
say('closed', { expected: { ...expected, newest: newest.reduce((sum, number) => sum + number, 0), slices } });
orders.close();
process.stdin.destroy();
