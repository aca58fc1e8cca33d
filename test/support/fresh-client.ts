// A client of devices as an agent has one: with every driver and an empty record of trust. It may reach every address.
import { drivers } from '../../drivers/index.ts';
import { createDeviceClient } from '../../src/agent/device/device-client.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { freshTrust } from './fresh-trust.ts';

type Options = Parameters<typeof createDeviceClient>[0];

export const freshClient = (options: Pick<Options, 'config'> & Partial<Options>) =>
  createDeviceClient({
    ...{ clock: systemClock, log: silentLog, drivers, mayReach: () => true, trust: freshTrust() },
    ...options,
  });
