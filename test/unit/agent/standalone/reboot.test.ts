// Reboots without a running agent: a command is for the unit that was recognised, not for whoever has its address when
// its turn comes. Simulated devices on real sockets.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../../../fixtures/farm/ports.ts';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import type { Step } from '../../../../src/agent/control/messages.ts';
import { rebootOnce } from '../../../../src/agent/standalone/reboot.ts';
import { loopback } from '../../../support/loopback.ts';

const NET = loopback(28);
const baseDir = mkdtempSync(join(tmpdir(), 'pithead-standalone-'));
let farm: Farm;
let portMap: Readonly<Record<string, number>>;

beforeAll(async () => {
  portMap = await suitablePortMap();
  farm = await startFarm({
    network: NET.network,
    miners: 3,
    mix: 'antminer-c',
    seed: 5,
    bootS: 2,
    warmUpS: 2,
    speed: 10,
    portMap,
  });
});
afterAll(async () => {
  await farm.stop();
  rmSync(baseDir, { recursive: true, force: true });
});

test('a unit that takes the place of one that waits for its turn is not rebooted', async () => {
  const [a, b, stranger] = farm.devices;
  if (a === undefined || b === undefined || stranger === undefined) throw new Error('the farm is too small');
  const free = [11, 12, 13, 14].map(NET.ip).find((ip) => farm.devices.every((device) => device.ip !== ip));
  const reboot = { concurrency: 1, backS: 30, hashS: 40, graceS: 6, checkEveryS: 0.1 };
  const config = parseConfig(JSON.stringify({ portMap, tasks: { reboot } }), {
    ...{ baseDir, environment: { XDG_CONFIG_HOME: baseDir }, name: 'test' },
  });
  const steps: Step[] = [];
  let swapped: Promise<void> | undefined;
  const onStep = (step: Step) => {
    steps.push(step);
    if (step.status !== 'running' || swapped !== undefined) return;
    const waiting = step.ip === a.ip ? b : a;
    const { ip } = waiting;
    swapped = farm.move(ip, free ?? '').then(() => farm.move(stranger.ip, ip));
  };
  await rebootOnce(
    { config, ips: [a.ip, b.ip], force: false, agree: async () => {} },
    onStep,
    new AbortController().signal,
  );
  await swapped;
  expect(steps.map(({ message }) => message)).toContain('refused: another unit stands at this address now');
  expect(a.reboots + b.reboots).toBe(1);
  expect(stranger.reboots).toBe(0);
});
