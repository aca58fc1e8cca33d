// A line to the service that is slow, narrow, cut, silent and gone by turns: what the agent produced is what the service has, once, and live values are
// back soon after the line is.
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../e2e/until.ts';
import { pause, startAgentSite } from './agent-site.ts';
import { type FaultProxy, startProxy, type Toxics } from './proxy.ts';
import { isFull, report } from './table.ts';

/** 30 times faster than five minutes off and five minutes on, six times. */
const PHASE_MS = 10_000;
const MINERS = 20;

/** Half-open comes last: the agent notices silence within 45 seconds, not faster. */
const PHASES: readonly (readonly [string, Toxics])[] = [
  ['2 s latency', { latencyMs: 2_000 }],
  ['5 % resets', { resets: 0.05 }],
  ['slices of 1 byte', { sliceBytes: 1 }],
  ['32 kbit/s', { bytesPerS: 4_000 }],
  ['down', { isDown: true }],
  ['blackhole', { isBlackhole: true }],
];

test.runIf(isFull)('whatever the line does, the ledger is equal and nothing is stuck', async () => {
  let proxy: FaultProxy | undefined;
  const site = await startAgentSite(
    { network: '127.63.0.0/26', miners: MINERS, mix: 'all' },
    {
      async reachedAt(url) {
        proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(url).port) }, 10);
        return `http://127.0.0.1:${proxy.port}`;
      },
    },
  );
  onTestFinished(async () => {
    await site.stop();
    await proxy?.stop();
  });
  if (proxy === undefined) throw new Error('no proxy');
  const agent = site.startAgent();
  await until(
    () => site.miners(),
    (miners) => miners.length === MINERS,
    60_000,
  );

  let worstBackMs = 0;
  const stuck: string[] = [];
  for (const [name, toxics] of PHASES) {
    proxy.set(toxics);
    await pause(PHASE_MS);
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
    if (backMs > 30_000) stuck.push(`${name}: ${Math.round(backMs)} ms`);
    await pause(Math.max(0, PHASE_MS - backMs));
  }
  expect(stuck).toEqual([]);
  agent.kill('SIGTERM');
  expect((await agent.end()).code).toBe(0);
  // The last slices may still have to be sent: with the next start, as after any stop.
  const again = site.startAgent();
  const seqOf = () => Number(site.stored('SELECT sum(seq) AS n FROM ingest_cursors')[0]?.n);
  const before = seqOf();
  await until(
    async () => seqOf(),
    (seq) => seq > before,
    30_000,
  );
  await pause(2_000);
  again.kill('SIGTERM');
  expect((await again.end()).code).toBe(0);

  const { stored, acknowledged, waiting, unexplained, gaps } = site.ledger();
  const doubled = site.stored('SELECT seq FROM gaps GROUP BY epoch, seq HAVING count(*) > 1').length;
  const isEqual = unexplained + gaps + doubled === 0 && stored >= acknowledged;
  const { connections, resets } = proxy.stats();
  report({
    id: 'R10',
    value: `${PHASES.length} faults, ${connections} connections, ${resets} resets: ${stored} slices stored, ${acknowledged} acknowledged, ${waiting} to send, ${gaps} gaps, ${unexplained} unexplained; back within ${(worstBackMs / 1_000).toFixed(1)} s`,
    bar: 'ledger equal, 0 stuck > 30 s',
    isMet: isEqual && worstBackMs <= 30_000,
  });
});
