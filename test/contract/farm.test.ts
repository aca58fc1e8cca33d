// Every driver against simulated devices on real sockets: what it reads is what the device says of itself, and a reboot
// takes it away.
import { describe, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { parseMix } from '../../fixtures/farm/mix.ts';
import { PeerError } from '../../src/base/errors.ts';
import { expectTruth, standing } from './simulated.ts';

/** Each family as often as any other, its models in turn. */
const MIX = Object.fromEntries(Object.keys(parseMix('all')).map((family) => [family, 1]));
const MINERS = Object.keys(MIX).length * 4;

const site = standing(drivers, { miners: MINERS, mix: MIX });

async function recognise(ip: string) {
  const found = await site().recognise(ip);
  if (found === undefined) throw new Error(`nobody knows ${ip}: ${JSON.stringify(await site().evidenceOf(ip))}`);
  return found;
}

describe('simulated devices', () => {
  test('there is one of each driver', () => {
    expect(new Set(site().farm.devices.map(({ driver }) => driver))).toEqual(new Set(drivers.map(({ id }) => id)));
  });

  test.each(Array.from({ length: MINERS }, (_, index) => index))('device %i is read as it is', async (index) => {
    const device = site().device(index);
    const { driver, known } = await recognise(device.ip);
    expect(driver.id).toBe(device.truth().driver);
    const { reading, unparsable, isLoginRefused } = await site().read(device.ip, known, undefined, driver);
    expect({ unparsable, isLoginRefused }).toEqual({ unparsable: [], isLoginRefused: false });
    expectTruth(reading, device);
  });

  test.each(drivers.filter(({ abilities }) => abilities.reboot).map((driver) => [driver.id, driver] as const))(
    '%s reboots, whether it answers first or not',
    async (id, driver) => {
      // Old versions of a firmware may have no way to be told; they must say so and stay.
      const refused: string[] = [];
      for (const device of site()
        .farm.devices.filter((entry) => entry.driver === id)
        .slice(0, 4)) {
        const { known } = await recognise(device.ip);
        const reboot = async () => driver.abilities.reboot?.act(site().link(device.ip), {}, known);
        const result = await reboot().catch((error: unknown) => {
          if (!(error instanceof PeerError) || error.code !== 'peer.unsupported') throw error;
          refused.push(device.family);
        });
        if (result === undefined) expect(device.reboots).toBe(0);
        else {
          expect(['accepted', 'lost-reply']).toContain(result.kind);
          await expect.poll(() => device.reboots).toBe(1);
        }
      }
      expect(refused.every((family) => family === 'braiins-tcp')).toBe(true);
    },
  );
});
