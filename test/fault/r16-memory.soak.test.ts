// What the agent keeps: for each idle miner on its heap, and of timers and open handles while time goes by, in a
// process of its own and after everything that is free has been freed; and what the program takes of its host, as its
// system service starts it.
import { expect, test } from 'vitest';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { LARGE_NETWORK, startFarmProcess } from '../bench/farm-process.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { pause } from './agent-site.ts';
import { startLoneAgent, type Telling } from './lone-agent.ts';
import { reportResident } from './report-resident.ts';
import { report } from './table.ts';

const least = (tellings: readonly Telling[], of: (telling: Telling) => number) => Math.min(...tellings.map(of));

/** What an agent keeps of so many miners that it has polled for a while: the least of each count, soon and later. */
async function kept(network: string, miners: number) {
  const portMap = await suitablePortMap();
  const map = Object.entries(portMap).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]);
  const farm = await startFarmProcess(['--network', network, '--miners', String(miners), '--mix', 'all', ...map]);
  const agent = startLoneAgent(
    { networks: [network], portMap, poll: { interval: '20s', staticEvery: '24h', deadline: '30s' } },
    { tidies: true, farm },
  );
  const next = async (count: number) => {
    const from = agent.tellings.length;
    await until(
      () => agent.tellings.length,
      (length) => length >= from + count || agent.hasEnded,
      120_000,
    );
    return agent.tellings.slice(from);
  };
  try {
    await agent.untilKnown(miners);
    await pause(25_000);
    const soon = await next(10);
    await pause(60_000);
    return { soon, later: await next(10) };
  } finally {
    agent.remove();
    await farm.stop();
  }
}

test('an idle miner is kept in 16 KiB, and neither timers nor handles become more', async () => {
  // Of every model some in both, so that what is kept once for a model counts for neither.
  const [few, many] = [200, 1_000];
  const small = await kept(loopback(22).network, few);
  const big = await kept(loopback(21).network, many);
  const heapB = (tellings: readonly Telling[]) => least(tellings, ({ heapB: bytes }) => bytes);
  const perMinerKib = (heapB(big.later) - heapB(small.later)) / (many - few) / 1_024;
  report({
    id: 'R16',
    value: `heap of an agent that polls ${few} -> ${many} miners: ${perMinerKib.toFixed(1)} KiB for each more`,
    bar: '≤ 16 KiB heap per idle miner',
    isMet: perMinerKib <= 16,
  });
  const timers = (tellings: readonly Telling[]) => least(tellings, (telling) => telling.timers);
  const handles = (tellings: readonly Telling[]) => least(tellings, (telling) => telling.handles);
  const counts = [timers(big.soon), timers(big.later), handles(big.soon), handles(big.later)];
  expect(Math.min(...counts)).toBeGreaterThan(0);
  report({
    id: 'R16',
    value: `at ${many} miners: timers ${counts[0]} -> ${counts[1]}, open handles ${counts[2]} -> ${counts[3]} (of a small farm ${handles(small.later)})`,
    bar: 'flat',
    isMet: timers(big.later) <= timers(big.soon) + 2 && handles(big.later) <= handles(big.soon) + 2,
  });
}, 900_000);

/** Two hours until growth counts, then one in which it does. */
const HOURS = Number(process.env.PITHEAD_SOAK_HOURS ?? 3);
const soakMs = (hours: number) => hours * 3_600_000 + 900_000;

test(
  'the program takes 150 MiB of its host at 1,000 miners, for hours',
  () =>
    reportResident({
      network: loopback(20).network,
      miners: 1_000,
      hours: HOURS,
      warmHours: (2 / 3) * HOURS,
      mostMb: 150,
    }),
  soakMs(HOURS),
);

test(
  'and 300 MiB at 10,000',
  () =>
    reportResident({ network: LARGE_NETWORK, miners: 10_000, hours: HOURS / 6, warmHours: HOURS / 12, mostMb: 300 }),
  soakMs(HOURS / 6),
);
