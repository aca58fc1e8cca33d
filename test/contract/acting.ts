// What a driver makes of a simulated device, and the device of what it is told: for contract tests of single families.
import { expect } from 'vitest';
import type { Device, FaultName, FaultValue } from '../../fixtures/farm/farm.ts';
import type { PeerCode } from '../../src/base/errors.ts';
import type { Ability, AbilityName, ActResult, Driver, FirmwareImage, Known } from '../../src/driver/contract.ts';
import type { Reading } from '../../src/model/reading.ts';
import type { MinerLink, MinerRequest } from '../../src/transport/request.ts';
import { fakeLink, lostAfterSending, neverSent } from '../unit/drivers/fake-link.ts';
import { expectTruth, type Simulated } from './simulated.ts';

/** What may befall most devices and shows in what they say. */
export const USUAL_FAULTS = [
  'board-dead',
  'fan-stopped',
  'hot',
  'low-hashrate',
  'duplicate-mac',
  'psu-fault',
  'vendor-error',
] as const satisfies readonly FaultName[];

/** A list for orders that are about something else. */
export const NEW_POOL = { pools: [{ url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'y' }] };

type Acting = {
  /** The nth device of a model. */
  of(model: string, nth?: number): Device;
  look(device: Device): Promise<Reading>;
  ability(name: AbilityName): Ability;
  act(device: Device, name: AbilityName, params?: object, image?: FirmwareImage): Promise<ActResult>;
  /** The same over a link of the test's own. */
  actOver(link: MinerLink, name: AbilityName, params?: object, image?: FirmwareImage): Promise<ActResult>;
  /** The same, where every answer to an order is lost on the way back. */
  actUnheard(device: Device, name: AbilityName, params?: object, image?: FirmwareImage): Promise<ActResult>;
  /** What `shows` of the ability says of a reading taken now. */
  shown(device: Device, name: AbilityName, params: object): Promise<boolean | undefined>;
  /** With the fault, which must show in its truth, it is read as it is. */
  readsFault(device: Device, fault: FaultName, value?: FaultValue): Promise<void>;
  /** It does nothing, and that shows: afterwards, or `at once` where the order looks for itself. */
  findsOut(device: Device, name: AbilityName, params: object, when?: 'at once' | 'later'): Promise<void>;
  /** Unsupported, by what the order says: nothing is asked either. */
  refusesUnsent(name: AbilityName, params: object): Promise<void>;
  /** `lost-reply` where nothing comes back from the device any more. */
  losesReply(name: AbilityName, params: object): Promise<void>;
  /** Writing is switched off, and it says so. */
  forbids(device: Device, name: AbilityName, params?: object, code?: PeerCode): Promise<void>;
  withFault<T>(device: Device, fault: FaultName, work: () => Promise<T>, value?: FaultValue): Promise<T>;
  /**
   * The ability ends with `peer.auth` once the owner has changed the password. `login`: it comes first, so that nothing
   * has been sent, or it goes along with the order, which the device then has heard and refused.
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
  const actOver = async (link: MinerLink, name: AbilityName, params: object = {}, image?: FirmwareImage) => {
    expect(ability(name).params.safeParse(params).success).toBe(true);
    return ability(name).act(link, params, known, image);
  };
  const shown = async (device: Device, name: AbilityName, params: object) =>
    ability(name).shows?.(await look(device), params);
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
    act: ({ ip }, name, params, image) => actOver(site().link(ip), name, params, image),
    actOver,
    async actUnheard({ ip }, name, params = {}, image) {
      const link = site().link(ip);
      const deaf: typeof link.send = async (request, limits) => {
        const answer = await link.send(request, limits);
        if (isOrder(request)) throw lostAfterSending();
        return answer;
      };
      return ability(name).act({ ip, send: deaf }, params, known, image);
    },
    shown,
    async readsFault(device, fault, value) {
      const before = device.truth();
      await withFault(
        device,
        fault,
        async () => {
          expect(device.truth()).not.toEqual(before);
          expectTruth(await look(device), device);
        },
        value,
      );
    },
    findsOut: (device, name, params, when = 'later') =>
      withFault(device, 'ignores-writes', async () => {
        const outcome = await actOver(site().link(device.ip), name, params).catch((error: unknown) => error);
        expect(outcome, name).toMatchObject(when === 'later' ? { kind: 'accepted' } : { code: 'peer.rejected' });
        expect(await shown(device, name, params), name).toBe(false);
      }),
    async refusesUnsent(name, params) {
      const link = fakeLink(() => ({}));
      await expect(actOver(link, name, params), name).rejects.toMatchObject({ code: 'peer.unsupported' });
      expect(link.sent).toEqual([]);
    },
    async losesReply(name, params) {
      const link = fakeLink(() => {
        throw lostAfterSending();
      });
      expect(await actOver(link, name, params), name).toEqual({ kind: 'lost-reply' });
    },
    forbids: (device, name, params, code = 'peer.permission') =>
      withFault(device, 'write-api-off', () =>
        expect(actOver(site().link(device.ip), name, params), name).rejects.toMatchObject({ code }),
      ),
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

/**
 * Whether it changes something, as far as the web tells: some devices are asked by a form, and some reboot when a page
 * is read.
 */
function isOrder(request: MinerRequest): boolean {
  if (request.via !== 'http') return false;
  return request.path.includes('reboot') || (request.method !== 'GET' && request.form?.action !== 'onPageLoaded');
}

/** It has been away so many times, and is back. */
export async function returned(device: Device, reboots = 1): Promise<void> {
  await expect.poll(() => device.reboots).toBe(reboots);
  await expect.poll(() => device.isUp).toBe(true);
}

/** A device whose CGMiner port is shut. */
export function withoutTcp(link: MinerLink): MinerLink {
  return {
    ip: link.ip,
    async send(request, limits) {
      if (request.via === 'cgminer') throw neverSent();
      return link.send(request, limits);
    },
  };
}
