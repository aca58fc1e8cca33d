// The agent is killed at each step that it writes of a task, before it and after it, with a task of each effect class:
// what must run once runs once at the device, what is said of it is true, and everything ends soon after the agent is
// back.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { type AgentSite, startAgentSite } from './agent-site.ts';
import { isFull, report } from './table.ts';

/** As nobody sets it. */
const POLL_S = 60;
const AT_EACH = isFull ? 20 : 2;
/**
 * A device that has just restarted tells too small an uptime to prove anything soon: each is left alone for some
 * rounds.
 */
const SLICES = 4;
const DEVICES = (SLICES + 2) * AT_EACH;

const CLASSES = {
  once: { name: 'miner.system.reboot', params: { force: true } },
  repeatable: { name: 'miner.light.update', params: { on: true } },
  'read-only': { name: 'miner.log.get', params: {} },
} as const;
type EffectClass = keyof typeof CLASSES;

const ALL = ['once', 'repeatable', 'read-only'] as const;
/** What only reads is over when it is answered. */
const PROVEN = ['once', 'repeatable'] as const;
const STEPS = { insert: ALL, started: ALL, sent: PROVEN, verifying: PROVEN, final: ALL, reported: ALL } as const;
const ROUNDS = Object.entries(STEPS).flatMap(([step, classes]) =>
  [`before ${step}`, `after ${step}`].map((point) => ({ point, classes })),
);
/** The short run has those where an order may be on its way. */
const SHORT = ['after started', 'before sent'];

const createdSchema = z.object({ data: z.array(z.object({ id: z.string(), task_count: z.number() })) });

async function order(site: AgentSite, effect: EffectClass, ids: readonly string[]): Promise<string> {
  const [farm] = site.stored('SELECT id, workspace_id FROM farms');
  const { name, params } = CLASSES[effect];
  const { body, statusCode } = await request(
    `${site.url}/public-api/v2/workspaces/${farm?.workspace_id}/farms/${farm?.id}/task-batches`,
    {
      method: 'POST',
      headers: { 'x-api-key': site.key, 'content-type': 'application/json' },
      body: JSON.stringify({ task_name: name, miner_ids: ids, params }),
    },
  );
  const text = await body.text();
  expect(statusCode, text).toBe(200);
  const [batch] = createdSchema.parse(JSON.parse(text)).data;
  expect(batch?.task_count, text).toBe(ids.length);
  return batch?.id ?? '';
}

test(
  'killed at each step of each effect class, nothing is done twice and everything ends',
  async () => {
    const site = await startAgentSite({
      network: loopback(25).network,
      miners: DEVICES,
      mix: 'vnish',
      bootS: 1,
      warmUpS: 1,
      noise: 0,
    });
    onTestFinished(() => site.stop());
    const stepFile = join(site.folder, 'step.json');
    site.configure({
      poll: { interval: `${POLL_S}s`, slowEvery: 1, staticEvery: '1h', deadline: '3s' },
      scan: { every: '7d' },
      tasks: {
        reboot: { concurrency: 50, backS: 20, hashS: 30, graceS: 1, checkEveryS: 0.3, dailyCap: 1_000, recentS: 0 },
        light: { concurrency: 50 },
        log: { concurrency: 50 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    });
    const start = () =>
      site.startAgent({
        environment: {
          NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'kill-at-step.ts'))}`,
          PITHEAD_STEP_FILE: stepFile,
        },
      });
    let agent = start();
    const miners = await until(
      () => site.miners(),
      (found) => found.length === DEVICES && found.every(({ last_check_succeed }) => last_check_succeed),
      90_000,
    );
    const idOf = new Map(miners.map(({ ip, id }) => [ip, id]));

    let [twice, untrue, unfinished, kills, tasks] = [0, 0, 0, 0, 0];
    let slowestS = 0;
    const stories: string[] = [];
    const devicesFor = (effect: EffectClass, round: number) => {
      const slice = { once: round % SLICES, repeatable: SLICES, 'read-only': SLICES + 1 }[effect];
      return site.farm.devices.slice(slice * AT_EACH, (slice + 1) * AT_EACH);
    };
    for (const [round, { point, classes }] of ROUNDS.entries()) {
      if (!isFull && !SHORT.includes(point)) continue;
      const count = classes.length * AT_EACH;
      const before = new Map(site.farm.devices.map(({ ip, reboots }) => [ip, reboots]));
      writeFileSync(stepFile, JSON.stringify({ names: classes.map((effect) => CLASSES[effect].name), point, count }));
      const batches = new Map<EffectClass, string>();
      for (const effect of classes)
        batches.set(
          effect,
          await order(
            site,
            effect,
            devicesFor(effect, round).map(({ ip }) => idOf.get(ip) ?? ''),
          ),
        );
      await until(() => agent.hasEnded, Boolean, 60_000).catch((cause: unknown) => {
        throw new Error(`${point}: not killed; ${JSON.stringify(told(site))}`, { cause });
      });
      kills++;
      tasks += count;
      rmSync(stepFile);
      const startMs = performance.now();
      agent = start();
      const ids = [...batches.values()].map((id) => `'${id}'`).join();
      const open = () =>
        site.stored(
          `SELECT id FROM tasks WHERE batch_id IN (${ids}) AND (status IN ('pending', 'running') OR is_presumed = 1)`,
        ).length;
      await until(open, (left) => left === 0, 3 * POLL_S * 1_000).catch(() => {});
      slowestS = Math.max(slowestS, (performance.now() - startMs) / 1_000);
      unfinished += open();
      for (const [effect, batch] of batches) {
        const outcomes = site.stored(
          `SELECT miners.id, tasks.status, message FROM tasks JOIN miners ON miners.row_id = tasks.row_id WHERE batch_id = '${batch}'`,
        );
        for (const device of devicesFor(effect, round)) {
          const done = device.reboots - (before.get(device.ip) ?? 0);
          const outcome = outcomes.find(({ id }) => id === idOf.get(device.ip));
          const isDone = outcome?.status === 'succeeded';
          const isTrue = effect === 'once' ? done === Number(isDone) : isDone;
          if (done > 1) twice++;
          if (!isTrue) untrue++;
          if (!isTrue || done > 1)
            stories.push(`${effect} ${point}: done ${done}, told ${outcome?.status} ${outcome?.message}`);
        }
      }
    }
    expect(stories.slice(0, 10)).toEqual([]);
    report({
      id: 'R3',
      value: `${kills} kills, at each ${AT_EACH} tasks of each effect class held at that step, ${tasks} in all: ${twice} done twice, ${untrue} outcomes that are not true, ${unfinished} without end, all over ${slowestS.toFixed(1)} s after the start at the latest (a poll is ${POLL_S} s)`,
      bar: '0 once effects twice, 100 % final <= 2 polls',
      isMet: twice + untrue + unfinished === 0 && slowestS <= 2 * POLL_S,
    });
  },
  isFull ? 900_000 : 400_000,
);

const told = (site: AgentSite) =>
  site.stored('SELECT status, message, count(*) AS n FROM tasks GROUP BY status, message');
