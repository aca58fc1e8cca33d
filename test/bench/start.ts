// From the command to what a person waits for: `--version`, the interface answering, the first miner reported. The
// single program in dist/ beside the sources in the same run, with the memory of each when nothing is going on.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { z } from 'zod';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { startFarmProcess } from './farm-process.ts';
import { median, print } from './figures.ts';

const root = join(import.meta.dirname, '..', '..');
const PORT = 18_431;
const NETWORK = '127.42.0.0/24';
const LIMIT_MS = 30_000;
const STEP_MS = 20;
const SETTLE_MS = 5_000;

type Program = { readonly name: string; readonly file: string; readonly args: readonly string[] };
type Start = { readonly listenMs: number; readonly firstMs: number; readonly allMs: number; readonly rssMb: number };

export async function benchStart(options: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...options],
    options: { rounds: { type: 'string', default: '3' }, miners: { type: 'string', default: '50' } },
  });
  const miners = Number(values.miners);
  const binary = join(root, 'dist', `pithead-linux-${process.arch}`);
  const programs: readonly Program[] = [
    { name: 'sources', file: process.execPath, args: [join(root, 'src', 'main.ts')] },
    ...(existsSync(binary) ? [{ name: 'program', file: binary, args: [] }] : []),
  ];
  if (programs.length === 1) print(`no ${binary}: npm run build:binary -- --target linux-${process.arch}`);
  const farm = await startFarmProcess(['--miners', String(miners), '--network', NETWORK]);
  try {
    for (const program of programs) {
      const versionMs: number[] = [];
      const starts: Start[] = [];
      for (let round = 0; round < Number(values.rounds); round++) {
        const startMs = performance.now();
        execFileSync(program.file, [...program.args, '--version'], { stdio: 'ignore' });
        versionMs.push(performance.now() - startMs);
        starts.push(await startOnce(program, miners));
      }
      const of = (pick: (start: Start) => number) => median(starts.map(pick)).toFixed(0);
      print(
        `${program.name}: --version ${median(versionMs).toFixed(0)} ms, interface answers after ${of(({ listenMs }) => listenMs)} ms, first miner ` +
          `${of(({ firstMs }) => firstMs)} ms, all ${miners} ${of(({ allMs }) => allMs)} ms, RSS ${of(({ rssMb }) => rssMb)} MB`,
      );
    }
  } finally {
    await farm.stop();
  }
}

const pageSchema = z.object({ pagination: z.object({ total: z.number() }) });
const keySchema = z.object({ key: z.string(), workspace_id: z.string(), farm_id: z.string() });

async function startOnce(program: Program, miners: number): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-start-'));
  const config = join(folder, 'pithead.yaml');
  const portMap = await suitablePortMap();
  writeFileSync(config, JSON.stringify({ networks: [NETWORK], portMap, listen: { port: PORT } }));
  const startMs = performance.now();
  const child = spawn(program.file, [...program.args, 'up', '--config', config], { cwd: folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const since = () => performance.now() - startMs;
  try {
    const url = `http://127.0.0.1:${PORT}`;
    await until(async () => (await request(`${url}/readyz`)).statusCode === 200);
    const listenMs = since();
    const made = execFileSync(program.file, [
      ...program.args,
      'key',
      'create',
      '--name',
      'bench',
      '--json',
      '--config',
      config,
    ]);
    const { key, workspace_id, farm_id } = keySchema.parse(JSON.parse(String(made)));
    const list = `${url}/private-api/v1/${workspace_id}/farms/${farm_id}/miner/latest?pageSize=1`;
    const total = async () => {
      const { body } = await request(list, { headers: { 'x-api-key': key } });
      return pageSchema.parse(await body.json()).pagination.total;
    };
    await until(async () => (await total()) > 0);
    const firstMs = since();
    await until(async () => (await total()) >= miners);
    const allMs = since();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return { listenMs, firstMs, allMs, rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024 };
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + LIMIT_MS;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > endMs) throw new Error(`not within ${LIMIT_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
