// Local switches hold for what people of this host ask for, too: at the control socket of the agent that runs, and
// where none runs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../../../src/agent/agent.ts';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { findRunningAgent } from '../../../../src/agent/control/control-client.ts';
import { logOnce, scanOnce } from '../../../../src/agent/standalone/scan.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { loopback } from '../../../support/loopback.ts';

const { ip: ipOf } = loopback();
const IP = ipOf(1);
const { signal } = new AbortController();
const HEARER = { onUnderstood() {}, onFound() {}, onProgress() {} };

function configWith(allow: Readonly<Record<string, boolean>>) {
  const baseDir = mkdtempSync(join(tmpdir(), 'pithead-allowed-'));
  onTestFinished(() => rmSync(baseDir, { recursive: true, force: true }));
  const text = JSON.stringify({ stateDir: baseDir, networks: [IP], scan: { ipReports: false }, tasks: { allow } });
  return parseConfig(text, { baseDir, environment: { XDG_CONFIG_HOME: baseDir }, name: 'test' });
}

test('an agent that may not read logs or scan does neither for whoever asks at its socket', async () => {
  const config = configWith({ log: false, scan: false });
  const agent = createAgent({ config, uplinks: [], clock: systemClock, log: silentLog });
  await agent.start();
  onTestFinished(() => agent.stop());
  const found = await findRunningAgent(config.stateDir);
  if (found.kind !== 'running') throw new Error(`the agent is ${found.kind}`);
  onTestFinished(() => found.agent.close());
  const refused = (setting: string) => ({ code: 'tasks.not-allowed', message: expect.stringContaining(setting) });
  await expect(found.agent.log(IP, signal)).rejects.toMatchObject(refused('tasks.allow.log'));
  const scan = found.agent.scan({ ranges: [IP], exclude: [] }, HEARER, signal);
  await expect(scan).rejects.toMatchObject(refused('tasks.allow.scan'));
  // What is no business of this agent is not refused by it.
  await expect(found.agent.log(ipOf(2), signal)).rejects.toMatchObject({ code: 'look.outside' });
});

test('nor does a command without an agent that works with such a configuration', async () => {
  const log = logOnce({ config: configWith({ log: false }), ip: IP }, signal);
  await expect(log).rejects.toMatchObject({ family: 'refused', code: 'tasks.not-allowed' });
  const scan = scanOnce({ config: configWith({ scan: false }), ranges: [IP], exclude: [] }, HEARER, signal);
  await expect(scan).rejects.toMatchObject({ family: 'refused', code: 'tasks.not-allowed' });
});
