// The simulated farm in a process of its own, so that its work is not counted as ours.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const deviceSchema = z.object({
  ip: z.string(),
  driver: z.string(),
  make: z.string().nullable(),
  model: z.string().nullable(),
});
export type BenchDevice = z.infer<typeof deviceSchema>;

/** Starts the farm and resolves when all its devices listen. `stop` ends it. */
export async function startFarmProcess(
  args: readonly string[],
): Promise<{ devices: BenchDevice[]; stop: () => Promise<void> }> {
  const root = join(import.meta.dirname, '..', '..');
  const child = spawn(process.execPath, ['fixtures/farm/main.ts', '--json', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const firstLine = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the farm ended with code ${code} before it was ready`)));
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  const { devices } = z.object({ devices: z.array(deviceSchema) }).parse(JSON.parse(firstLine));
  return { devices, stop: () => stopChild(child) };
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
