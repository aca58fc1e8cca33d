// Prints the files of `src` on two ways through the program as one line of JSON: a hashrate from a driver to the v1
// JSON, and a reboot from the v1 route to the miner. Agent, service and one simulated miner run before the first of
// them begins. Only what belongs to a way happens on it: loops that work once in a second or more seldom stand still
// (host, clock, samples to disk, retries), and there is no scan. The argument is the network of the miner.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { drivers } from '../../drivers/index.ts';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { createAgent } from '../../src/agent/agent.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { enrolOnce } from '../../src/agent/uplink/enrolment/credentials.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createService } from '../../src/service/service.ts';
import { until } from './until.ts';
import { startCoverage } from './used-files.ts';
import { vouchFor } from './vouch.ts';

const DRIVER = 'antminer-stock';
const LIMIT_MS = 30_000;
/** Samples wait a second for a fuller slice. */
const REPORT_MS = 1_200;
/** After this the receipt of a report has come back, and nothing of it is under way any more. */
const QUIET_MS = 300;
/** What sleeps so long is a loop: what a way waits for are answers and timers. */
const LOOP_MS = 1_000;

let isStill = false;
const clock: Clock = {
  ...systemClock,
  async sleep(delayMs, signal) {
    do await systemClock.sleep(delayMs, signal);
    while (isStill && delayMs >= LOOP_MS);
  },
};

const coverage = startCoverage();
let onRead = () => {};
const driver = drivers.find(({ id }) => id === DRIVER);
if (driver === undefined) throw new Error(`there is no driver ${DRIVER}`);
const { read } = driver;
Object.assign(driver, {
  read(...given: Parameters<typeof read>) {
    onRead();
    return read(...given);
  },
});
let onReceived = (_text: string) => {};

const folder = mkdtempSync(join(tmpdir(), 'pithead-ways-'));
const portMap = await suitablePortMap();
const [, , network = ''] = process.argv;
const farm = await startFarm({
  ...{ network, miners: 1, mix: DRIVER, seed: 1, noiseStepS: 0.1, portMap },
  onReceived: (_ip, text) => onReceived(text),
});
vouchFor(folder, farm);
const config = parseConfig(
  JSON.stringify({
    stateDir: folder,
    networks: farm.devices.map(({ ip }) => ip),
    portMap,
    scan: { ipReports: false },
    // Not the second for which the neighbour table of the host is kept: it would be read on the way in some runs only.
    poll: { interval: '2s', slowEvery: 60, staticEvery: '24h' },
    credentials: { trust: 'network' },
  }),
  { baseDir: folder, environment: { XDG_CONFIG_HOME: folder }, name: 'ways' },
);
const service = await createService({
  ...{ databasePath: join(folder, 'service.sqlite'), host: '127.0.0.1', port: 0 },
  ...{ clock, log: silentLog, version: 'ways' },
});
const { url } = await service.start();
const { workspaceId, farmId } = await service.admin.ensureDefaults();
const { key } = await service.admin.createKey({ workspaceId, name: 'ways', role: 'admin' });
const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 60_000, maxMiners: 100 });
const enrolment = { stateDir: folder, keyFile: config.credentials.keyFile, realm: 'ways', url, code, allowPlain: true };
const credentials = await enrolOnce(enrolment);
const agent = createAgent({ config, uplinks: [{ name: 'ways', ...credentials }], clock, log: silentLog });

async function call(path: string, body?: unknown): Promise<unknown> {
  const answer = await request(`${url}/private-api/v1/${workspaceId}/farms/${farmId}${path}`, {
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return JSON.parse(text);
}
const listSchema = z.object({ data: z.array(z.object({ id: z.string(), hashrate: z.number().nullable() })) });
const list = async () => listSchema.parse(await call('/miner/latest?pageSize=10')).data;

/** Until the list shows another hashrate than now. */
async function change(): Promise<void> {
  const [before] = await list();
  await until(list, ([now]) => now?.hashrate !== undefined && now.hashrate !== before?.hashrate, LIMIT_MS);
}

/** From the driver's `read` to the answer that shows its hashrate, and to the receipt of the report. */
async function followHashrate(): Promise<string[]> {
  const [before] = await list();
  const begun = Promise.withResolvers<void>();
  onRead = () => {
    onRead = () => {};
    isStill = true;
    coverage.begin();
    begun.resolve();
  };
  await begun.promise;
  // Asked for when it has come: so the files of the answer come last.
  await systemClock.sleep(REPORT_MS);
  await until(list, ([now]) => now?.hashrate !== before?.hashrate, LIMIT_MS);
  await systemClock.sleep(QUIET_MS);
  return coverage.end();
}

/** From the request to the moment at which the miner has read its command. */
async function followReboot(): Promise<string[]> {
  const [miner] = await list();
  const ended = Promise.withResolvers<string[]>();
  onReceived = (text) => {
    if (!/reboot/.test(text) || !/\nauthorization\n/i.test(text)) return;
    onReceived = () => {};
    ended.resolve(coverage.end());
  };
  coverage.begin();
  await call('/tasks/batches', { task_name: 'miner.system.reboot', miner_ids: [miner?.id] });
  return ended.promise;
}

try {
  await agent.start();
  await until(list, ([miner]) => miner !== undefined && miner.hashrate !== null, LIMIT_MS);
  await change();
  // One more poll, and none while the command is on its way.
  agent.reload({ ...config, poll: { ...config.poll, interval: 3_600_000 } });
  const hashrate = await followHashrate();
  const reboot = await followReboot();
  process.stdout.write(`${JSON.stringify({ hashrate, reboot })}\n`);
} finally {
  isStill = false;
  await agent.stop();
  await service.stop();
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
}
