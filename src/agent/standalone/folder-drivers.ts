// The drivers of the folder that a configuration names, for programs that run no agent: what they are, why one is
// refused, and which names a configuration may use. It touches no miner.
import { drivers } from '../../../drivers/index.ts';
import { systemClock } from '../../base/clock.ts';
import { type Log, silentLog } from '../../base/log.ts';
import { candidateIds, type Refusal } from '../../driver/load/candidates.ts';
import { DriverFolder, type FolderEntry } from '../../driver/load/driver-folder.ts';
import type { AgentConfig, DriverIds } from '../config/config.ts';

type OfDrivers = Pick<AgentConfig, 'driversDir' | 'drivers'>;

/** The caller closes it: it has a process. */
export const driverFolderOf = ({ driversDir, drivers: settings }: OfDrivers, log: Log = silentLog): DriverFolder =>
  new DriverFolder({
    ...{ folder: () => driversDir, settings: () => settings, builtIn: drivers, clock: systemClock, log },
  });

export type FolderView = {
  /** Undefined where the configuration has none. */
  readonly folder: string | undefined;
  /** Drivers that would be used, with the commands that they can send and those that they may. */
  readonly loaded: readonly FolderEntry[];
  readonly refused: readonly Refusal[];
};

/** Loads all that lies in the folder, as an agent would, and ends it again. Never throws for what lies there. */
export async function lookAtFolder(config: OfDrivers): Promise<FolderView> {
  const folder = driverFolderOf(config);
  try {
    await folder.load();
    return { folder: config.driversDir, loaded: folder.entries(), refused: folder.refused() };
  } finally {
    await folder.close();
  }
}

/** A line for each driver of the folder that would not be used, with the reason. */
export async function refusedDrivers(config: OfDrivers): Promise<readonly string[]> {
  const { driversDir } = config;
  if (driversDir === undefined || candidateIds(driversDir).length === 0) return [];
  const { refused } = await lookAtFolder(config);
  return refused.map(({ id, reason }) => `driver ${id} of ${driversDir} is not used: ${reason}`);
}

/** Which names a configuration may use: in alphabetical order. */
export const driverIds: DriverIds = (driversDir) =>
  [...drivers.map(({ id }) => id), ...(driversDir === undefined ? [] : candidateIds(driversDir))].toSorted();
