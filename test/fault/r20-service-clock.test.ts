// The wall clocks of agent and service, in one process and on two hosts, are set forward and back, alone and together,
// before, during and after a restart: what miners do is shown within three polls, nothing that is shown is later than
// now, and each step is declared.
import { expect, test } from 'vitest';
import { until } from '../e2e/until.ts';
import { type ClockedHost, type ClockedSite, startClockedSite } from './clocked-site.ts';
import { isFull, isWithin, report } from './table.ts';

const MINERS = 16;
const INTERVAL_MS = 2_500;
/** Of the bar: three polls, the deadline of the last of them, and a second until the agent sends what it has. */
const LIMIT_MS = 3 * INTERVAL_MS + INTERVAL_MS / 2 + 1_000;
const HOUR = 3_600_000;
/** The clocks of this process and of the service are read one after the other. */
const SLACK_MS = 250;

type Figures = { steps: number; slowestMs: number; future: Set<string> };

/**
 * Every time in what is shown, but for those that are the order's: none is later than now by the clock of the service.
 */
async function lookForFuture(site: ClockedSite, figures: Figures) {
  for (const path of ['/miners', '/events', '/agents']) {
    const text = await site.get(path);
    const nowMs = Date.now() + site.service.aheadMs;
    // Of an event's detail, as the agent says it: from which time to which its clock was set.
    for (const time of text.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [])
      if (Date.parse(time) > nowMs + SLACK_MS && !text.includes(`"from":"${time}"`) && !text.includes(`"to":"${time}"`))
        figures.future.add(`${path} ${time}`);
  }
}

/**
 * The next miner stands still and the one after it is unplugged, for good: how long until the interface shows both, and
 * the others as before.
 */
async function showsChanges(site: ClockedSite, figures: Figures): Promise<number> {
  const idle = site.farm.devices[2 * figures.steps];
  const unplugged = site.farm.devices[2 * figures.steps + 1];
  figures.steps++;
  idle?.setFault('low-hashrate', true, 0);
  unplugged?.setFault('hangs', true);
  const startMs = performance.now();
  const ill = site.farm.devices.slice(0, 2 * figures.steps).map(({ ip }) => ip);
  await until(
    () => site.miners(),
    (miners) =>
      miners.length === MINERS &&
      miners.every(({ ip, is_mining, hashrate, last_check_succeed, status }) => {
        const place = ill.indexOf(ip);
        if (place % 2 === 1) return !last_check_succeed;
        return status === 'online' && last_check_succeed && is_mining === place < 0 && (hashrate === 0) === place >= 0;
      }),
    60_000,
  );
  const tookMs = performance.now() - startMs;
  await lookForFuture(site, figures);
  return tookMs;
}

/** Of the agent: those of the service have none. */
const clockEvents = async (site: ClockedSite) =>
  (await site.get('/events?type=clock_stepped&page_size=100')).split(/"agent_id":"/).length - 1;

/** Sets the clocks of hosts, one step after the other. */
async function setEach(
  site: ClockedSite,
  figures: Figures,
  steps: readonly (readonly [hosts: readonly ClockedHost[], byMs: number])[],
) {
  for (const [hosts, byMs] of steps) {
    for (const host of hosts) host.setClock(host.aheadMs + byMs);
    figures.slowestMs = Math.max(figures.slowestMs, await showsChanges(site, figures));
  }
}

const figuresOf = (): Figures => ({ steps: 0, slowestMs: 0, future: new Set() });

async function tell(site: ClockedSite, figures: Figures, what: string, agentSteps: number) {
  const gaps = await until(
    () => site.query("SELECT from_at, to_at FROM gaps WHERE reason = 'clock'"),
    (rows) => rows.length >= agentSteps,
  );
  const events = await until(
    () => clockEvents(site),
    (count) => count >= agentSteps,
  );
  report({
    id: 'R20',
    value: `${what}: after each of ${figures.steps - 1} steps a miner that stops and one that is unplugged shown within ${(figures.slowestMs / 1_000).toFixed(1)} s (interval ${INTERVAL_MS / 1_000} s), and after a start with the clock set back; ${figures.future.size} times shown later than now; ${agentSteps} steps of the agent's clock: ${gaps.length} gaps, ${events} events`,
    bar: 'shown within 3 polls, nothing in the future, each step of the agent declared',
    isMet:
      isWithin(figures.slowestMs, LIMIT_MS) &&
      figures.future.size === 0 &&
      gaps.length === agentSteps &&
      events === agentSteps,
  });
  expect([...figures.future]).toEqual([]);
}

const whole = <T>(items: readonly T[]): readonly T[] => (isFull ? items : items.slice(0, 2));

test.concurrent('agent and service in one process: its clock is set before, while and after it runs', async () => {
  const options = { miners: MINERS, intervalMs: INTERVAL_MS, isApart: false };
  const site = await startClockedSite(options);
  const figures = figuresOf();
  const host = [site.service];
  try {
    site.service.setClock(2 * HOUR);
    await site.service.start();
    await until(
      () => site.miners().catch(() => []),
      (miners) => miners.length === MINERS,
    );
    await until(
      () => site.miners(),
      (miners) => miners.every(({ is_mining }) => is_mining),
    );
    const steps = whole([-2 * HOUR, HOUR, -24 * HOUR, 24 * HOUR].map((byMs) => [host, byMs] as const));
    await setEach(site, figures, steps);
    await site.service.stop();
    site.service.setClock(site.service.aheadMs - 2 * HOUR);
    await site.service.start();
    await showsChanges(site, figures);
    await tell(site, figures, 'one process', steps.length + 1);
  } finally {
    await site.stop();
  }
});

test.concurrent('a host without a battery: it starts in 1970, and a time server sets it while it runs', async () => {
  const options = { miners: MINERS, intervalMs: INTERVAL_MS, isApart: false };
  const site = await startClockedSite(options);
  const figures = figuresOf();
  try {
    site.service.setClock(-Date.now());
    await site.service.start();
    const isLive = ({ status, is_mining }: { status: string; is_mining: boolean }) => status === 'online' && is_mining;
    await until(
      () => site.miners().catch(() => []),
      (miners) => miners.length === MINERS && miners.every(isLive),
    );
    site.service.setClock(0);
    const stepped = () => site.query("SELECT detail FROM events WHERE type = 'clock_stepped' AND agent_id = ''");
    // Before the service has seen it, and after.
    for (let isSeen = false; !isSeen; isSeen = (await stepped()).length > 0)
      expect((await site.miners()).filter((miner) => !isLive(miner))).toEqual([]);
    expect((await site.miners()).filter((miner) => !isLive(miner))).toEqual([]);
    figures.slowestMs = await showsChanges(site, figures);
    await tell(site, figures, 'from 1970', 1);
  } finally {
    await site.stop();
  }
});

test.concurrent('agent and service on two hosts: their clocks are set alone and together, and while one is away', async () => {
  const options = { miners: MINERS, intervalMs: INTERVAL_MS, isApart: true };
  const site = await startClockedSite(options);
  const figures = figuresOf();
  const { agent, service } = site;
  try {
    agent.setClock(2 * HOUR);
    await service.start();
    await agent.start();
    await until(
      () => site.miners().catch(() => []),
      (miners) => miners.length === MINERS,
    );
    await until(
      () => site.miners(),
      (miners) => miners.every(({ is_mining }) => is_mining),
    );
    const steps = whole([
      [[agent], -2 * HOUR],
      [[service], 2 * HOUR],
      [[service], -2 * HOUR],
      [[agent, service], HOUR],
      [[agent, service], -HOUR],
      [[agent], 24 * HOUR],
    ] as const);
    await setEach(site, figures, steps);
    // The agent goes on with its clock wrong while the service is away, and the service comes back with another time.
    await service.stop();
    service.setClock(service.aheadMs - 2 * HOUR);
    await service.start();
    await agent.stop();
    agent.setClock(agent.aheadMs - 24 * HOUR);
    await agent.start();
    await showsChanges(site, figures);
    await tell(site, figures, 'two hosts', steps.filter(([hosts]) => hosts.some((host) => host === agent)).length + 1);
  } finally {
    await site.stop();
  }
});
