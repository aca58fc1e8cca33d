// Two ways through the program, and how many files of `src` a reader passes on each: see ways.ts. The caps only ever go down.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loopback } from '../support/loopback.ts';

const PROGRAM = fileURLToPath(new URL('ways.ts', import.meta.url));
const LIMIT_MS = 90_000;
/** A few more than there are: what runs beside a way reaches a file more in one run than in another. */
const CAPS = { hashrate: 122, reboot: 124 };

const waysSchema = z.object({ hashrate: z.array(z.string()), reboot: z.array(z.string()) });

test('a hashrate from a driver to the v1 JSON, and a reboot from the route to the miner, pass few files', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, loopback(26).network], {
    timeout: LIMIT_MS,
  });
  const ways = waysSchema.parse(JSON.parse(stdout));
  for (const way of ['hashrate', 'reboot'] as const)
    process.stdout.write(`${way}: ${ways[way].length} files\n${ways[way].map((file) => `  ${file}\n`).join('')}`);
  // What each way certainly passes: else nothing was measured.
  expect(ways.hashrate).toEqual(expect.arrayContaining(CERTAIN.hashrate));
  expect(ways.reboot).toEqual(expect.arrayContaining(CERTAIN.reboot));
  expect(ways.hashrate.length).toBeLessThanOrEqual(CAPS.hashrate);
  expect(ways.reboot.length).toBeLessThanOrEqual(CAPS.reboot);
});

const CERTAIN = {
  hashrate: [
    ...['src/driver/contract.ts', 'src/agent/fleet/fleet.ts', 'src/agent/outbox/outbox.ts', 'src/wire/frames.ts'],
    ...['src/service/store/ingest.ts', 'src/service/http/v1/miners.ts'],
  ],
  reboot: ['src/service/http/v1/batches.ts', 'src/wire/frames.ts', 'src/transport/http/client.ts'],
};
