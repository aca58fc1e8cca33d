// What benches measure against, each in a process of its own so that its work is not counted as ours: the simulated
// farm, and a service.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { asInstalled, inBackground, inForeground, type Start } from '../support/background.ts';

const deviceSchema = z.object({
  ip: z.string(),
  driver: z.string(),
  make: z.string().nullable(),
  model: z.string().nullable(),
});
export type BenchDevice = z.infer<typeof deviceSchema>;

/** `bareUrl`: a server without anything, see service-process.ts. */
const tenantSchema = z.object({ workspaceId: z.string(), farmId: z.string(), key: z.string(), code: z.string() });
export type BenchTenant = z.infer<typeof tenantSchema>;
const serviceSchema = tenantSchema.extend({
  url: z.string(),
  bareUrl: z.string(),
  /** One more of the tenant. */
  otherKey: z.string(),
  neighbour: tenantSchema,
});
export type BenchService = z.infer<typeof serviceSchema>;

/** For 10,000 miners: more addresses than the networks of tests have. Beside nothing else. */
export const LARGE_NETWORK = '127.80.0.0/18';

const root = join(import.meta.dirname, '..', '..');

/** Starts the farm and resolves when all its devices listen. `stop` ends it. */
export async function startFarmProcess(
  args: readonly string[],
): Promise<{ devices: BenchDevice[]; pid: number; stop: () => Promise<void> }> {
  const { line, pid, stop } = await startUntilLine(inForeground(['fixtures/farm/main.ts', '--json', ...args]));
  const { devices } = z.object({ devices: z.array(deviceSchema) }).parse(JSON.parse(line));
  return { devices, pid, stop };
}

/**
 * Starts the service with the memory that the installed program has, and with an empty database if none is named;
 * resolves when it listens. `stop` ends it.
 */
export async function startServiceProcess(database?: string): Promise<BenchService & { stop: () => Promise<void> }> {
  const program = join(import.meta.dirname, 'service-process.ts');
  const { line, stop } = await startUntilLine(asInstalled([program, ...(database === undefined ? [] : [database])]));
  return { ...serviceSchema.parse(JSON.parse(line)), stop };
}

/** Asks `url` for ever new large lists, see neighbour-load.ts. `stop` ends it. */
export function startLoadProcess(
  url: string,
  key: string,
  connections: number,
): Promise<{ stop: () => Promise<void> }> {
  const program = join(import.meta.dirname, 'neighbour-load.ts');
  return startUntilLine(inBackground([program, url, key, String(connections)]));
}

/** Keeps one processor busy, see busy.ts. `stop` ends it. */
export const startBusyProcess = (): Promise<{ stop: () => Promise<void> }> =>
  startUntilLine(inForeground([join(import.meta.dirname, 'busy.ts')]));

async function startUntilLine({
  command,
  args,
  environment,
}: Start): Promise<{ line: string; pid: number; stop: () => Promise<void> }> {
  const env = { ...process.env, ...environment };
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with code ${code} before it was ready`)));
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  return { line, pid: child.pid ?? 0, stop: () => stopChild(child) };
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
