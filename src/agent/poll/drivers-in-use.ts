// Takes over what lies in the folder of drivers while the agent runs: the miners of a driver that has changed get the
// new one, and a scan looks for those that a new driver reads. One after the other, however often it is asked.
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { DriverFolder } from '../../driver/load/driver-folder.ts';
import type { DriverSet } from '../../driver/load/driver-set.ts';
import type { Fleet } from '../fleet/fleet.ts';

export function createDriversInUse({
  drivers,
  folder,
  fleet,
  log,
  onChange,
}: {
  readonly drivers: DriverSet;
  readonly folder: DriverFolder;
  readonly fleet: Pick<Fleet, 'takeDrivers'>;
  readonly log: Log;
  readonly onChange: () => void;
}) {
  let taking: Promise<void> = Promise.resolve();
  const takeNow = async () => {
    const before = drivers.all;
    drivers.replace(await folder.load());
    fleet.takeDrivers();
    const isSame = before.length === drivers.all.length && before.every((driver, i) => driver === drivers.all[i]);
    if (!isSame) onChange();
  };
  return {
    take(): void {
      taking = taking
        .then(takeNow)
        .catch((error: unknown) => log.error({ cause: renderError(error) }, 'take over the drivers of the folder'));
    },
    /** Resolves when all that was asked for is done. */
    taken: (): Promise<void> => taking,
  };
}
