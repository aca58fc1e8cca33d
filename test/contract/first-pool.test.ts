// A first pool that is dead while the second gets the work, on real sockets: what each family tells of it, and the one
// flag that follows.
import { expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { FAMILY_NAMES } from '../../fixtures/farm/mix.ts';
import { judge } from '../../src/agent/fleet/anomaly/judge.ts';
import { anomalySettingsSchema } from '../../src/agent/fleet/anomaly/settings.ts';
import type { MinerJudgement } from '../../src/agent/fleet/anomaly/state.ts';
import { familyData } from './contract-files.ts';
import { QUIET } from './quiet.ts';
import { standing } from './simulated.ts';

const FAMILIES = FAMILY_NAMES.filter((family) => familyData(family).showsDeadPool);
const mix = Object.fromEntries(FAMILIES.map((family) => [family, 1]));
const site = standing(drivers, { miners: FAMILIES.length, mix, warmUpS: 0 });

const MINUTE_MS = 60_000;

test.each(FAMILIES)('%s', async (family) => {
  const device = site().farm.devices.find((one) => one.family === family);
  if (device === undefined) throw new Error(`there is no ${family}`);
  const found = await site().recognise(device.ip);
  device.setFault('first-pool-dead', true);
  const { reading } = await site().read(device.ip, found?.known, undefined, found?.driver);
  expect(reading.pools?.slice(0, 2)).toMatchObject([
    { isAlive: false, url: expect.stringContaining('pool-a.example') },
    { isAlive: true, url: expect.stringContaining('pool-b.example') },
  ]);
  let judgement: MinerJudgement | undefined;
  for (const minute of [0, 5, 11]) {
    const sample = {
      kind: 'ok',
      reading,
      unparsable: [],
      loginRefused: false,
      context: { ...QUIET, warmUpS: 0 },
    } as const;
    ({ judgement } = judge(
      judgement,
      sample,
      anomalySettingsSchema.parse({}),
      Date.UTC(2026, 2, 1) + minute * MINUTE_MS,
    ));
  }
  expect(judgement?.flags).toMatchObject([
    {
      ...{ type: 'pool', severity: 'minor', source: expect.stringMatching(/^pools\[\d\]\.isAlive$/) },
      message: 'its first pool pool-a.example:3333 is dead; pool-b.example:3333 is alive',
    },
  ]);
});
