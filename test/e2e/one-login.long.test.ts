// An Antminer whose owner set another password, on a host that scans, restarts and is asked by command: the login is
// tried there once, all in all.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { overhear } from '../fault/overheard.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead, startPithead } from './process.ts';
import { until } from './until.ts';

const NET = loopback();
const CASES = [
  ['the one from the factory', {}],
  [
    'the one of the configuration',
    {
      factoryDefaults: false,
      trust: 'network',
      logins: [{ family: 'antminer-stock', user: 'root', password: 'env:OWN' }],
    },
  ],
] as const;

test.each(CASES)('five scans, three restarts and ten commands: %s is tried once', async (_, credentials) => {
  const [ip, behind] = [NET.ip(2), NET.ip(130)];
  const folder = mkdtempSync(join(tmpdir(), 'pithead-one-login-'));
  const portMap = await suitablePortMap();
  const farm = await startFarm({
    ...{ network: `${behind}/32`, miners: 1, mix: { 'antminer-c': 1 }, seed: 5, noise: 0, portMap },
  });
  for (const device of farm.devices) device.setFault('wrong-password', true);
  const heard = await overhear(new Map([[ip, behind]]), portMap);
  onTestFinished(async () => {
    await heard.stop();
    await farm.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  const config = join(folder, 'pithead.yaml');
  const settings = {
    ...{ stateDir: 'state', networks: [`${ip}/32`], portMap, credentials },
    poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
  };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  const options = { cwd: folder, environment: { OWN: 'not-the-one' } };
  const pithead = (...args: string[]) => runPithead([...args, '--config', config], options);
  const logins = () => [...(heard.texts()[ip] ?? '').matchAll(/^authorization:/gim)].length;
  const polls = () => [...(heard.texts()[ip] ?? '').matchAll(/get_miner_status|"summary"|"stats"/g)].length;

  await pithead('scan', ip, '--json');
  await pithead('miner', ip);
  await pithead('capture', ip, '--output', folder);
  await pithead('reboot', ip, '--yes');
  for (const commands of [
    [
      ['scan', ip],
      ['miner', ip],
      ['reboot', ip, '--yes', '--force'],
    ],
    [
      ['scan', ip, '--json'],
      ['capture', ip, '--output', folder],
      ['refresh', ip],
    ],
    [
      ['scan', ip],
      ['log', ip],
      ['light', 'on', ip],
    ],
  ]) {
    const agent = startPithead(['up', '--config', config, '--port', '0'], options);
    try {
      await until(
        async () => (await pithead('status', '--json')).stdout,
        (text) => text.includes('"total":1') || text.includes('"total": 1'),
      );
      for (const command of commands) await pithead(...command);
      const before = polls();
      await until(
        async () => polls(),
        (now) => now > before,
      );
    } finally {
      agent.kill('SIGTERM');
      await agent.end();
    }
  }
  await pithead('scan', ip);
  await pithead('reboot', ip, '--yes', '--force');
  expect(logins()).toBe(1);
});
