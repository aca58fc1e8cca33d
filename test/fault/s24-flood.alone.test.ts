// One agent sends as much as it is let, in the name of others too: what others report is stored as soon as without it,
// and nothing under another id.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { until } from '../e2e/until.ts';
import { query } from '../unit/service-http/database.ts';
import { recordingLog, startRig } from '../unit/service-http/rig.ts';
import { enrol, type Identity } from '../unit/service-http/wire-agent.ts';
import { pause } from './agent-site.ts';
import { compare, quantile } from './by-chance.ts';
import { isFull, report } from './table.ts';

/** Many small ones: each reports once a second, so that a short time has as many slices as a p99 needs. */
const HONEST = 40;
/** Of each of them, and of the one that floods; polled once a minute. */
const MINERS = 750;
const FLOOD_MINERS = 8_000;
const WINDOWS = 6;
const WINDOW_MS = 4_000;
const MOST = 1.1;
/** The service reads once a minute what an agent needs, and drops a connection that is silent for 40 s. */
const NEED_READ_MS = [30_000, 30_000] as const;

const slicesSchema = z.array(z.tuple([z.number(), z.number()]));
type Slice = z.infer<typeof slicesSchema>[number];

const tookMs = ([sentMs, ackMs]: Slice) => ackMs - sentMs;

/** Gives, each time, the slices that were acknowledged since the last time: sent and acknowledged, in ms. */
async function startAgents(mode: 'steady' | 'flood', url: string, identities: readonly Identity[]) {
  const script = join(import.meta.dirname, 'flood-child.ts');
  const miners = String(mode === 'flood' ? FLOOD_MINERS : MINERS);
  const child = spawn(process.execPath, [script, mode, url, miners, JSON.stringify(identities)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  return async (command: 'go' | 'go on' = 'go on') => {
    const answer = once(lines, 'line');
    child.stdin.write(`${command}\n`);
    return slicesSchema.parse(JSON.parse(String((await answer)[0])));
  };
}

const inWindows = async (take: () => Promise<Slice[]>) => {
  const windows: Slice[][] = [];
  while (windows.length < WINDOWS) {
    await pause(WINDOW_MS);
    windows.push(await take());
  }
  return windows;
};

test.runIf(isFull)('an agent that sends without end costs the others nothing', async () => {
  const log = recordingLog();
  let passedMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + passedMs };
  const rig = await startRig({ clock, log });
  const { admin } = rig.service;
  const farms = await Promise.all(
    Array.from({ length: HONEST + 1 }, (_, n) => admin.createFarm({ workspaceId: rig.workspaceId, name: `farm ${n}` })),
  );
  const identities = await Promise.all(farms.map(({ id }) => enrol(rig, id)));
  const steady = await startAgents('steady', rig.url, identities.slice(1));
  const flood = await startAgents('flood', rig.url, identities.slice(0, 1));
  const alone = await flood();
  for (const ms of NEED_READ_MS) {
    passedMs += ms;
    await pause(1_500);
  }
  await steady();
  const calm = await inWindows(steady);
  await flood('go');
  // What a new farm may report at once is used up first.
  await until(
    () => log.lines.filter(({ message }) => message.includes('sends more than its miners need')),
    (warnings) => warnings.some(({ fields }) => fields.agentId === identities[0]?.agentId),
    100_000,
  );
  await Promise.all([steady(), flood()]);
  const flooded = await inWindows(steady);
  const floodAckMs = (await flood()).map(([, ackMs]) => ackMs);
  const met = flooded.flat();
  const pairs = flooded.map((slices, n) => ({ with: slices.map(tookMs), without: (calm[n] ?? []).map(tookMs) }));
  const medians = compare(pairs, 0.5, MOST);
  // The p99 of two windows differs by more than a tenth on any machine. So the same slices are judged twice: as they
  // were, and less what each slice of the flood that they met takes when it is alone.
  const costMs = quantile(alone.map(tookMs), 0.5);
  const metBy = ([sentMs, ackMs]: Slice) => floodAckMs.filter((atMs) => atMs >= sentMs && atMs <= ackMs).length;
  const withMs = quantile(met.map(tookMs), 0.99);
  const withoutMs = quantile(
    met.map((slice) => tookMs(slice) - costMs * metBy(slice)),
    0.99,
  );
  const perS = (floodAckMs.length * 1_000) / (WINDOWS * WINDOW_MS);
  report({
    id: 'S24',
    value: `${HONEST} agents of ${MINERS} miners beside one of ${FLOOD_MINERS} that sends without end, of which ${perS.toFixed(1)} slices/s are stored, each in ${costMs.toFixed(1)} ms: p99 of ${met.length} slices ${withMs.toFixed(1)} ms, of which ${(withMs - withoutMs).toFixed(1)} by the ${met.filter((slice) => metBy(slice) > 0).length} that met one; median ${medians.withMs.toFixed(1)} ms, before it ${medians.withoutMs.toFixed(1)} ms (with ${MOST} times chance can show ${medians.byChance.toFixed(2)})`,
    bar: 'p99 + <= 10 %; median + <= 10 % beyond chance',
    isMet:
      floodAckMs.length > 5 * WINDOWS &&
      withMs <= MOST * withoutMs &&
      medians.ratio <= Math.max(MOST, medians.byChance),
  });
  // Nobody else has been made to wait.
  const waited = log.lines.filter(({ message }) => message.includes('sends more than its miners need'));
  expect(new Set(waited.map(({ fields }) => fields.agentId))).toEqual(new Set([identities[0]?.agentId]));

  const counts = await query(rig, 'SELECT farm_id, count(*) AS n FROM miners GROUP BY farm_id');
  const wanted = new Map(farms.map(({ id }, n) => [id, n === 0 ? FLOOD_MINERS : MINERS]));
  const astray = counts.filter(({ farm_id, n }) => n !== wanted.get(String(farm_id))).length;
  report({
    id: 'S24',
    value: `${counts.length} farms with ${MINERS} miners each, that of the flood with ${FLOOD_MINERS}: ${astray} with others`,
    bar: '0 rows under another id',
    isMet: counts.length === HONEST + 1 && astray === 0,
  });
});
