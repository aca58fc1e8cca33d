// Starts hostile-device.ts as a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** Of everything that recognises a miner. */
const PORTS = [80, 443, 4028, 4433, 8080, 8889, 6060, 4111, 3333];
const endSchema = z.object({ requests: z.number(), kinds: z.number(), missing: z.array(z.string()) });

/** One port at all addresses; `portMap` sends every port of a miner there. */
export async function startHostileDevice(seed: number, addresses: readonly string[]) {
  const script = join(import.meta.dirname, 'hostile-device.ts');
  const child = spawn(process.execPath, [script, String(seed), ...addresses], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [port] = await once(lines, 'line');
  return {
    portMap: new Map(PORTS.map((from) => [from, Number(port)])),
    stop: () => void child.kill('SIGKILL'),
    /** What it has sent; it is gone then. */
    async end() {
      const last = once(lines, 'line');
      child.kill('SIGTERM');
      return endSchema.parse(JSON.parse(String((await last)[0])));
    },
  };
}
