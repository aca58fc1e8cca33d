// Agent and service in one process, and every device of the network is hostile: the service answers, nothing ends, and
// no miner is made of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/agent/config/config.ts';
import { silentLog } from '../../src/base/log.ts';
import { startStack } from '../../src/cli/run/all-in-one.ts';
import { loopback } from '../support/loopback.ts';
import { pause } from './agent-site.ts';
import { startHostileDevice } from './hostile-process.ts';
import { isFull, isWithin, report } from './table.ts';

const { network: NETWORK, ip: ipOf } = loopback(28);
const ADDRESSES = Array.from({ length: 9 }, (_, i) => ipOf(i + 1));
const SEED = 20_261_123;
const ATTACK_MS = isFull ? 45_000 : 10_000;
const SLOWEST_MS = 500;

async function start(stateDir: string, portMap: ReadonlyMap<number, number>) {
  const config = parseConfig(
    JSON.stringify({
      stateDir,
      networks: [NETWORK],
      portMap: Object.fromEntries(portMap),
      scan: { maxPerSecond: 50_000 },
      poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
    }),
    { baseDir: stateDir, environment: { XDG_CONFIG_HOME: stateDir }, name: 'hostile-site' },
  );
  return startStack({ config, host: '127.0.0.1', port: 0, log: silentLog });
}

test('nine hostile devices hold up neither the agent nor who asks the service', async () => {
  const device = await startHostileDevice(SEED, ADDRESSES);
  onTestFinished(() => device.stop());
  const stateDir = mkdtempSync(join(tmpdir(), 'pithead-hostile-'));
  const stack = await start(stateDir, device.portMap);
  onTestFinished(async () => {
    await stack.stop();
    rmSync(stateDir, { recursive: true, force: true });
  });
  let crashes = 0;
  const onCrash = () => crashes++;
  process.on('uncaughtExceptionMonitor', onCrash);
  onTestFinished(() => void process.off('uncaughtExceptionMonitor', onCrash));

  const tookMs: number[] = [];
  for (const endMs = performance.now() + ATTACK_MS; performance.now() < endMs; await pause(50)) {
    const startMs = performance.now();
    const { statusCode, body } = await request(`${stack.url}/healthz`);
    await body.dump();
    expect(statusCode).toBe(200);
    tookMs.push(performance.now() - startMs);
  }
  const { requests } = await device.end();
  const slowestMs = Math.max(...tookMs);
  expect(requests).toBeGreaterThan(50);
  report({
    id: 'S1',
    value: `nine hostile devices for ${ATTACK_MS / 1_000} s, ${requests} answers: ${crashes} crashes, slowest /healthz ${Math.round(slowestMs)} ms of ${tookMs.length}`,
    bar: `0 crashes, <= ${SLOWEST_MS} ms`,
    isMet: crashes === 0 && isWithin(slowestMs, SLOWEST_MS),
  });
}, 240_000);
