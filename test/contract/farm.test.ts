// Every driver against simulated devices on real sockets: what it reads is what the device says of itself, and a reboot takes it away.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { parseMix } from '../../fixtures/farm/families/index.ts';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { systemClock } from '../../src/base/clock.ts';
import { PeerError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { Driver, Known } from '../../src/driver/contract.ts';
import { chooseDriver, gatherEvidence } from '../../src/driver/identify.ts';
import { createVisitMemory, visit } from '../../src/driver/visit.ts';
import { createTransport, type Transport } from '../../src/transport/transport.ts';
import { expectTruth } from './simulated.ts';

/** Unprivileged ports, so that an ordinary user can run it. */
const PORTS = { 80: 18_080, 4028: 14_028, 4433: 14_433, 8080: 18_088 };
/** Each family as often as any other, its models in turn. */
const MIX = Object.fromEntries(Object.keys(parseMix('all')).map((family) => [family, 1]));
const MINERS = Object.keys(MIX).length * 4;

let farm: Farm;
let transport: Transport;
beforeAll(async () => {
  farm = await startFarm({
    network: '127.91.17.0/24',
    miners: MINERS,
    mix: MIX,
    seed: 5,
    freeze: true,
    portMap: PORTS,
    bootS: 1,
  });
  transport = createTransport({
    clock: systemClock,
    log: silentLog,
    portMap: new Map(Object.entries(PORTS).map(([from, to]) => [Number(from), to])),
  });
});
afterAll(async () => {
  await transport.close();
  await farm.stop();
});

async function recognise(ip: string) {
  const open = new Set<number>();
  for (const port of [80, 4028, 4433]) {
    if ((await transport.probe(ip, port, 2_000)) === 'open') open.add(port);
  }
  const { evidence } = await gatherEvidence(transport.link(ip), open, { clock: systemClock });
  const found = chooseDriver(drivers, evidence);
  if (found === undefined) throw new Error(`nobody knows ${ip}: ${JSON.stringify(evidence)}`);
  const { confidence: _, ...known } = found.identity;
  return { driver: found.driver, known: known satisfies Known };
}

/** With what opens the device now, as its owner would have configured it. */
const linkTo = (ip: string) => {
  const login = farm.device(ip)?.login;
  return transport.link(ip, login && { user: login.user, password: new Secret(login.password) });
};

const read = (driver: Driver, known: Known, ip: string) =>
  visit({
    driver,
    known,
    link: linkTo(ip),
    memory: createVisitMemory(),
    rhythms: { slowMs: 300_000, staticMs: 3_600_000 },
    clock: systemClock,
    deadlineMs: 20_000,
  });

describe('simulated devices', () => {
  test('there is one of each driver', () => {
    expect(new Set(farm.devices.map(({ driver }) => driver))).toEqual(new Set(drivers.map(({ id }) => id)));
  });

  test.each(Array.from({ length: MINERS }, (_, index) => index))('device %i is read as it is', async (index) => {
    const device = farm.devices[index];
    if (device === undefined) throw new Error('no such device');
    const { driver, known } = await recognise(device.ip);
    expect(driver.id).toBe(device.truth().driver);
    const { reading, unparsable, isLoginRefused } = await read(driver, known, device.ip);
    expect({ unparsable, isLoginRefused }).toEqual({ unparsable: [], isLoginRefused: false });
    expectTruth(reading, device);
  });

  test.each(drivers.filter(({ abilities }) => abilities.reboot).map((driver) => [driver.id, driver] as const))(
    '%s reboots, whether it answers first or not',
    async (id, driver) => {
      // Old versions of a firmware may have no way to be told; they must say so and stay.
      const refused: string[] = [];
      for (const device of farm.devices.filter((entry) => entry.driver === id).slice(0, 4)) {
        const { known } = await recognise(device.ip);
        const reboot = async () => driver.abilities.reboot?.act(linkTo(device.ip), {}, known);
        const result = await reboot().catch((error: unknown) => {
          if (!(error instanceof PeerError) || error.code !== 'peer.unsupported') throw error;
          refused.push(device.family);
        });
        if (result === undefined) expect(device.reboots).toBe(0);
        else {
          expect(['accepted', 'lost-reply']).toContain(result.kind);
          await expect.poll(() => device.reboots, { timeout: 5_000 }).toBe(1);
        }
      }
      expect(refused.every((family) => family === 'braiins-tcp')).toBe(true);
    },
  );
});
