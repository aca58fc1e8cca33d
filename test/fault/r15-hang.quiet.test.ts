// The agent as a service that hangs: its loop is blocked, or one organ stands still. A service manager in a process of
// its own, with the figures of the unit that is shipped, restarts it. A dead uplink is no reason to. The short run has
// a short watchdog and the blocked loop only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { test } from 'vitest';
import { z } from 'zod';
import { unitText } from '../../src/update/linux/units.ts';
import { MAIN } from '../e2e/process.ts';
import { until } from '../e2e/until.ts';
import { type AgentSite, pause, startAgentSite } from './agent-site.ts';
import { startProxy } from './proxy.ts';
import { seeded } from './seeded.ts';
import { isFull, isWithin, report } from './table.ts';

const secondsOf = (name: string) => Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(unitText())?.[1]);
const WATCHDOG_MS = isFull ? secondsOf('WatchdogSec') * 1_000 : 3_000;
const RESTART_MS = secondsOf('RestartSec') * 1_000;
const MINERS = 12;
const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_121);
const random = seeded(SEED);
const TIMEOUT = { timeout: 280_000 };

const lineSchema = z.object({
  what: z.enum(['started', 'ready', 'watchdog', 'ended']),
  atMs: z.number(),
  pid: z.int().optional(),
  reason: z.string().optional(),
});
type Line = z.infer<typeof lineSchema>;

/** The agent of the site under a service manager. */
function supervise(site: AgentSite, trouble: string) {
  const bin = join(site.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'systemd-notify'), '#!/bin/sh\necho "$1" >> "$NOTIFY_SOCKET"\n');
  chmodSync(join(bin, 'systemd-notify'), 0o755);
  const command = [process.execPath, MAIN, 'agent', '-c', join(site.folder, 'pithead.yaml')];
  const manager = [join(import.meta.dirname, 'supervisor.ts'), String(WATCHDOG_MS), String(RESTART_MS)];
  const child = spawn(process.execPath, [...manager, join(site.folder, 'told'), ...command], {
    cwd: site.folder,
    env: {
      ...process.env,
      PATH: [bin, process.env.PATH].join(delimiter),
      XDG_CONFIG_HOME: site.folder,
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'trouble.ts'))}`,
      PITHEAD_TROUBLE: trouble,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(lineSchema.parse(JSON.parse(line))));
  return {
    lines,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Of miners that answered after this moment. */
const updatedSince = (site: AgentSite, atMs: number) => async () =>
  (await site.miners()).filter(({ last_updated_at }) => Date.parse(last_updated_at ?? '') > atMs).length;

async function hang(trouble: string) {
  const site = await startAgentSite({ miners: MINERS, mix: 'all' });
  const manager = supervise(site, trouble);
  try {
    await until(updatedSince(site, Date.now()), (count) => count === MINERS, 60_000);
    await until(
      () => manager.lines,
      (lines) => lines.some(({ what }) => what === 'ready'),
      60_000,
    );
    // At any moment of its rhythm.
    await pause(random() * Math.min(5_000, WATCHDOG_MS / 3));
    const troubleMs = Date.now();
    process.kill(manager.lines.find(({ pid }) => pid !== undefined)?.pid ?? 0, 'SIGUSR2');
    const [again] = await until(
      () => manager.lines.filter(({ what, atMs }) => what === 'started' && atMs > troubleMs),
      (starts) => starts.length > 0,
      WATCHDOG_MS + 60_000,
    );
    const restartedMs = (again?.atMs ?? Number.POSITIVE_INFINITY) - troubleMs;
    await until(updatedSince(site, troubleMs + restartedMs), (count) => count > 0, 60_000);
    const resumedMs = Date.now() - troubleMs - restartedMs;
    const reason = manager.lines.findLast(({ what }) => what === 'watchdog')?.reason;
    report({
      id: 'R15',
      value: `${trouble} stopped: ${reason}, restarted after ${(restartedMs / 1_000).toFixed(1)} s with a watchdog of ${WATCHDOG_MS / 1_000} s, resumed ${(resumedMs / 1_000).toFixed(1)} s later`,
      bar: 'restarted <= watchdog + 5 s, resumed <= 10 s',
      isMet: isWithin(restartedMs, WATCHDOG_MS + 5_000) && isWithin(resumedMs, 10_000),
    });
  } finally {
    await manager.stop();
    await site.stop();
  }
}

const inFull = test.runIf(isFull);

test.concurrent('a blocked loop is noticed because nothing feeds the watchdog', TIMEOUT, () => hang('loop'));

inFull('a poller that starts nothing is noticed by the agent itself', { ...TIMEOUT, concurrent: true }, () =>
  hang('poller'),
);

inFull('so is an outbox that writes nothing', { ...TIMEOUT, concurrent: true }, () => hang('outbox'));

inFull('a service that is away leaves the agent running', { ...TIMEOUT, concurrent: true }, async () => {
  let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;
  const site = await startAgentSite(
    { miners: MINERS, mix: 'all' },
    {
      async reachedAt(url) {
        proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(url).port) }, 15);
        return `http://127.0.0.1:${proxy.port}`;
      },
    },
  );
  const manager = supervise(site, 'none');
  try {
    await until(updatedSince(site, Date.now()), (count) => count === MINERS, 60_000);
    const startMs = performance.now();
    proxy?.set({ isDown: true });
    await pause(WATCHDOG_MS + 10_000);
    const seconds = Math.round((performance.now() - startMs) / 1_000);
    const restarts = manager.lines.filter(({ what }) => what === 'watchdog' || what === 'ended').length;
    report({
      id: 'R15',
      value: `service away for ${seconds} s with a watchdog of ${WATCHDOG_MS / 1_000} s: ${restarts} restarts`,
      bar: 'a dead uplink causes 0 restarts',
      isMet: restarts === 0,
    });
  } finally {
    await manager.stop();
    await site.stop();
    await proxy?.stop();
  }
});
