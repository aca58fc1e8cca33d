// Scans and looks of a person of this host, driven directly on simulated devices: they stay inside the agent's
// networks, do what the configuration allows, and show nothing that stays here.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLookHandlers } from '../../../../../src/agent/control/handlers/look-handlers.ts';
import { loopback } from '../../../../support/loopback.ts';
import { type AgentModules, startModules } from './agent-modules.ts';

const { network: NETWORK, ip: ipOf } = loopback(27);
const OUTSIDE = '192.0.2.1';
const EXCLUDED = ipOf(30);
const { signal } = new AbortController();

let agent: AgentModules;
let handlers: ReturnType<typeof createLookHandlers>;
beforeAll(async () => {
  const more = { exclude: [EXCLUDED], tasks: { allow: { log: false } } };
  agent = await startModules({ network: NETWORK, miners: 2, mix: 'antminer-c' }, more);
  handlers = createLookHandlers({ ...agent.modules, newId: randomUUID });
});
afterAll(() => agent.stop());

const minerIps = () => agent.farm.devices.map(({ ip }) => ip);

function createHearer() {
  const said: string[] = [];
  const found: string[] = [];
  const progress: number[] = [];
  return {
    ...{ said, found, progress },
    onUnderstood: (text: string) => void said.push(text),
    onFound: (one: object) => void found.push(JSON.stringify(one)),
    onProgress: (probed: number) => void progress.push(probed),
  };
}

const scan = (ranges: readonly string[], hearer = createHearer(), stop = signal) =>
  handlers.scan({ ranges: [...ranges], exclude: [] }, hearer, stop);

test('a scan finds the miners, accounts for each address, and says what the configuration excludes', async () => {
  const hearer = createHearer();
  const account = await scan([NETWORK], hearer);
  expect(account.counts.identified).toBe(2);
  const counted = Object.values(account.counts).reduce((sum, count) => sum + count, 0);
  expect(counted).toBe(account.addresses - account.excluded - account.notReached);
  expect(hearer.said).toEqual([
    expect.stringContaining(`${NETWORK}: 30 addresses`),
    expect.stringContaining('30 addresses to probe'),
    '1 of these are excluded by the configuration of the agent; 3 are excluded in all',
  ]);
  for (const ip of minerIps()) expect(hearer.found.filter((one) => one.includes(`"ip":"${ip}"`))).toHaveLength(1);
  expect(hearer.found.join()).not.toContain('"evidence"');
  expect(hearer.progress.length).toBeGreaterThan(0);
  // What a scan finds the agent knows from then on.
  expect([...agent.modules.fleet.all()].map(({ target }) => target.ip).toSorted()).toEqual(minerIps().toSorted());
});

test('a scan outside the networks of the agent is refused, and one that straddles them too, in other words', async () => {
  const refused = (code: string) => ({ code, message: expect.stringContaining(OUTSIDE) });
  await expect(scan([OUTSIDE])).rejects.toMatchObject(refused('scan.outside'));
  await expect(scan([NETWORK, OUTSIDE])).rejects.toMatchObject(refused('scan.straddles'));
  await expect(scan(['10.0.0.300'])).rejects.toMatchObject({
    code: 'scan.ranges',
    message: expect.stringMatching(/^ranges\[0\]: .*10\.0\.0\.300/),
  });
});

test('a scan that is given up keeps what it found and says that it was', async () => {
  const gone = new AbortController();
  gone.abort();
  const account = await scan([NETWORK], createHearer(), gone.signal);
  expect(account).toMatchObject({ isCancelled: true });
  expect(account.notReached).toBeGreaterThan(0);
});

test('a scan says how many go before it', async () => {
  const hearer = createHearer();
  const first = scan([NETWORK]);
  await scan([minerIps()[0] ?? ''], hearer);
  await first;
  expect(hearer.said).toContain('scans that were asked for before and that go first: 1');
});

test('a look at an address shows what the device says, without what its ports said in full', async () => {
  const [ip = ''] = minerIps();
  const found = await handlers.look(ip, signal);
  expect(found).toMatchObject({ ip, status: 'identified', driver: expect.any(String), reading: expect.anything() });
  expect(found).not.toHaveProperty('evidence');
  expect(await handlers.look(ipOf(29), signal)).toMatchObject({ status: expect.stringMatching(/^(silent|closed)$/) });
});

test('a recording has what the device answers, and tells how far it is', async () => {
  const [ip = ''] = minerIps();
  const steps: number[] = [];
  const capture = await handlers.capture({ ip }, (done) => steps.push(done), signal);
  expect(capture?.case.responses.length).toBeGreaterThan(1);
  expect(steps.length).toBeGreaterThan(1);
});

test('outside the networks, and at an excluded address, nothing is looked at, recorded or read', async () => {
  for (const ip of [OUTSIDE, EXCLUDED]) {
    const refused = { code: 'look.outside', message: expect.stringContaining(`${ip}: outside the networks`) };
    await expect(handlers.look(ip, signal)).rejects.toMatchObject(refused);
    await expect(handlers.log(ip, signal)).rejects.toMatchObject(refused);
    expect(() => handlers.capture({ ip }, () => {}, signal)).toThrow(`capture ${ip}: outside the networks`);
  }
});

test('a log is read only where the configuration allows it', async () => {
  const refused = { code: 'tasks.not-allowed', message: expect.stringContaining('tasks.allow.log') };
  await expect(handlers.log(minerIps()[0] ?? '', signal)).rejects.toMatchObject(refused);
});
