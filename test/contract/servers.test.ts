// Each driver finds its devices by the web alone and by TCP alone, where the device offers both (atlas 24.1): with all
// other servers shut.
import { describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import type { Device } from '../../fixtures/farm/farm.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { SCAN_PORTS, SIDE_PORTS } from '../../src/driver/identify.ts';
import { freshClient } from '../support/fresh-client.ts';
import { familyData } from './contract-files.ts';
import { everyKind, FAMILIES } from './every-kind.ts';

/**
 * Unprivileged ports, so that an ordinary user can run it; what is not open in a test is mapped to where nobody
 * listens.
 */
const OPEN = { 80: 18_080, 4028: 14_028, 4433: 14_433, 8080: 18_088, 8359: 18_359 };
const SHUT = 9;
const ALL = [...SCAN_PORTS, ...SIDE_PORTS];

const IDS: ReadonlySet<string> = new Set([...drivers.map(({ id }) => id), 'nobody']);

const farm = everyKind(OPEN);

/** Who a scan says is there when only these ports of the device let anybody in. Undefined when none of them is open. */
async function recognise(device: Device, ports: readonly number[]): Promise<string | undefined> {
  const portMap = new Map(Object.entries(OPEN).map(([port, to]) => [Number(port), to]));
  for (const port of ALL) if (!ports.includes(port)) portMap.set(port, SHUT);
  const { login } = device;
  // As its owner configures it: a Hammer tells its name to nobody else.
  const logins = login === undefined ? [] : [{ range: device.ip, user: login.user, password: 'env:PASSWORD' }];
  const config = parseConfig(JSON.stringify({ networks: [device.ip], credentials: { trust: 'network', logins } }), {
    baseDir: '.',
    environment: { PASSWORD: login?.password },
    name: 'servers',
  });
  const client = freshClient({
    // No pauses: they are the devices' need, not the test's.
    drivers: drivers.map((driver) => ({ ...driver, quirks: {} })),
    config: { ...config, portMap },
    mayReach: (ip) => ip === device.ip,
  });
  try {
    const open = new Set<number>();
    for (const port of ALL) if ((await client.transport.probe(device.ip, port, 2_000)) === 'open') open.add(port);
    if (open.size === 0) return undefined;
    const found = await client.recognise(device.ip, open, new AbortController().signal);
    return found.status === 'unknown' ? 'nobody' : found.target.driver.id;
  } finally {
    await client.close();
  }
}

describe.each([
  ['web', [80]],
  ['tcp', [4028, 4433, 8359]],
] as const)('by %s alone', (server, ports) => {
  test.each(FAMILIES)('%s', async (family) => {
    const devices = farm.variantsOf(family);
    expect(devices.length).toBeGreaterThan(0);
    for (const device of devices) {
      const found = await recognise(device, ports);
      if (found === undefined) continue;
      const { takenFor, provenBy } = familyData(family);
      const wanted = takenFor?.[server] ?? device.driver;
      // The driver that it is taken for, or by whose proof it is found, may be gone.
      if (IDS.has(wanted) && IDS.has(provenBy?.[server] ?? wanted))
        expect(found, `${family} ${device.spec.model}`).toBe(wanted);
    }
  });
});

test('every driver is found at one server at least', async () => {
  const found = new Set<string>();
  for (const driver of drivers) {
    const device = farm.devices().find((one) => one.driver === driver.id);
    const by = device && (await recognise(device, ALL));
    if (by !== undefined) found.add(by);
  }
  expect([...found].toSorted()).toEqual(drivers.map(({ id }) => id));
});
