import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { createAgent } from '../../src/agent/agent.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { keepHeapSmall } from '../../src/base/platform/heap-flags.ts';
import { newCredentials } from './new-credentials.ts';

keepHeapSmall();
const folder = process.argv[2] ?? '';
let offsetMs = 0;
const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + offsetMs };
const agent = createAgent({
  config: parseConfig(readFileSync(join(folder, 'pithead.yaml'), 'utf8'), {
    baseDir: folder,
    environment: {},
    name: 'lone',
  }),
  // Nobody listens at port 1.
  uplinks: [{ name: 'farm', url: 'http://127.0.0.1:1', ...newCredentials() }],
  clock,
  log: silentLog,
});
const delay = monitorEventLoopDelay({ resolution: 5 });
/** Since it was last told to begin anew. */
const long = monitorEventLoopDelay({ resolution: 5 });
const tell = () => {
  const delayMs = delay.count === 0 ? 0 : delay.max / 1e6;
  delay.reset();
  globalThis.gc?.();
  const { rss, heapUsed: heapB } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const open = process.getActiveResourcesInfo();
  const timers = open.filter((name) => name === 'Timeout').length;
  const told = {
    miners: agent.fleet.size,
    rssMb: rss / 2 ** 20,
    delayMs,
    longMs: long.count === 0 ? { p99: 0, most: 0 } : { p99: long.percentile(99) / 1e6, most: long.max / 1e6 },
    cpuMs: (user + system) / 1_000,
    heapB,
    timers,
    handles: open.length - timers,
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
};
createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === 'anew') long.reset();
  else offsetMs += Number(line);
});
await agent.start();
delay.enable();
long.enable();
const timer = setInterval(tell, 1_000);
process.once('SIGTERM', () => {
  clearInterval(timer);
  void agent.stop().then(() => process.exit());
});
