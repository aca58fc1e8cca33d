// A farm that is archived while its agent runs: the program starts all the same, the agent says on site why it reports
// nothing, nothing changes in the service, and all goes on when the farm is restored.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runPithead } from './process.ts';
import { type Site, startSite } from './site.ts';

const MINERS = 3;
let site: Site;

beforeAll(async () => {
  site = await startSite({ miners: MINERS, mix: 'antminer-stock', seed: 5 });
  await site.until(
    () => site.miners(),
    (miners) => miners.length === MINERS,
  );
});
afterAll(() => site.stop());

const statusSchema = z.object({ troubles: z.array(z.string()) });
async function troubles(): Promise<string[]> {
  const config = join(site.stateDir, 'status.yaml');
  writeFileSync(config, JSON.stringify({ stateDir: '.' }));
  const { stdout } = await runPithead(['status', '--json', '--config', config], { cwd: site.stateDir });
  return statusSchema.parse(JSON.parse(stdout)).troubles;
}
const newest = async () => Math.max(...(await site.miners()).map((miner) => Date.parse(miner.last_updated_at ?? '')));

test('an archived farm stands still, on site it is said why, and it goes on when it is restored', async () => {
  const { farmId } = site.stack;
  await site.stack.service.admin.archiveFarm(farmId);
  await site.restart();
  expect(site.stack.farmId).toBe(farmId);
  const said = await site.until(
    troubles,
    (texts) => texts.some((text) => text.includes('The farm is archived')),
    60_000,
  );
  expect(said.join()).toContain('not connected to');

  const [before, [miner]] = [await newest(), await site.miners()];
  const reboot = { task_name: 'miner.system.reboot', miner_ids: [miner?.id] };
  expect(await site.call('POST', '/tasks/batches', reboot)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('archived') },
  });
  // The agent polls each second.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(await newest()).toBe(before);

  await site.stack.service.admin.restoreFarm(farmId);
  await site.until(newest, (at) => at > before, 90_000);
  expect(await site.miners()).toHaveLength(MINERS);
  expect((await site.call('POST', '/tasks/batches', reboot)).status).toBe(200);
});
