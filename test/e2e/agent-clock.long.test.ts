// An agent on a simulated farm while the wall clock of its host is set back and forth: what miners do is seen at once,
// nothing is dated after now, and each step is declared, told and shown. Another start, with the clock behind, is a
// step too.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { type Agent, createAgent } from '../../src/agent/agent.ts';
import { type AgentConfig, parseConfig } from '../../src/agent/config/config.ts';
import { findRunningAgent } from '../../src/agent/control/control-client.ts';
import { CLOCK_TROUBLE } from '../../src/agent/control/status.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { sliceBodySchema } from '../../src/wire/records.ts';
import { newCredentials } from '../fault/new-credentials.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead } from './process.ts';
import { until } from './until.ts';

const { network: NETWORK } = loopback(27);
const HOUR_MS = 3_600_000;
const STEPS = [-1_000, 1_000, -HOUR_MS, HOUR_MS, -24 * HOUR_MS, 24 * HOUR_MS];
const MINERS = 2 * STEPS.length + 2;
/** The clocks of the host are read one after the other. */
const SLACK_MS = 50;

const findingsSchema = z.object({
  findings: z.array(z.object({ text: z.string(), remedy: z.string().optional() })),
});

const stateDir = mkdtempSync(join(tmpdir(), 'pithead-clock-'));
const uplink = { name: 'farm', url: 'http://127.0.0.1:1', ...newCredentials() };
let offsetMs = 0;
const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + offsetMs };
let farm: Farm;
let config: AgentConfig;
let agent: Agent;

const begin = async () => {
  agent = createAgent({ config, uplinks: [uplink], clock, log: silentLog });
  await agent.start();
};

beforeAll(async () => {
  const portMap = await suitablePortMap();
  farm = await startFarm({ network: NETWORK, miners: MINERS, mix: 'antminer-c', seed: 7, portMap });
  config = parseConfig(
    JSON.stringify({
      ...{ stateDir, portMap, networks: [NETWORK], scan: { ipReports: false, maxPerSecond: 50_000 } },
      poll: { interval: '2s', deadline: '1s' },
    }),
    { baseDir: stateDir, environment: { XDG_CONFIG_HOME: stateDir }, name: 'test' },
  );
  await begin();
  await agent.scan();
  await until(documents, (known) => known.length === MINERS && known.every(({ document }) => document.is_mining));
});
afterAll(async () => {
  await agent.stop();
  await farm.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

const documents = () => [...agent.fleet.all()].flatMap(({ reported }) => reported ?? []);
const documentOf = (ip: string | undefined) => documents().find(({ document }) => document.ip === ip);

const inFuture = () =>
  documents()
    .flatMap(({ document, extras }) => [document.last_updated_at, ...extras.flags.map(({ since }) => since)])
    .filter((time) => time !== null && Date.parse(time) > clock.nowMs() + SLACK_MS);

async function state() {
  const found = await findRunningAgent(stateDir);
  if (found.kind !== 'running') throw new Error(`the agent is ${found.kind}`);
  return found.agent.state().finally(() => found.agent.close());
}

test.each(STEPS.map((stepMs, index) => [stepMs, index] as const))(
  'after a step of %i ms a miner that is unplugged and one that stops hashing are seen, and dated by now',
  async (stepMs, index) => {
    const [unplugged, idle] = farm.devices.slice(2 * index, 2 * index + 2);
    offsetMs += stepMs;
    unplugged?.setFault('hangs', true);
    idle?.setFault('low-hashrate', true, 0);
    const faultAtMs = performance.now();
    await until(
      () => [documentOf(unplugged?.ip), documentOf(idle?.ip)],
      ([first, second]) => first?.document.last_check_succeed === false && second?.document.hashrate === 0,
    );
    const gone = documentOf(unplugged?.ip);
    const readAgoMs = clock.nowMs() - Date.parse(gone?.document.last_updated_at ?? '');
    const sinceFaultMs = performance.now() - faultAtMs;
    // Read a moment before the fault, as far as a busy machine lets it: the steps are an hour and more.
    expect(readAgoMs).toBeGreaterThanOrEqual(0);
    expect(readAgoMs).toBeLessThan(sinceFaultMs + 60_000);
    await until(
      () => documentOf(unplugged?.ip)?.extras.flags.map(({ type }) => type) ?? [],
      (types) => types.includes('network'),
    );
    // Of all miners, each polled again since the step.
    await until(inFuture, (times) => times.length === 0);
    for (const { document } of documents().filter((each) => each.document.last_check_succeed))
      expect(clock.nowMs() - Date.parse(document.last_updated_at ?? '')).toBeLessThan(60_000);
  },
);

test('status tells of each step, and so does what the services get; samples are lost by none', async () => {
  const large = STEPS.filter((stepMs) => Math.abs(stepMs) > 1_000);
  const { troubles, clock_steps: steps } = await until(state, ({ clock_steps }) => clock_steps.length >= large.length);
  expect(steps.map(({ step_ms }) => Math.round(step_ms / 1_000) * 1_000)).toEqual(large);
  for (const { at } of steps) expect(Date.parse(at)).toBeLessThanOrEqual(clock.nowMs());
  expect(troubles.filter((text) => text.startsWith(CLOCK_TROUBLE))).toHaveLength(3);
  const path = join(stateDir, 'pithead.yaml');
  writeFileSync(path, JSON.stringify({ stateDir, networks: [NETWORK] }), { mode: 0o600 });
  const { stdout } = await runPithead(['doctor', '--json', '--config', path]);
  const told = findingsSchema.parse(JSON.parse(stdout)).findings.filter(({ text }) => text.startsWith(CLOCK_TROUBLE));
  expect(told.map(({ remedy }) => remedy)).toEqual(
    Array.from({ length: 3 }, () => expect.stringContaining('time server')),
  );
  await agent.stop();
  const records = kept();
  const gaps = records.flatMap((record) => (record.kind === 'gap' ? [record] : []));
  expect(gaps.map(({ reason, count }) => [reason, count])).toEqual(large.map(() => ['clock', 0]));
  for (const { from, to } of gaps) expect(Date.parse(from)).toBeLessThan(Date.parse(to));
  const events = records.flatMap((record) =>
    record.kind === 'event' && record.type === 'clock_stepped' ? [record] : [],
  );
  expect(events.map(({ key }) => key)).toEqual(large.map(() => uplink.agentId));
  await begin();
});

test('a start with a clock that is behind the run before it says so', async () => {
  await agent.stop();
  offsetMs -= 2 * HOUR_MS;
  await begin();
  const { troubles } = await state();
  expect(troubles).toEqual(
    expect.arrayContaining([expect.stringMatching(/^the clock of this host was set back by (2h|1h59m)/)]),
  );
  await until(documents, (known) => known.length === MINERS);
  await until(inFuture, (times) => times.length === 0);
  await until(
    () => documents().filter(({ document }) => !document.last_check_succeed).length,
    (silent) => silent === STEPS.length,
  );
  expect(inFuture()).toEqual([]);
});

/** Every record in the outbox, in order. */
function kept() {
  const db = new DatabaseSync(join(stateDir, 'outbox.sqlite'), { readOnly: true });
  try {
    return z
      .array(z.object({ body: z.instanceof(Uint8Array) }))
      .parse(db.prepare('SELECT body FROM outbox_slices ORDER BY id').all())
      .flatMap(({ body }) => sliceBodySchema.parse(JSON.parse(zstdDecompressSync(body).toString('utf8'))).records);
  } finally {
    db.close();
  }
}
