// What the program takes of its host: the executable as it is built for users, started as its system service starts it,
// beside a simulated farm and a service in processes of their own, with a line to the service that is spoilt by turns.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { ENVIRONMENT } from '../../src/update/linux/units.ts';
import { startFarmProcess, startServiceProcess } from '../bench/farm-process.ts';
import { vouchFor } from '../e2e/vouch.ts';
import { pause } from './agent-site.ts';
import { startProxy, type Toxics } from './proxy.ts';

const root = join(import.meta.dirname, '..', '..');
const SAMPLE_MS = 5_000;
const FAULT_MS = 30_000;

/** Faults of R10, one after the other, with as much time without one between them. */
const FAULTS: readonly Toxics[] = [
  { latencyMs: 2_000 },
  { resets: 0.05, sliceBytes: 512 },
  { bytesPerS: 4_000 },
  { isBlackhole: true },
  { isDown: true },
];

/** MiB of 2^20 bytes; `anonymousMb` = of `residentMb`, what is in no file. */
export type Sample = {
  readonly atMs: number;
  readonly residentMb: number;
  readonly anonymousMb: number;
  readonly handles: number;
  readonly threads: number;
  readonly cpuMs: number;
};

type Options = {
  readonly network: string;
  readonly miners: number;
  /** How long it is watched. */
  readonly forMs: number;
};

/** Of the agent alone, from its start on, with the miners that the service knows at the end. */
export async function watchResident({
  network,
  miners,
  forMs,
}: Options): Promise<{ samples: Sample[]; known: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-resident-'));
  const portMap = await suitablePortMap();
  const map = Object.entries(portMap).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]);
  const program = buildProgram(folder);
  const farm = await startFarmProcess(['--network', network, '--miners', String(miners), '--mix', 'all', ...map]);
  const service = await startServiceProcess();
  const proxy = await startProxy({ host: '127.0.0.1', port: Number(new URL(service.url).port) }, 16);
  const stateDir = join(folder, 'state');
  mkdirSync(stateDir, { mode: 0o700 });
  vouchFor(stateDir, farm);
  const config = join(folder, 'pithead.yaml');
  const url = `http://127.0.0.1:${proxy.port}`;
  writeFileSync(
    config,
    JSON.stringify({
      ...{ stateDir, networks: [network], portMap },
      service: { url, enrolmentCode: service.code, allowPlain: true },
    }),
    { mode: 0o600 },
  );
  const child = spawn(program, ['agent', '--config', config], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...ENVIRONMENT },
  });
  const ended = once(child, 'close');
  const samples: Sample[] = [];
  try {
    const startMs = performance.now();
    for (let atMs = 0; atMs < forMs; atMs = performance.now() - startMs) {
      const turn = Math.floor(atMs / FAULT_MS);
      // The first minutes belong to the enrolment and the scan.
      const fault = turn >= 4 && turn % 2 === 0 ? FAULTS[(turn / 2) % FAULTS.length] : undefined;
      proxy.set(fault ?? {});
      await pause(SAMPLE_MS);
      samples.push({ atMs, ...memoryOf(child.pid ?? 0) });
    }
    proxy.set({});
    return { samples, known: await knownTo(service) };
  } finally {
    child.kill('SIGTERM');
    await ended;
    await proxy.stop();
    await service.stop();
    await farm.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The executable of this host. What a build has just written lies in memory in whole, and each page near one that is
 * used would count: its file is read from the disk instead, as after a boot.
 */
function buildProgram(folder: string): string {
  const target = `linux-${process.arch}`;
  const build = ['packaging/binary/build.ts', '--target', target, '--output', folder];
  execFileSync(process.execPath, build, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
  const program = join(folder, `pithead-${target}`);
  execFileSync('dd', [`of=${program}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'], { stdio: 'pipe' });
  return program;
}

async function knownTo({ url, workspaceId, farmId, key }: Awaited<ReturnType<typeof startServiceProcess>>) {
  const list = `${url}/private-api/v1/${workspaceId}/farms/${farmId}/miner/latest?pageSize=1`;
  const answer = await fetch(list, { headers: { 'x-api-key': key } });
  return Number(/"total":(\d+)/.exec(await answer.text())?.[1]);
}

const TICKS_PER_S = 100;

function memoryOf(pid: number): Omit<Sample, 'atMs'> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const count = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return {
    residentMb: count('VmRSS') / 1_024,
    anonymousMb: count('RssAnon') / 1_024,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: count('Threads'),
    cpuMs: ((Number(stat[11]) + Number(stat[12])) / TICKS_PER_S) * 1_000,
  };
}

/** Of a straight line through the points, per unit of `x`. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const [up, down] = points.reduce(([a, b], [x, y]) => [a + (x - meanX) * (y - meanY), b + (x - meanX) ** 2], [0, 0]);
  return up / down;
}
