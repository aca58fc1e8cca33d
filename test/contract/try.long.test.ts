import { afterAll, beforeAll, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { DEVICE_CHECKS } from '../../src/driver/check/device/check.ts';
import { runCheck } from '../../src/driver/check/finding.ts';
import { type AbilityFarm, abilityFarm } from './ability-farm.ts';
import { deviceSubjectOf } from './device-bench.ts';
let site: AbilityFarm;
beforeAll(async () => { site = await abilityFarm(56); });
afterAll(() => site.stop());
test.concurrent.each(drivers.map((d) => [d.id, d] as const))('%s', async (_, driver) => {
  for (const check of DEVICE_CHECKS) {
    const t = Date.now();
    const found = await runCheck(check, deviceSubjectOf(site, driver, 5000));
    process.stdout.write(`${driver.id} ${check.name} ${Date.now() - t} ms ${found.length}\n${found.slice(0, 12).map((f) => '   ' + f.seen.slice(0, 260)).join('\n')}\n`);
  }
});
