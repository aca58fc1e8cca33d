// What of an agent stores and reports, as a process of its own, so that its memory is its own: a farm of simulated
// miners on a virtual clock, a service over a real socket. It works with the service for a while, then without it, then
// again. Arguments: folder, URL, miners, cycles, ms between live samples. Each line of its output is JSON: what
// happened, or how much memory it takes.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { keepHeapSmall } from '../../src/base/platform/heap-flags.ts';
import type { MinerRecord } from '../../src/wire/records.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { uplinkTo } from '../unit/agent/uplink/uplink-to.ts';
import { fleetRecord } from '../unit/service/store/fleet.ts';
import { seeded } from './seeded.ts';

keepHeapSmall();
const [folder = '', url = '', ...numbers] = process.argv.slice(2);
const [miners = 0, cycles = 0, liveEveryMs = 0] = numbers.map(Number);
const CYCLE_MS = 60_000;
/** With the service, before it goes away: what an agent that has run for a while takes. */
const CALM_CYCLES = 15;
/** Turns of the clock per cycle: polls are spread over it, and a slice is written as often as in real life. */
const TURNS = 60;
/** What waits for its slice and what is being written. */
const MOST_PENDING = 400;

const virtual = createVirtualClock();
const random = seeded(8);
const fleet = Array.from({ length: miners }, (_, miner) => fleetRecord(miner, virtual.nowMs()));
let produced = 0;

/**
 * A miner's record with figures that move as those of real ones do; its hashrate is the number by which the ledger
 * knows it.
 */
function next(atMs: number): MinerRecord {
  const record = fleet[produced % miners];
  if (record === undefined) throw new Error('no miners');
  produced++;
  const { document } = record;
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
  source: outbox.source('farm'),
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
say('away', { bytes: outbox.state().bytes, slices: outbox.state().slices });
await goOn();
const startedMs = performance.now();
const ofOutage = produced;
let saidMs = 0;
while ((await outbox.source('farm').epochs()).length > 1 || backlog() > 2) {
  await systemClock.sleep(liveEveryMs);
  await outbox.append([next(virtual.nowMs())]);
  say('live', { number: produced });
  await virtual.advance(liveEveryMs);
  if (performance.now() - saidMs < 500) continue;
  saidMs = performance.now();
  say('back');
}
say('drained', { drainedMs: performance.now() - startedMs, ofOutage });
while (backlog() > 0) await systemClock.sleep(20);
await uplink.stop();
await outbox.close();
say('closed');
orders.close();
process.stdin.destroy();
