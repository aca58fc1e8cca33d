// The agent as a process with real sockets, at a farm of which some miners turn ill while it runs: those that never end
// an answer (R13), and those whose answers are the worst that we know (R14). What the healthy ones notice is read from
// what the agent reports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import type { MinerRecord } from '../../src/wire/records.ts';
import { loopback } from '../support/loopback.ts';
import { pause } from './agent-site.ts';
import { startLoneAgent } from './lone-agent.ts';
import { isFull, report } from './table.ts';

const root = join(import.meta.dirname, '..', '..');
const PORTS = [80, 443, 4028, 4433, 8080, 8889];
const DEADLINE_MS = 2_000;
const MOVES_AT_ONCE = 8;
/** Rigs without the password of their owner: each poll of them fails, and they are asked ever more rarely. */
const LOCKED: ReadonlySet<string> = new Set(['proto']);

const connectionsSchema = z.array(
  z.object({ ip: z.string(), manner: z.string(), atMs: z.number(), lifeMs: z.number().nullable() }),
);

async function startLine(args: readonly string[]) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const next = async () => String((await once(lines, 'line'))[0]);
  return { child, next };
}

/** A farm in a process of its own, and the agent; `fall` puts ill devices in the place of those that are named. */
async function startIllFarm(options: { prefix: number; miners: number; intervalMs: number }) {
  const portMap = await suitablePortMap();
  const { network } = loopback(options.prefix);
  const aside = loopback(20);
  const farm = await startLine([
    ...['fixtures/farm/main.ts', '--json', '--control', '0', '--network', network],
    ...['--miners', String(options.miners), '--mix', 'all', '--for', '10m'],
    ...Object.entries(portMap).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]),
  ]);
  const { devices, control } = z
    .object({ devices: z.array(z.object({ ip: z.string(), driver: z.string() })), control: z.string() })
    .parse(JSON.parse(await farm.next()));
  const poll = { interval: `${options.intervalMs}ms`, staticEvery: '24h', deadline: `${DEADLINE_MS}ms` };
  const agent = startLoneAgent({ networks: [network], portMap, poll }, { farm: { devices } });
  const ill = await startLine([join(import.meta.dirname, 'ill-devices.ts')]);
  return {
    agent,
    ips: devices.map(({ ip }) => ip),
    isLocked: new Set(devices.flatMap(({ ip, driver }) => (LOCKED.has(driver) ? [ip] : []))),
    async fall(manners: ReadonlyMap<string, string>) {
      const moves = [...manners.keys()].map((ip, index) => ({ ip, to: aside.ip(1 + index) }));
      const moveNext = async () => {
        for (let move = moves.pop(); move !== undefined; move = moves.pop()) {
          const { statusCode, body } = await request(`${control}/devices/${move.ip}/move`, {
            method: 'POST',
            body: JSON.stringify({ to: move.to }),
          });
          expect(statusCode, await body.text()).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: MOVES_AT_ONCE }, moveNext));
      const ports = PORTS.map((port) => portMap[port] ?? port).join();
      for (const [ip, manner] of manners) ill.child.stdin.write(`${ip} ${manner} ${ports}\n`);
      ill.child.stdin.write('\n');
      await ill.next();
    },
    async connections() {
      const last = ill.next();
      ill.child.kill('SIGTERM');
      return connectionsSchema.parse(JSON.parse(await last));
    },
    async stop() {
      agent.remove();
      for (const { child } of [farm, ill]) child.kill('SIGKILL');
    },
  };
}

/**
 * How long after each other the polls of each miner ended, ms. A window of few cycles has no end of a long gap: what
 * has lasted longer than `overdueMs` when the window ends counts as it is then.
 */
function gapsOf(records: readonly MinerRecord[], fromMs: number, toMs: number, overdueMs = Infinity): number[] {
  const last = new Map(records.map(({ key }) => [key, fromMs]));
  const isFirst = new Set(last.keys());
  const ended = records.flatMap(({ key, at }) => {
    const atMs = Date.parse(at);
    if (atMs < fromMs || atMs > toMs) return [];
    const gapMs = atMs - (last.get(key) ?? fromMs);
    last.set(key, atMs);
    return isFirst.delete(key) ? [] : [gapMs];
  });
  return [...ended, ...[...last.values()].map((atMs) => toMs - atMs).filter((gapMs) => gapMs > overdueMs)];
}
const p99 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Infinity;
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);

test.runIf(isFull)('half of the farm never ends an answer, and the cycle of the others is what it was', async () => {
  const miners = 1_000;
  const intervalMs = 8_000;
  // Each of 500 miners has one or two gaps in it.
  const cycles = 2.5;
  const overdueMs = intervalMs * 1.1;
  const site = await startIllFarm({ prefix: 21, miners, intervalMs });
  try {
    await site.agent.untilKnown(miners);
    await pause(intervalMs);
    const calmFromMs = Date.now();
    await pause(cycles * intervalMs);
    const manners = ['silent', 'drip', 'half'];
    const sick = site.ips.filter((_, index) => index % 2 === 1);
    const calmToMs = Date.now();
    await site.fall(new Map(sick.map((ip, index) => [ip, manners[index % manners.length] ?? 'silent'])));
    const illFromMs = Date.now();
    await pause(cycles * intervalMs);
    const illToMs = Date.now();
    const records = await site.agent.end();
    const connections = await site.connections();
    const isSick = new Set(sick);
    const isHealthy = new Set(site.ips.filter((ip) => !isSick.has(ip) && !site.isLocked.has(ip)));
    const healthy = records.filter(({ document }) => isHealthy.has(document.ip));
    const calmGaps = gapsOf(healthy, calmFromMs, calmToMs, overdueMs);
    const illGaps = gapsOf(healthy, illFromMs, illToMs, overdueMs);
    const [calmMs, illMs] = [p99(calmGaps), p99(illGaps)];
    const lives = connections.flatMap(({ lifeMs }) => lifeMs ?? []);
    const polled = new Set(healthy.filter(({ at }) => Date.parse(at) > illFromMs).map(({ key }) => key)).size;
    const rssMb = (fromMs: number, toMs: number) =>
      most(site.agent.tellings.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).map((telling) => telling.rssMb));
    report({
      id: 'R13',
      value: `real sockets, ${sick.length} of ${miners} drip, stop half-way or say nothing: cycle p99 of the others ${Math.round(calmMs)} -> ${Math.round(illMs)} ms of ${calmGaps.length} and ${illGaps.length}, ${polled} of ${isHealthy.size} polled; longest of ${lives.length} exchanges ${Math.round(most(lives))} ms of ${DEADLINE_MS}; RSS at most ${Math.round(rssMb(calmFromMs, calmToMs))} -> ${Math.round(rssMb(illFromMs, illToMs))} MiB`,
      bar: 'p99 + <= 10 %, <= deadline + 250 ms',
      isMet:
        illMs <= calmMs * 1.1 &&
        most(lives) <= DEADLINE_MS + 250 &&
        lives.length > sick.length &&
        polled === isHealthy.size,
    });
  } finally {
    await site.stop();
  }
});

test.runIf(isFull)('the worst answers that we know do not keep the agent from the other miners', async () => {
  const miners = 60;
  const intervalMs = 2_000;
  const site = await startIllFarm({ prefix: 25, miners, intervalMs });
  try {
    await site.agent.untilKnown(miners);
    await pause(3 * intervalMs);
    const calmToMs = Date.now();
    const sick = site.ips.filter((ip) => !site.isLocked.has(ip)).filter((_, index) => index % 10 === 3);
    await site.fall(new Map(sick.map((ip, index) => [ip, index % 2 === 0 ? 'poison' : 'flood'])));
    const illFromMs = Date.now();
    await pause(24_000);
    const illToMs = Date.now();
    const { tellings } = site.agent;
    const delay = (isIll: boolean) =>
      most(
        tellings
          .filter(({ atMs }) => (isIll ? atMs > illFromMs : atMs < calmToMs && atMs > calmToMs - 3 * intervalMs))
          .map(({ delayMs }) => delayMs),
      );
    const [calmMb, illMb] = [
      tellings.findLast(({ atMs }) => atMs < calmToMs)?.rssMb ?? Number.NaN,
      most(tellings.filter(({ atMs }) => atMs > illFromMs).map(({ rssMb }) => rssMb)),
    ];
    const records = await site.agent.end();
    const connections = await site.connections();
    const isSick = new Set(sick);
    const longestMs = most(
      gapsOf(
        records.filter(({ document }) => !isSick.has(document.ip) && !site.isLocked.has(document.ip)),
        illFromMs,
        illToMs,
      ),
    );
    // Some families read enough in one of the answers, until the next.
    const failed = records.filter(({ at, document }) => Date.parse(at) > illFromMs && !document.last_check_succeed);
    const visible = sick.filter((ip) => failed.some(({ document }) => document.ip === ip));
    // Several connections belong to one visit.
    const visits = sick.map((ip) => {
      const times = connections.filter((connection) => connection.ip === ip).map(({ atMs }) => atMs);
      return times.filter((atMs, index) => atMs - (times[index - 1] ?? 0) > intervalMs).length;
    });
    report({
      id: 'R14',
      value: `real sockets, ${sick.length} of ${miners} answer with the worst: the others at most ${(longestMs / 1_000).toFixed(1)} s apart (interval ${intervalMs / 1_000} s); ${visible.length} reported as failed, visited ${visits.join(', ')} times in 24 s instead of 12; loop blocked at most ${Math.round(delay(false))} -> ${Math.round(delay(true))} ms, RSS ${Math.round(calmMb)} -> ${Math.round(illMb)} MiB`,
      bar: 'others <= 1 cycle, growing pause, visible',
      isMet:
        longestMs <= 2 * intervalMs && visible.length === sick.length && most(visits) <= 10 && illMb - calmMb <= 100,
    });
  } finally {
    await site.stop();
  }
});
