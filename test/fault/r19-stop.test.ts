// The agent as a process that is stopped under load, once and twice.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../e2e/until.ts';
import { type AgentSite, pause, startAgentSite } from './agent-site.ts';
import { isFull, report } from './table.ts';

const MINERS = 40;
let site: AgentSite;
beforeAll(async () => {
  if (isFull) site = await startAgentSite({ miners: MINERS, mix: 'all' });
});
afterAll(() => site?.stop());

test.runIf(isFull)('TERM under load ends in order, a second one is harmless, and nothing is lost', async () => {
  let [slowestMs, bySignal] = [0, 0];
  const unclean: (number | string)[] = [];
  for (let round = 0; round < 5; round++) {
    const since = Date.now();
    const agent = site.startAgent();
    await until(
      () => site.miners(),
      (miners) =>
        miners.length === MINERS && miners.every(({ last_updated_at }) => Date.parse(last_updated_at ?? '') > since),
      60_000,
    );
    await pause(300 * round);
    const startMs = performance.now();
    agent.kill('SIGTERM');
    const isTwice = round >= 3;
    if (isTwice) {
      await pause(5 * round);
      agent.kill('SIGTERM');
    }
    const { code, stderr } = await agent.end();
    expect(stderr).not.toMatch(/at .*\.ts:\d+/);
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
    // A program that has written everything and is about to go may be ended by the second signal: that costs nothing.
    if (isTwice && code === null) bySignal++;
    else if (code !== 0) unclean.push(code ?? 'signal');
    expect(site.kept('SELECT is_clean FROM outbox_meta')).toEqual([{ is_clean: 1 }]);
  }
  // What is on the agent's disk and what the service has follow each other without a hole.
  const { unexplained, gaps, stored } = site.ledger();
  const restarts = site.stored('SELECT reason FROM gaps').length;
  const lost = unexplained + gaps + restarts;
  report({
    id: 'R19',
    value: `5 stops: ${unclean.length} without exit 0 ${unclean.join()}(of 2 second TERMs ${bySignal} ended it when all was on disk), slowest ${Math.round(slowestMs)} ms, ${stored} slices stored, ${lost} lost or declared as gaps`,
    bar: 'exit 0 <= 10 s, 0 lost, second TERM harmless',
    isMet: unclean.length === 0 && slowestMs <= 10_000 && lost === 0,
  });
});
