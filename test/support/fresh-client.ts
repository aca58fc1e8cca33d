// A client of devices as an agent has one: with every driver and an empty record of trust. It may reach every address.
import { drivers } from '../../drivers/index.ts';
import { createDeviceClient } from '../../src/agent/device/device-client.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { DriverSet } from '../../src/driver/load/driver-set.ts';
import type { LoadedDriver } from '../../src/driver/load/loaded-driver.ts';
import { freshTrust } from './fresh-trust.ts';

type Options = Parameters<typeof createDeviceClient>[0];

export const freshClient = ({
  drivers: given = drivers,
  ...options
}: Pick<Options, 'config'> & Partial<Omit<Options, 'drivers'>> & { readonly drivers?: readonly LoadedDriver[] }) =>
  createDeviceClient({
    ...{ clock: systemClock, log: silentLog, mayReach: () => true, trust: freshTrust() },
    ...options,
    drivers: new DriverSet(given),
  });
