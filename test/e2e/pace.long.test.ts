// A farm is put to sleep at once and woken within the power budget; a preview says beforehand who, how much and how
// long. And a technician looks again at once.
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { agentDatabasePath } from '../../src/agent/state/database.ts';
import { type Site, startSite } from './site.ts';

const MINERS = 24;
const LIMIT_KW = 50;
const WINDOW_S = 4;
let site: Site;

// A test that is tried again begins with a farm that is awake.
beforeEach(async () => {
  site = await startSite(
    {
      miners: MINERS,
      mix: 'whatsminer=2,braiins-os=1,mskminer=1',
      seed: 5,
      noise: 0,
      noiseStepS: 1,
      bootS: 2,
      warmUpS: 3,
    },
    { tasks: { powerMode: { concurrency: 100 }, powerGate: { kw: LIMIT_KW, windowS: WINDOW_S } } },
  );
  await site.until(
    () => site.stack.agent.tasks.outlook(commandsTo('normal')),
    ({ selected, leftOut, drawW }) => selected.length + leftOut.length === MINERS && drawW !== undefined,
  );
});
afterEach(() => site.stop());

const commandsTo = (mode: string) =>
  [...site.stack.agent.fleet.all()].map(({ key }) => ({
    ...{ name: 'miner.power_mode.update', minerKey: key, params: { mode } },
  }));

/** Those that can; resolves with how they ended. */
async function run(mode: string) {
  const { tasks } = site.stack.agent;
  const outlook = await tasks.outlook(commandsTo(mode));
  const going = new Set(outlook.selected.map(({ minerKey }) => minerKey));
  const { runs } = tasks.runLocalBatch(commandsTo(mode).filter(({ minerKey }) => going.has(minerKey)));
  const ends = await Promise.all(runs.map(({ outcome }) => outcome));
  return { outlook, ends: ends.map(({ status, message }) => ({ status, message })) };
}

const startSchema = z.object({ startedMs: z.number(), powerW: z.number() });

/** What counted for the budget, in the order of the starts. */
function starts() {
  const database = new DatabaseSync(agentDatabasePath(site.stateDir), { readOnly: true });
  try {
    const rows = database
      .prepare(
        'SELECT started_ms AS startedMs, starting_w AS powerW FROM tasks_journal WHERE starting_w > 0 ORDER BY 1',
      )
      .all();
    return rows.map((row) => startSchema.parse(row));
  } finally {
    database.close();
  }
}

/** Some do not tell a mode. */
const asleep = () =>
  site.farm.devices.filter((device) => device.driver !== 'mskminer' && !device.truth().is_mining).length;

test('a farm sleeps at once, without a budget, and wakes within it; those that cannot are left out with a reason', async () => {
  const unable = site.farm.devices.filter(({ driver }) => driver === 'mskminer').length;
  expect(unable).toBeGreaterThan(0);
  const able = MINERS - unable;
  const sleeping = await run('sleep');
  expect(sleeping.outlook.atOnce).toBe(200);
  expect(sleeping.outlook.leftOut.map(({ reason }) => reason)).toEqual(
    Array(unable).fill('unsupported: driver mskminer cannot do miner.power_mode.update'),
  );
  expect(sleeping.ends.map(({ status }) => status)).toEqual(Array(able).fill('succeeded'));
  expect([asleep(), starts()]).toEqual([able, []]);

  const waking = await run('normal');
  expect(waking.ends.map(({ status }) => status)).toEqual(Array(able).fill('succeeded'));
  await site.until(asleep, (count) => count === 0);
  const counted = starts();
  expect(counted).toHaveLength(able);
  // What each drew before it slept, and the inrush.
  const sumW = counted.reduce((sum, { powerW }) => sum + powerW, 0);
  expect(sumW / 1.25).toBeCloseTo(waking.outlook.drawW ?? Number.NaN, -3);
  expect(sumW).toBeGreaterThan(LIMIT_KW * 1_000);
  // A look between the budget and the command may take a moment: half a window holds the sum in any case.
  for (const { startedMs } of counted) {
    const within = counted.filter(
      (other) => other.startedMs >= startedMs && other.startedMs < startedMs + WINDOW_S * 500,
    );
    expect(within.reduce((sum, { powerW }) => sum + powerW, 0)).toBeLessThanOrEqual(LIMIT_KW * 1_000);
  }
  // As many windows as the power needs, but for the first.
  expect(waking.outlook.etaS).toBeGreaterThanOrEqual((Math.ceil(sumW / (LIMIT_KW * 1_000)) - 1) * WINDOW_S);
});

test('a refresh reads a miner at once and reports it, and says so of one that is silent', async () => {
  const [device, silent] = site.farm.devices.filter(({ driver }) => driver === 'whatsminer');
  if (device === undefined || silent === undefined) throw new Error('the farm has too few miners');
  const { tasks, fleet } = site.stack.agent;
  const at = (ip: string) => [...fleet.all()].find(({ target }) => target.ip === ip);
  const refresh = (ip: string) => tasks.runLocal({ name: 'miner.refresh.get', minerKey: at(ip)?.key ?? '' }).outcome;
  const before = at(device.ip)?.readAt?.elapsedMs ?? Number.NaN;
  expect(await refresh(device.ip)).toMatchObject({ status: 'succeeded', evidence: { powerW: expect.any(Number) } });
  expect(at(device.ip)?.readAt?.elapsedMs).toBeGreaterThan(before);
  silent.setFault('never-returns', true);
  silent.reboot();
  expect(await refresh(silent.ip)).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('does not answer'),
  });
});
