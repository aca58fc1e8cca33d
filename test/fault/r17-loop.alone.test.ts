// How long the agent's event loop is late and how much of the processor it takes, while it polls a large farm. The
// whole agent is a process of its own, the farm another.
import { test } from 'vitest';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { LARGE_NETWORK, startFarmProcess } from '../bench/farm-process.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { pause } from './agent-site.ts';
import { startLoneAgent } from './lone-agent.ts';
import { isFull, isWhole, isWithin, report } from './table.ts';

/** The short form polls fewer miners twice as often. */
const CYCLE_MS = isWhole ? 60_000 : 30_000;
/** A poll falls within a tenth of an interval after its slot, and takes its time. */
const LATE_MS = CYCLE_MS / 5;
/** The whole form needs more addresses than the networks of tests have. */
const network = isWhole ? LARGE_NETWORK : loopback(20).network;

/** `cycles` of the farm are measured, after one in which everything was met and compiled. */
async function measureLoop({ miners, cycles }: { miners: number; cycles: number }) {
  const portMap = await suitablePortMap();
  const map = Object.entries(portMap).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]);
  const farm = await startFarmProcess(['--network', network, '--miners', String(miners), '--mix', 'all', ...map]);
  const poll = { interval: `${CYCLE_MS}ms` };
  const agent = startLoneAgent({ networks: [network], portMap, poll }, { farm });
  try {
    await agent.untilKnown(miners);
    // A miner that was just met is polled again in its own slot: one interval and a half later at most.
    await pause(CYCLE_MS);
    const count = agent.tellings.length;
    agent.beginAnew();
    const tellings = () => agent.tellings.slice(count + 1);
    await until(
      () => tellings().length,
      (length) => length > 2,
      30_000,
    );
    await pause(cycles * CYCLE_MS);
    const [first, last] = [tellings().at(0), tellings().at(-1)];
    if (first === undefined || last === undefined || agent.hasEnded) throw new Error('the agent has ended');
    const cores = (last.cpuMs - first.cpuMs) / (last.atMs - first.atMs);
    const from = Date.now() - cycles * CYCLE_MS;
    const records = await agent.end();
    const newest = [...new Map(records.map((record) => [record.key, record])).values()];
    // Those whose owner has set a password fail without it, and are asked more and more rarely.
    const answering = newest.filter(({ document }) => document.last_check_succeed);
    const polled = answering.filter(({ at }) => Date.parse(at) >= from - LATE_MS).length;
    const { p99, most } = last.longMs;
    report({
      id: 'R17',
      value: `${polled} of ${answering.length} miners that answer, of ${miners}, polled each ${CYCLE_MS / 1_000} s, ${cycles} cycles: event loop late p99 ${p99.toFixed(1)} ms, at most ${most.toFixed(1)} ms; ${cores.toFixed(2)} cores`,
      bar: 'p99 ≤ 50 ms, ≤ 250 ms, ≤ 1 core',
      isMet:
        polled === answering.length &&
        // One in eighty is a rig with a password.
        polled >= 0.98 * miners &&
        p99 > 0 &&
        isWithin(p99, 50) &&
        isWithin(most, 250) &&
        cores <= 1,
    });
  } finally {
    agent.remove();
    await farm.stop();
  }
}

test.runIf(isFull)(
  `a farm of ${isWhole ? '10,000' : '2,000'} miners does not keep the event loop`,
  () => measureLoop({ miners: isWhole ? 10_000 : 2_000, cycles: isWhole ? 5 : 1 }),
  900_000,
);
