// What every command without a running agent starts with: the addresses that were named, and a client of devices that
// may reach those and no others.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { drivers } from '../../../drivers/index.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { covers, readRanges, type ScanRanges } from '../../base/net/ranges.ts';
import { openVault } from '../../base/storage/vault.ts';
import { DriverSet } from '../../driver/load/driver-set.ts';
import type { AgentConfig } from '../config/config.ts';
import { createDeviceClient, type DeviceClient, type TrustSources } from '../device/device-client.ts';
import { openTrustRecord, TRUST_FILE } from '../device/trust/trust-record.ts';
import { createNeighbours } from '../host/neighbours.ts';
import { driverFolderOf } from './folder-drivers.ts';

/**
 * Does the work with a client that reaches exactly what the technician named. What this host remembers of trust lies in
 * the state directory.
 */
export async function withDeviceClient<T>(
  config: AgentConfig,
  ranges: ScanRanges,
  work: (client: DeviceClient) => Promise<T>,
): Promise<T> {
  const mayReach = (ip: string) => covers(ranges, ip);
  return withDrivers(config, (trust, inUse) => {
    const client = createDeviceClient({
      ...{ clock: systemClock, log: silentLog, drivers: inUse, config, mayReach, trust },
    });
    return work(client).finally(() => client.close());
  });
}

/** Does the work with the drivers of the program and of the folder, and with the record of trust. */
export async function withDrivers<T>(
  config: AgentConfig,
  work: (trust: TrustSources, inUse: DriverSet) => Promise<T>,
): Promise<T> {
  return withTrust(config, async (trust) => {
    const folder = driverFolderOf(config, silentLog);
    try {
      return await work(trust, new DriverSet(await folder.load()));
    } finally {
      await folder.close();
    }
  });
}

/** Does the work with the record of trust that all programs of this host share. */
export async function withTrust<T>(
  { stateDir, credentials }: Pick<AgentConfig, 'stateDir' | 'credentials'>,
  work: (trust: TrustSources) => Promise<T>,
): Promise<T> {
  makeFolder(stateDir);
  const record = openTrustRecord(join(stateDir, TRUST_FILE), systemClock, {
    vault: openVault(credentials.keyFile),
  });
  const neighbours = createNeighbours(systemClock);
  try {
    return await work({ record, neighbourAt: neighbours.at, mayLogIn: () => true });
  } finally {
    record.close();
  }
}

/** Where it cannot be made, the record says so by itself: it cannot be used. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {}
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
