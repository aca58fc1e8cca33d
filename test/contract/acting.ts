// What a driver makes of a simulated device, and the device of what it is told: for contract tests of single families.
import { expect } from 'vitest';
import type { Device, FaultName, FaultValue } from '../../fixtures/farm/farm.ts';
import type { Ability, AbilityName, ActResult, Driver, Known } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';
import type { Simulated } from './simulated.ts';

export type Acting = {
  /** The nth device of a model. */
  of(model: string, nth?: number): Device;
  look(device: Device): Promise<Reading>;
  ability(name: AbilityName): Ability;
  act(device: Device, name: AbilityName, params?: object): Promise<ActResult>;
  /** What `shows` of the ability says of a reading taken now. */
  shown(device: Device, name: AbilityName, params: object): Promise<boolean | undefined>;
  withFault<T>(device: Device, fault: FaultName, work: () => Promise<T>, value?: FaultValue): Promise<T>;
  /** The code of the error that the ability ends with under a password that the owner has changed. */
  refusedLogin(device: Device, name: AbilityName, params?: object): Promise<void>;
};

/** `site` is asked when it is needed: it starts after the tests are declared. */
export function acting(driver: Driver, site: () => Simulated, known: Known = {}): Acting {
  const ability = (name: AbilityName) => {
    const found = driver.abilities[name];
    if (found === undefined) throw new Error(`${driver.id} has no ${name}`);
    return found;
  };
  const look = async ({ ip }: Device) => (await site().read(ip, known)).reading;
  const withFault = async <T>(device: Device, fault: FaultName, work: () => Promise<T>, value?: FaultValue) => {
    device.setFault(fault, true, value);
    try {
      return await work();
    } finally {
      device.setFault(fault, false);
    }
  };
  return {
    of(model, nth = 0) {
      const device = site().farm.devices.filter(({ spec }) => spec.model === model)[nth];
      if (device === undefined) throw new Error(`no ${model} in the farm`);
      return device;
    },
    look,
    ability,
    async act({ ip }, name, params = {}) {
      expect(ability(name).params.safeParse(params).success).toBe(true);
      return ability(name).act(site().link(ip), params, known);
    },
    shown: async (device, name, params) => ability(name).shows?.(await look(device), params),
    withFault,
    async refusedLogin(device, name, params = {}) {
      // Made with the password of before.
      const link = site().link(device.ip);
      const act = () => ability(name).act(link, params, known);
      await withFault(device, 'wrong-password', () =>
        expect(act(), name).rejects.toMatchObject({ code: 'peer.auth', wasSent: false }),
      );
    },
  };
}
