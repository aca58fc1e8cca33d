// `pithead scan` over a farm of every family at once: who each device is, and that one family's trouble stays with that
// family.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Device, type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { parseMix } from '../../fixtures/farm/mix.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { normaliseMac } from '../../src/model/identity-facts.ts';
import { loopback } from '../support/loopback.ts';
import { type PatientConfig, patientConfig } from './patient-config.ts';
import { runPithead } from './process.ts';
import { type FoundLine, readScan } from './scan-lines.ts';
import { vouchFor } from './vouch.ts';

const { network: NETWORK } = loopback(23);
const FAMILIES = Object.keys(parseMix('all'));
/** Enough for every model of every family; the models come in turn. */
const PER_FAMILY = 8;
let farm: Farm;
let config: PatientConfig;

beforeAll(async () => {
  const portMap = await suitablePortMap();
  config = patientConfig(portMap);
  farm = await startFarm({
    network: NETWORK,
    miners: FAMILIES.length * PER_FAMILY,
    mix: Object.fromEntries(FAMILIES.map((family) => [family, 1])),
    seed: 24,
    freeze: true,
    portMap,
  });
  vouchFor(config.stateDir, farm);
});
afterAll(async () => {
  await farm.stop();
  config.remove();
});

async function scan() {
  const { code, stdout, stderr } = await runPithead(['scan', NETWORK, '--json', '--config', config.path]);
  expect(code, stderr).toBe(0);
  const { found, summary } = readScan(stdout);
  return { found: new Map(found.map((line) => [line.ip, line])), summary };
}

/** What a technician looks at first. A device whose owner set a login tells only what it tells anybody. */
const told = (line: FoundLine | undefined) =>
  line && {
    status: line.status,
    driver: line.driver,
    make: line.make,
    model: line.model,
    firmware: line.firmware_version,
    mac: line.mac,
    serial: line.serial_number,
  };
const truthOf = (device: Device) => {
  const truth = device.truth();
  return {
    status: 'identified',
    driver: truth.driver,
    make: truth.make,
    model: truth.model,
    firmware: truth.firmware_version,
    mac: normaliseMac(truth.mac) ?? null,
    serial: truth.serial_number,
  };
};
/** Families that come without a factory login: nobody gets in until the owner names one. */
const isLocked = ({ family }: Device) => family === 'proto';

test('make, model, firmware, MAC and serial number are right for every variant', async () => {
  const { found } = await scan();
  expect(found.size).toBe(farm.devices.length);
  const wrong = farm.devices
    .filter((device) => !isLocked(device))
    .map((device) => ({ family: device.family, found: told(found.get(device.ip)), truth: truthOf(device) }))
    .filter((one) => JSON.stringify(one.found) !== JSON.stringify(one.truth));
  expect(wrong).toEqual([]);
  for (const device of farm.devices.filter(isLocked)) {
    expect(told(found.get(device.ip))).toMatchObject({ status: 'login_refused', driver: device.driver });
  }
});

test('a device that hangs, one with another password, one that talks nonsense and a slow one harm no other', async () => {
  const trouble = [
    ['luxos', 'hangs'],
    ['avalon', 'garbage'],
    ['antminer-c', 'wrong-password'],
    ['vnish', 'slow'],
    ['whatsminer-3', 'truncated'],
  ] as const;
  const troubled = new Set<Device>();
  for (const [family, fault] of trouble) {
    for (const device of farm.devices.filter((one) => one.driver === family || one.family === family).slice(0, 2)) {
      device.setFault(fault, true);
      troubled.add(device);
    }
  }
  expect(troubled.size).toBe(2 * trouble.length);
  const { found, summary } = await scan();
  const others = farm.devices.filter((device) => !troubled.has(device) && !isLocked(device));
  const wrong = others
    .map((device) => ({ family: device.family, found: told(found.get(device.ip)), truth: truthOf(device) }))
    .filter((one) => JSON.stringify(one.found) !== JSON.stringify(one.truth));
  expect(wrong).toEqual([]);
  // Every troubled one is accounted for, too, and none is told to be what it is not.
  expect(summary.not_reached).toBe(0);
  for (const device of troubled) {
    const line = found.get(device.ip);
    expect(line, `${device.family} ${device.faultNames().join()}`).toBeDefined();
    if (line?.driver !== null) expect(line?.driver).toBe(device.driver);
  }
  const locked = farm.devices.filter((device) => device.faultNames().includes('wrong-password'));
  expect(locked.map(({ ip }) => found.get(ip)?.status)).toEqual(['login_refused', 'login_refused']);
});
