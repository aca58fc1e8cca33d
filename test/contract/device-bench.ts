// Simulated devices of the farm as the checks of the contract want them, for one driver after the other.
import { imageOf } from '../../drivers/_farm/image.ts';
import type { Device } from '../../fixtures/farm/farm.ts';
import type { Bench, CheckedDevice, DeviceSubject, Kind } from '../../src/driver/check/device/bench.ts';
import type { Driver, FirmwareImage } from '../../src/driver/contract.ts';
import { antminerBundle, axeosApplication } from '../support/firmware-files.ts';
import { type AbilityFarm, KINDS, type Kind as KindOfDriver } from './ability-farm.ts';
import { contractOf } from './contract-files.ts';

const image = (...parts: (string | Uint8Array<ArrayBuffer>)[]): FirmwareImage => ({
  name: 'update.bin',
  sha256: 'ab'.repeat(32),
  bytes: new Blob(parts),
});

/** The forms of firmware files that `commands` of a driver's data may name. */
const FORMS: Readonly<Record<string, (version: string) => FirmwareImage>> = {
  plain: (version) => image(new Uint8Array(imageOf(version))),
  gzip: () => image(new Uint8Array([0x1f, 0x8b, 8, 0]), 'signed by the maker'),
  zip: () => image('PK\u0003\u0004', 'a zip'),
  'antminer-bundle': (version) => image(Uint8Array.from(antminerBundle(version))),
  'axeos-application': (version) => image(Uint8Array.from(axeosApplication(version))),
};

export function fileOf(form: string, version: string): FirmwareImage {
  const make = FORMS[form];
  if (make === undefined) throw new Error(`'${form}' is no form of firmware: one of ${Object.keys(FORMS).join(', ')}`);
  return make(version);
}

/** How long something may take to show. */
const PATIENCE_MS = 30_000;

export function benchOf(site: AbilityFarm, driver: Driver, patienceMs = PATIENCE_MS): Bench {
  const kinds = KINDS.filter((kind) => kind.driver.id === driver.id).map((kind) => ({ ...kind, driver }));
  const kindOf = ({ family, model }: Kind): KindOfDriver => {
    const kind = kinds.find((each) => each.family === family && each.model === model);
    if (kind === undefined) throw new Error(`${driver.id} has no ${family} ${model}`);
    return kind;
  };
  const taken = new Map<string, Device>();
  return {
    kinds,
    take(kind) {
      const device = site.take(kindOf(kind));
      taken.set(device.ip, device);
      return device;
    },
    giveBack(kind, { ip }) {
      const device = taken.get(ip);
      if (device !== undefined) site.giveBack(kindOf(kind), device);
    },
    identify(kind, { ip }) {
      const device = taken.get(ip);
      if (device === undefined) throw new Error(`${ip} was not taken`);
      return site.identify(kindOf(kind), device);
    },
    known: (kind) => site.known(kindOf(kind)),
    link({ ip }: CheckedDevice, trial) {
      const device = taken.get(ip);
      if (device === undefined) throw new Error(`${ip} was not taken`);
      return site.link(device, trial);
    },
    file: (_kind, form = 'plain', version) => fileOf(form, version),
    patienceMs,
  };
}

export const deviceSubjectOf = (site: AbilityFarm, driver: Driver, patienceMs?: number): DeviceSubject => ({
  driver,
  folder: `drivers/${driver.id}`,
  exceptions: contractOf(driver.id),
  bench: benchOf(site, driver, patienceMs),
});
