// The agent as a process: stopped under load, blocked, or with an organ that stands still. The service manager is a script that writes down what it
// is told, and this test does what systemd would.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Started } from '../e2e/process.ts';
import { until } from '../e2e/until.ts';
import { type AgentSite, pause, startAgentSite } from './agent-site.ts';
import { isFull, report } from './table.ts';

const MINERS = 40;
let site: AgentSite;
beforeAll(async () => {
  if (isFull) site = await startAgentSite({ network: '127.62.0.0/26', miners: MINERS, mix: 'all' });
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

const LIMIT_MS = 6_000;

/** What systemd does: restarts when the watchdog is not fed in time or is told that it must. Resolves with the times, in ms after the trouble. */
async function supervise(trouble: 'loop' | 'poller'): Promise<{ restartedMs: number; resumedMs: number }> {
  const bin = join(site.folder, 'bin');
  const told = join(site.folder, `told-${trouble}`);
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'systemd-notify'), '#!/bin/sh\necho "$1" >> "$NOTIFY_SOCKET"\n');
  chmodSync(join(bin, 'systemd-notify'), 0o755);
  writeFileSync(told, '');
  const start = (): Started =>
    site.startAgent({
      environment: {
        PATH: [bin, process.env.PATH].join(delimiter),
        NOTIFY_SOCKET: told,
        WATCHDOG_USEC: String(LIMIT_MS * 1_000),
        NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'trouble.ts'))}`,
        PITHEAD_TROUBLE: trouble,
      },
    });
  const heard = () => readFileSync(told, 'utf8').split('\n').slice(0, -1);
  const agent = start();
  await until(
    async () => heard(),
    (lines) => lines.includes('READY=1') && lines.includes('WATCHDOG=1'),
    60_000,
  );
  const polled = () => site.miners().then((miners) => miners.filter(({ last_check_succeed }) => last_check_succeed));
  await until(polled, (miners) => miners.length === MINERS, 60_000);

  process.kill(agent.pid, 'SIGUSR2');
  const troubleMs = performance.now();
  const troubleAt = Date.now();
  let feeds = heard().length;
  let fedMs = performance.now();
  for (;;) {
    await pause(50);
    const lines = heard();
    if (lines.slice(feeds).includes('WATCHDOG=trigger') || performance.now() - fedMs > LIMIT_MS) break;
    if (lines.length > feeds) fedMs = performance.now();
    feeds = lines.length;
    if (performance.now() - troubleMs > 150_000) throw new Error(`nobody noticed: ${lines.join()}`);
  }
  expect(agent.hasEnded, agent.stderr()).toBe(false);
  agent.kill('SIGKILL');
  await agent.end();
  const again = start();
  const restartedMs = performance.now() - troubleMs;
  await until(
    () => site.miners(),
    (miners) => miners.some(({ last_updated_at }) => Date.parse(last_updated_at ?? '') > troubleAt + restartedMs),
    60_000,
  );
  const resumedMs = performance.now() - troubleMs - restartedMs;
  again.kill('SIGTERM');
  expect((await again.end()).code).toBe(0);
  expect(existsSync(told)).toBe(true);
  return { restartedMs, resumedMs };
}

test.runIf(isFull)('a blocked loop is noticed because nothing feeds the watchdog any more', async () => {
  const { restartedMs, resumedMs } = await supervise('loop');
  report({
    id: 'R15',
    value: `loop blocked: restarted after ${(restartedMs / 1_000).toFixed(1)} s with a watchdog of ${LIMIT_MS / 1_000} s, resumed ${(resumedMs / 1_000).toFixed(1)} s later`,
    bar: '<= watchdog + 5 s, resumed <= 10 s',
    isMet: restartedMs <= LIMIT_MS + 5_000 && resumedMs <= 10_000,
  });
});

/** Of the unit file; what the agent needs to be sure that it stands still is part of it. */
const UNIT_WATCHDOG_MS = 90_000;

test.runIf(isFull)(
  'a poller that no longer starts anything is noticed by the agent itself, which asks for a restart',
  async () => {
    const { restartedMs, resumedMs } = await supervise('poller');
    report({
      id: 'R15',
      value: `poller stopped: restarted after ${(restartedMs / 1_000).toFixed(1)} s, resumed ${(resumedMs / 1_000).toFixed(1)} s later`,
      bar: '<= 90 s (the unit) + 5 s, resumed <= 10 s',
      isMet: restartedMs <= UNIT_WATCHDOG_MS + 5_000 && resumedMs <= 10_000,
    });
  },
);
