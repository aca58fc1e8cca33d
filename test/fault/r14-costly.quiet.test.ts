// One miner whose answers take five seconds of the processor to read: the agent as a program with real sockets, a fault
// in one driver, and what the other miners, `pithead status` and the service show of it.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startPithead } from '../e2e/process.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { pause, startAgentSite } from './agent-site.ts';
import { isFull, report } from './table.ts';

const MINERS = 60;
const INTERVAL_MS = 15_000;
const COST_MS = 5_000;
const WATCHED_MS = 75_000;

const statusSchema = z.object({
  troubles: z.array(z.string()),
  set_aside: z.array(
    z.object({
      ip: z.string(),
      reason: z.string(),
      in_a_row: z.number(),
      cost_ms: z.number().nullable(),
      next_poll_at: z.string(),
    }),
  ),
});

test.runIf(isFull)(
  'a miner that keeps the processor busy is set aside, and the others go on',
  async () => {
    const { network } = loopback(25);
    const site = await startAgentSite({ miners: MINERS, mix: 'all', network });
    try {
      const alone = [...Map.groupBy(site.farm.devices, ({ driver }) => driver).values()].find(
        (devices) => devices.length === 1,
      );
      const [offender] = alone ?? [];
      if (offender === undefined) throw new Error('each driver has several devices');
      site.configure({ poll: { interval: `${INTERVAL_MS}ms`, staticEvery: '24h', deadline: '3s' } });
      const agent = site.startAgent({
        environment: {
          NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'costly-driver.ts'))}`,
          PITHEAD_COSTLY_DRIVER: offender.driver,
          PITHEAD_COST_MS: String(COST_MS),
        },
      });
      await until(
        () => site.miners(),
        (miners) => miners.length === MINERS,
        60_000,
      );
      await pause(3 * INTERVAL_MS);
      const calm = new Set(
        (await site.miners()).flatMap(({ ip, last_updated_at }) =>
          Date.parse(last_updated_at ?? '') > Date.now() - 1.5 * INTERVAL_MS && ip !== offender.ip ? [ip] : [],
        ),
      );
      agent.kill('SIGUSR2');
      const startMs = Date.now();
      /** By address: when each value was read, and how long after the one before at worst. */
      const seen = new Map<string, { atMs: number; worstMs: number }>();
      const asked = () => site.farm.devices.find(({ ip }) => ip === offender.ip)?.requests ?? 0;
      const askedAt: number[] = [];
      let before = asked();
      while (Date.now() < startMs + WATCHED_MS) {
        await pause(250);
        const requests = asked();
        if (requests > before && Date.now() - (askedAt.at(-1) ?? 0) > COST_MS) askedAt.push(Date.now());
        before = requests;
        for (const { ip, last_updated_at } of await site.miners()) {
          const atMs = Date.parse(last_updated_at ?? '');
          const { atMs: lastMs, worstMs } = seen.get(ip) ?? { atMs, worstMs: 0 };
          seen.set(ip, { atMs, worstMs: Math.max(worstMs, atMs - lastMs) });
        }
      }
      const others = [...seen].filter(([ip]) => calm.has(ip)).map(([, each]) => each);
      const worstMs = Math.max(...others.map((each) => Math.max(each.worstMs, Date.now() - each.atMs)));
      // Some devices want a login that this farm's configuration does not have: they failed before.
      const failing = (await site.miners()).filter(
        ({ ip, last_check_succeed }) => !last_check_succeed && (calm.has(ip) || ip === offender.ip),
      );
      const asking = startPithead(['status', '--json', '-c', join(site.folder, 'pithead.yaml')], { cwd: site.folder });
      await asking.end();
      const status = statusSchema.parse(JSON.parse(asking.stdout()));
      const [aside] = status.set_aside;
      const pauseMs = Date.parse(aside?.next_poll_at ?? '') - (askedAt.at(-1) ?? 0);
      const flags = await site.get(`/miner/latest?pageSize=1000`);
      expect(flags).toContain(offender.ip);
      report({
        id: 'R14',
        value: `one of ${MINERS} takes ${COST_MS / 1_000} s of the processor to read, polled each ${INTERVAL_MS / 1_000} s: the others at most ${(worstMs / 1_000).toFixed(1)} s apart; asked ${askedAt.length} times in ${WATCHED_MS / 1_000} s, again after ${Math.round(pauseMs / 1_000)} s; status: ${aside?.ip} ${aside?.reason}, ${aside?.cost_ms} ms; shown as failed: ${failing.map(({ ip }) => ip).join(', ')}`,
        bar: 'others ≤ 1 cycle later, set aside with a growing pause, visible',
        isMet:
          others.length >= 0.9 * MINERS &&
          worstMs <= 2 * INTERVAL_MS &&
          askedAt.length <= 2 &&
          pauseMs >= 60 * COST_MS &&
          status.set_aside.length === 1 &&
          aside?.ip === offender.ip &&
          aside.reason === 'costly' &&
          failing.map(({ ip }) => ip).join() === offender.ip,
      });
    } finally {
      await site.stop();
    }
  },
  200_000,
);
