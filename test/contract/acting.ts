// What a driver makes of a simulated device, and the device of what it is told: for contract tests of single families.
import { expect } from 'vitest';
import type { Device, FaultName, FaultValue } from '../../fixtures/farm/farm.ts';
import type { Ability, AbilityName, ActResult, Driver, FirmwareImage, Known } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';
import type { MinerRequest } from '../../src/transport/request.ts';
import { lostAfterSending } from '../unit/drivers/fake-link.ts';
import type { Simulated } from './simulated.ts';

export type Acting = {
  /** The nth device of a model. */
  of(model: string, nth?: number): Device;
  look(device: Device): Promise<Reading>;
  ability(name: AbilityName): Ability;
  act(device: Device, name: AbilityName, params?: object, image?: FirmwareImage): Promise<ActResult>;
  /** The same, where every answer to an order is lost on the way back. */
  actUnheard(device: Device, name: AbilityName, params?: object, image?: FirmwareImage): Promise<ActResult>;
  /** What `shows` of the ability says of a reading taken now. */
  shown(device: Device, name: AbilityName, params: object): Promise<boolean | undefined>;
  withFault<T>(device: Device, fault: FaultName, work: () => Promise<T>, value?: FaultValue): Promise<T>;
  /**
   * The ability ends with `peer.auth` once the owner has changed the password. `login`: it comes first, so that nothing has been sent, or it goes
   * along with the order, which the device then has heard and refused.
   */
  refusedLogin(device: Device, name: AbilityName, params?: object, login?: 'first' | 'along'): Promise<void>;
};

/** `site` is asked when it is needed: it starts after the tests are declared. */
export function acting(driver: Driver, site: () => Simulated, known: Known = {}): Acting {
  const ability = (name: AbilityName) => {
    const found = driver.abilities[name];
    if (found === undefined) throw new Error(`${driver.id} has no ${name}`);
    return found;
  };
  const look = async ({ ip }: Device) => (await site().read(ip, known, undefined, driver)).reading;
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
      const device = site().farm.devices.filter(({ driver: id, spec }) => id === driver.id && spec.model === model)[
        nth
      ];
      if (device === undefined) throw new Error(`no ${model} in the farm`);
      return device;
    },
    look,
    ability,
    async act({ ip }, name, params = {}, image) {
      expect(ability(name).params.safeParse(params).success).toBe(true);
      return ability(name).act(site().link(ip), params, known, image);
    },
    async actUnheard({ ip }, name, params = {}, image) {
      const link = site().link(ip);
      const deaf: typeof link.send = async (request, limits) => {
        const answer = await link.send(request, limits);
        if (isOrder(request)) throw lostAfterSending();
        return answer;
      };
      return ability(name).act({ ip, send: deaf }, params, known, image);
    },
    shown: async (device, name, params) => ability(name).shows?.(await look(device), params),
    withFault,
    async refusedLogin(device, name, params = {}, login = 'first') {
      // Made with the password of before.
      const link = site().link(device.ip);
      const act = () => ability(name).act(link, params, known);
      await withFault(device, 'wrong-password', () =>
        expect(act(), name).rejects.toMatchObject({
          code: 'peer.auth',
          wasSent: login === 'first' ? false : undefined,
        }),
      );
    },
  };
}

/** Whether it changes something, as far as the web tells: some devices are asked by a form, and some reboot when a page is read. */
function isOrder(request: MinerRequest): boolean {
  if (request.via !== 'http') return false;
  return request.path.includes('reboot') || (request.method !== 'GET' && request.form?.action !== 'onPageLoaded');
}
