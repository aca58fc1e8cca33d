// A line to the service that is slow, narrow, cut, silent and dead by turns: what the agent committed is what the
// service has, once, and live values are back soon after the line is. The short run has fewer faults, and shorter ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../e2e/until.ts';
import { pause, startAgentSite } from './agent-site.ts';
import { judge, missing, watchDatabase } from './ledger.ts';
import { buildProgram } from './program.ts';
import { type FaultProxy, startProxy, type Toxics } from './proxy.ts';
import { isFull, isWithin, report } from './table.ts';

/** 30 times faster than five minutes off and five minutes on, six times. */
const PHASE_MS = isFull ? 10_000 : 2_000;
/** But for this one: the agent notices silence within 45 seconds, however fast we are. */
const HALF_OPEN_MS = 50_000;
const MINERS = 20;
const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_121);

const ALL: readonly (readonly [string, Toxics])[] = [
  ['2 s latency', { latencyMs: 2_000 }],
  ['5 % resets', { resets: 0.05, sliceBytes: 512 }],
  ['slices of 1 byte', { sliceBytes: 1 }],
  ['32 kbit/s', { bytesPerS: 4_000 }],
  ['blackhole', { isBlackhole: true }],
  ['half-open', { isHalfOpen: true }],
];
const PHASES = isFull ? ALL : ALL.slice(1, 3);

test('whatever the line does, the ledger is equal and nothing is stuck', { timeout: 290_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = await buildProgram(folder, 'ledger-writer.ts');
  let proxy: FaultProxy | undefined;
  const site = await startAgentSite(
    { miners: MINERS, mix: 'all' },
    {
      async reachedAt(url) {
        proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(url).port) }, SEED);
        return `http://127.0.0.1:${proxy.port}`;
      },
    },
  );
  onTestFinished(async () => {
    await site.stop();
    await proxy?.stop();
  });
  if (proxy === undefined) throw new Error('no proxy');
  const ledgerPath = join(site.folder, 'ledger');
  const databasePath = join(site.folder, 'service.sqlite');
  watchDatabase(databasePath);
  const start = () => site.startAgent({ program, environment: { PITHEAD_LEDGER: ledgerPath } });
  const agent = start();
  await until(
    () => site.miners(),
    (miners) => miners.length === MINERS,
    60_000,
  );

  let worstBackMs = 0;
  for (const [name, toxics] of PHASES) {
    proxy.set(toxics);
    await pause(toxics.isHalfOpen ? HALF_OPEN_MS : PHASE_MS);
    proxy.set({});
    const sinceMs = performance.now();
    const since = Date.now();
    // The slowest miner's newest value is from after the return.
    await until(
      () => site.miners(),
      (miners) => miners.every(({ last_updated_at }) => Date.parse(last_updated_at ?? '') > since),
      60_000,
    ).catch((error: unknown) => {
      throw new Error(`${name}: ${agent.stdout().slice(-3_000)}`, { cause: error });
    });
    const backMs = performance.now() - sinceMs;
    worstBackMs = Math.max(worstBackMs, backMs);
    process.stdout.write(`R10: ${name}: back after ${(backMs / 1_000).toFixed(1)} s\n`);
    await pause(Math.max(0, PHASE_MS - backMs));
  }
  agent.kill('SIGTERM');
  expect((await agent.end()).code).toBe(0);
  // What was committed while it ended is sent by a run that has nothing of its own to say.
  const look = () => missing(ledgerPath, databasePath);
  if (look() > 0) {
    site.configure({ networks: [] });
    const last = start();
    await until(look, (count) => count === 0, 60_000);
    last.kill('SIGTERM');
    expect((await last.end()).code).toBe(0);
  }

  const verdict = judge(
    ledgerPath,
    databasePath,
    new Set(site.kept('SELECT id FROM outbox_slices').map(({ id }) => Number(id))),
  );
  const { committed, slices, lost, doubled, uncommitted, restartGaps, otherGaps, problems } = verdict;
  for (const problem of problems) process.stdout.write(`R10: ${problem}\n`);
  const { connections, resets } = proxy.stats();
  const isEqual = lost + doubled + uncommitted + restartGaps + otherGaps === 0;
  report({
    id: 'R10',
    value: `${PHASES.length} faults, ${connections} connections, ${resets} resets, seed ${SEED}: ${committed} samples in ${slices} slices, ${lost} lost, ${doubled} doubled, ${restartGaps + otherGaps} gaps; back within ${(worstBackMs / 1_000).toFixed(1)} s`,
    bar: 'ledger equal, 0 stuck > 30 s',
    isMet: isEqual && isWithin(worstBackMs, 30_000),
  });
});
