// Two ways through the program, and how many files of `src` a reader passes on each: see ways.ts. The caps go down;
// they go up only with what every answer now passes.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loopback } from '../support/loopback.ts';

const PROGRAM = fileURLToPath(new URL('ways.ts', import.meta.url));
const LIMIT_MS = 90_000;
/**
 * A few files more than there are: what runs beside a way reaches one more in one run than in another. Modules are
 * exact.
 */
const CAPS = { hashrate: { files: 166, modules: 18 }, reboot: { files: 164, modules: 18 } } as const;

const waysSchema = z.object({ hashrate: z.array(z.string()), reboot: z.array(z.string()) });

test('a hashrate from a driver to the v1 JSON, and a reboot from the route to the miner, pass few files', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, loopback(26).network], {
    timeout: LIMIT_MS,
  });
  const ways = waysSchema.parse(JSON.parse(stdout));
  for (const way of ['hashrate', 'reboot'] as const) {
    const files = ways[way];
    const modules = [...new Set(files.map(moduleOf))];
    process.stdout.write(`${way}: ${files.length} files in ${modules.length} modules (${modules.join(', ')})\n`);
    process.stdout.write(files.map((file) => `  ${file}\n`).join(''));
    expect(files).toEqual(expect.arrayContaining(CERTAIN[way]));
    expect.soft(files.length, way).toBeLessThanOrEqual(CAPS[way].files);
    expect.soft(modules.length, way).toBeLessThanOrEqual(CAPS[way].modules);
  }
});

/**
 * As the table of imports has them: a folder of `src`, of the agent or of the service; the files at the root of these
 * two are one each.
 */
const moduleOf = (file: string): string => /^src\/(?:(?:agent|service)\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? file;

/** What each way passes in any case: else nothing was measured. */
const CERTAIN = {
  hashrate: [
    ...['src/driver/kit/define.ts', 'src/agent/fleet/fleet.ts', 'src/agent/outbox/outbox.ts', 'src/wire/frames.ts'],
    ...['src/service/store/ingest.ts', 'src/service/http/v1/miners.ts'],
  ],
  reboot: ['src/service/http/v1/batches.ts', 'src/wire/frames.ts', 'src/transport/http/client.ts'],
};
