// A scan of a whole /22 as a technician starts it: no miner missed, none twice, and every address accounted for.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { loopback } from '../support/loopback.ts';
import { type PatientConfig, patientConfig } from './patient-config.ts';
import { runPithead } from './process.ts';
import { readScan } from './scan-lines.ts';
import { vouchFor } from './vouch.ts';

const { network: NETWORK } = loopback(22);
const MINERS = 300;
let farm: Farm;
let config: PatientConfig;

beforeAll(async () => {
  const portMap = await suitablePortMap();
  config = patientConfig(portMap);
  farm = await startFarm({ network: NETWORK, miners: MINERS, mix: 'all', seed: 22, portMap });
  vouchFor(config.stateDir, farm);
});
afterAll(async () => {
  await farm.stop();
  config.remove();
});

test('finds every miner of a /22 once, and the classes add up to its 1024 addresses', async () => {
  const { code, stdout, stderr } = await runPithead(['scan', NETWORK, '--json', '--config', config.path]);
  expect(code, stderr).toBe(0);
  const { found, summary, addresses, classified } = readScan(stdout);
  expect(found.map(({ ip }) => ip).toSorted()).toEqual(farm.devices.map(({ ip }) => ip).toSorted());
  expect(new Set(found.map(({ mac }) => mac)).size).toBe(new Set(farm.devices.map((one) => one.truth().mac)).size);
  const drivers = new Map(farm.devices.map(({ ip, driver }) => [ip, driver]));
  expect(found.filter(({ ip, driver }) => driver !== drivers.get(ip))).toEqual([]);
  expect({ addresses, classified }).toEqual({ addresses: 1_024, classified: 1_024 });
  // A Proto rig leaves the factory without a login: nobody gets in until its owner names one.
  const locked = farm.devices.filter(({ driver }) => driver === 'proto').length;
  expect(summary).toMatchObject({
    identified: MINERS - locked,
    login_refused: locked,
    excluded: 2,
    not_reached: 0,
    missing: 0,
    cancelled: false,
  });
});
