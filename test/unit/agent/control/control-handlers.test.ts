// The handlers of the control socket together, driven directly on the modules of an agent: each request goes to its
// part, and the same limits hold for all of them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Step } from '../../../../src/agent/control/messages.ts';
import { ConfigError } from '../../../../src/base/errors.ts';
import { VERSION } from '../../../../src/base/version.ts';
import { loopback } from '../../../support/loopback.ts';
import { type AgentModules, startModules } from './handlers/agent-modules.ts';

const { network: NETWORK } = loopback(28);
const HEARER = { onUnderstood() {}, onFound() {}, onProgress() {} };
const { signal } = new AbortController();

let agent: AgentModules;
beforeAll(async () => {
  agent = await startModules({ network: NETWORK, miners: 2, mix: 'antminer-c' });
});
afterAll(() => agent.stop());

test('the state is that of this agent, and knows what a scan has found', async () => {
  const handlers = agent.handlers();
  expect(handlers.state()).toMatchObject({ version: VERSION, pid: process.pid, miners: { total: 0 }, uplinks: [] });
  await handlers.scan({ ranges: [NETWORK], exclude: [] }, HEARER, signal);
  expect(handlers.state()).toMatchObject({
    state_dir: agent.modules.config.stateDir,
    networks: { ranges: 1, addresses: expect.any(Number) },
    miners: { total: 2 },
    scans: { last: { kind: 'manual', account: { counts: { identified: 2 } } } },
  });
});

test('a request names miners by what the scan found, and one beyond the networks is refused', async () => {
  const handlers = agent.handlers();
  const [ip = ''] = agent.farm.devices.map((device) => device.ip);
  const request = (miner: string) => ({ name: 'miner.system.reboot' as const, miners: [miner], params: {} });
  const { miners, unknown, at_once } = await handlers.preview(request(ip), signal);
  expect([miners.map((miner) => miner.ip), unknown, at_once]).toEqual([[ip], [], 5]);
  const steps: Step[] = [];
  const run = handlers.run(request('192.0.2.1'), (step) => steps.push(step), signal);
  await expect(run).rejects.toMatchObject({ code: 'run.outside' });
  expect([steps, handlers.tasks(10, false).tasks, handlers.cancel([])]).toEqual([[], [], 0]);
});

test('where no identity is disputed there is none to show, and nothing to settle', async () => {
  const handlers = agent.handlers();
  expect(handlers.identities()).toEqual({ disputes: [] });
  const settled = await handlers.settle({ units: ['192.0.2.1'], dry_run: true, by: 'ada' }, signal);
  expect(settled).toMatchObject([{ ip: '192.0.2.1', outcome: 'left', reason: expect.any(String) }]);
});

test('the configuration is read anew by whoever can, and what it answers is passed on', async () => {
  const taken = agent.handlers(() => ({ changed: ['networks'], needsRestart: ['stateDir'] }));
  const drivers = { loaded: [], refused: [] };
  expect(await taken.reload()).toEqual({ changed: ['networks'], needs_restart: ['stateDir'], drivers });
  const wrong = agent.handlers(() => {
    throw new ConfigError('check config', [{ path: 'networks[0]', message: 'is wrong' }]);
  });
  await expect(wrong.reload()).rejects.toThrow(ConfigError);
  await expect(agent.handlers().reload()).rejects.toMatchObject({ code: 'reload.unable' });
});
