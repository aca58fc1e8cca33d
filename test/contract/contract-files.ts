// What each driver is excused from, found by its folder: no list outside the folder names the driver.
import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type ContractData,
  contractSchema,
  type FamilyData,
  type RecordingData,
} from '../../src/driver/check/contract-data.ts';
import { explainIssues } from './explain-issues.ts';

const DRIVERS = join(import.meta.dirname, '..', '..', 'drivers');

async function load(file: string): Promise<readonly [string, ContractData]> {
  const module: Readonly<Record<string, unknown>> = await import(join(DRIVERS, file));
  const checked = contractSchema.safeParse(module.contract);
  if (!checked.success) throw new Error(explainIssues(`drivers/${file}`, checked.error));
  return [basename(dirname(file)), checked.data];
}

/** By id of the driver. */
export const contracts: ReadonlyMap<string, ContractData> = new Map(
  await Promise.all(globSync('*/contract.data.ts', { cwd: DRIVERS }).toSorted().map(load)),
);

export const contractOf = (driverId: string): ContractData => contracts.get(driverId) ?? {};

/** By family of the simulated device, or by family and model. */
const families: ReadonlyMap<string, FamilyData> = new Map(
  [...contracts.values()].flatMap((contract) => Object.entries(contract.families ?? {})),
);

/** `model`: what holds for it only comes after what holds for the family. */
export const familyData = (family: string, model?: string): FamilyData => ({
  ...families.get(family),
  ...(model === undefined ? {} : families.get(`${family} ${model}`)),
});

/** By id of the recording. */
export const recordingData: ReadonlyMap<string, RecordingData> = new Map(
  [...contracts.values()].flatMap((contract) => Object.entries(contract.recordings ?? {})),
);
