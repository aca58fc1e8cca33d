// What every command without a running agent starts with: the addresses that were named, and a client of devices that may reach those and no others.
import { drivers } from '../../../drivers/index.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { covers, readRanges, type ScanRanges } from '../../base/net/ranges.ts';
import { type Access, createAccess, type DeviceSettings } from '../device/device-client.ts';

/** Does the work with a client that reaches exactly what the technician named. */
export async function withAccess<T>(
  config: DeviceSettings,
  ranges: ScanRanges,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  const mayReach = (ip: string) => covers(ranges, ip);
  const access = createAccess({ clock: systemClock, log: silentLog, drivers, config, mayReach });
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

export function rangesOrThrow(ranges: readonly string[], exclude: readonly string[]): ScanRanges {
  const read = readRanges(ranges, exclude, { path: 'ranges', excludePath: '--exclude' });
  if (read.problems.length > 0) throw new ConfigError('read the ranges', read.problems);
  return read;
}

export function singleAddress(ip: string): string {
  if (parseIpv4(ip) === undefined)
    throw new ConfigError('read the address', [{ path: 'ip', message: `'${ip}' is not an address such as 10.0.0.5` }]);
  return ip;
}

/** What a person chooses from when a login is to be set. */
export function driverFacts() {
  return drivers.map(({ id, make, login }) => ({
    id,
    make,
    login: login.kind,
    user: login.factoryDefault?.user ?? 'root',
  }));
}
