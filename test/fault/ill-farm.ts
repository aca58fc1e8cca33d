// The agent as a process with real sockets, at a farm of which some miners turn ill while it runs. What the healthy
// ones notice is read from what the agent reports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import { expect } from 'vitest';
import { z } from 'zod';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import type { MinerRecord } from '../../src/wire/records.ts';
import { loopback } from '../support/loopback.ts';
import { startLoneAgent } from './lone-agent.ts';

const root = join(import.meta.dirname, '..', '..');
const PORTS = [80, 443, 4028, 4433, 8080, 8889];
/** Of an exchange. */
export const DEADLINE_MS = 2_000;
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
export async function startIllFarm(options: { prefix: number; miners: number; intervalMs: number }) {
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
export function gapsOf(records: readonly MinerRecord[], fromMs: number, toMs: number, overdueMs = Infinity): number[] {
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
export const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
