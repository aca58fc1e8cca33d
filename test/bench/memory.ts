// What the agent takes of the memory of its host: the program as its system service starts it, alone, at a farm and a
// service in processes of their own. Prints what is resident (and how much of it is not a mapped file) every so often;
// `--node` hands options to Node, `--env` sets a variable.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { ENVIRONMENT } from '../../src/update/linux/units.ts';
import { startFarmProcess, startServiceProcess } from './farm-process.ts';
import { print, processFigures } from './figures.ts';

const root = join(import.meta.dirname, '..', '..');
const NETWORK = '127.44.0.0/20';

export async function benchMemory(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      miners: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '180' },
      every: { type: 'string', default: '30' },
      interval: { type: 'string', default: '60s' },
      program: { type: 'string' },
      node: { type: 'string', multiple: true, default: [] },
      env: { type: 'string', multiple: true, default: [] },
    },
  });
  const farm = await startFarmProcess(['--miners', values.miners, '--network', NETWORK, '--for', '2h']);
  const service = await startServiceProcess();
  const folder = mkdtempSync(join(tmpdir(), 'pithead-bench-'));
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  const config = join(folder, 'pithead.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      stateDir: 'state',
      networks: [NETWORK],
      poll: { interval: values.interval },
      service: { url: service.url, enrolmentCode: service.code, allowPlain: true },
    }),
    { mode: 0o600 },
  );
  const command =
    values.program === undefined
      ? [process.execPath, ...values.node, join(root, 'src', 'main.ts')]
      : [resolve(values.program)];
  const [file = '', ...rest] = [...command, 'agent', '--config', config];
  const child = spawn(file, rest, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...ENVIRONMENT,
      ...Object.fromEntries(values.env.map((each) => each.split(/=(.*)/s).slice(0, 2))),
    },
  });
  const ended = new Promise((end) => child.once('exit', end).once('error', end));
  try {
    for (let atS = 0; atS < Number(values.seconds); ) {
      const stepS = Math.min(Number(values.every), Number(values.seconds) - atS);
      await systemClock.sleep(stepS * 1_000);
      atS += stepS;
      const { residentMb, anonymousMb, mostMb, cpuS } = processFigures(child.pid ?? 0);
      print(
        `${String(atS).padStart(5)} s: RSS ${residentMb.toFixed(0)} MB, not of files ${anonymousMb.toFixed(0)} MB, most ${mostMb.toFixed(0)} MB; CPU ${cpuS.toFixed(1)} s`,
      );
    }
  } finally {
    child.kill('SIGTERM');
    await ended;
    await service.stop();
    await farm.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
