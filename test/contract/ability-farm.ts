// A farm with many devices of each simulated family: one that has changed is never used again, so that no order meets
// what another left. For tests over all drivers.
import { vi } from 'vitest';
import { drivers, families } from '../../drivers/index.ts';
import { type Device, type FarmOptions, startFarm } from '../../fixtures/farm/farm.ts';
import { chooseVariants, FAMILY_NAMES } from '../../fixtures/farm/mix.ts';
import { systemClock } from '../../src/base/clock.ts';
import { PeerError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { Driver, Known } from '../../src/driver/contract.ts';
import { gatherEvidence, matchDriver } from '../../src/driver/identify.ts';
import { VisitMemory } from '../../src/driver/visit/memory.ts';
import { visit } from '../../src/driver/visit/visit.ts';
import type { Reading } from '../../src/model/reading.ts';
import type { MinerLink, MinerRequest } from '../../src/transport/request.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { loopback } from '../support/loopback.ts';
import { PORTS } from './simulated.ts';

/** One model of a family, in as many devices as are needed. */
export type Kind = { readonly family: string; readonly model: string; readonly driver: Driver };
/**
 * A link that notes what goes over it, and may lose the answer to one request after the device has heard and answered
 * it.
 */
export type WatchedLink = MinerLink & { readonly sent: MinerRequest[] };

export type AbilityFarm = {
  /** One as it left the factory. */
  take(kind: Kind): Device;
  /** It is still as it was. Taken again when there is no fresh one. */
  giveBack(kind: Kind, device: Device): void;
  known(kind: Kind): Promise<Known>;
  /** With the login of now. `loses`: the place of the request whose answer is lost, from 0. */
  link(device: Device, loses?: number): WatchedLink;
  look(kind: Kind, device: Device): Promise<Reading>;
  stop(): Promise<void>;
};

/**
 * Devices live a hundred times faster than we do, so that what they do afterwards is done soon; what they tell stands
 * still.
 */
const SPEED = 100;
const BOOT_S = 15;

const MANY = 16;
const nameOf = ({ family, model }: { readonly family: string; readonly model: string }) => `${family} ${model}`;

/** Every model of these families. */
export const kindsOf = (families: readonly string[]): readonly Kind[] =>
  families.flatMap((family) => {
    const variants = chooseVariants({ [family]: 1 }, MANY);
    const id = variants[0]?.driver;
    const driver = drivers.find((each) => each.id === id);
    if (driver === undefined) throw new Error(`no driver ${id}`);
    return [...new Set(variants.map(({ spec }) => spec.model))].map((model) => ({ family, model, driver }));
  });
export const KINDS = kindsOf(FAMILY_NAMES);

export async function abilityFarm(perKind: number, options: Partial<FarmOptions> = {}): Promise<AbilityFarm> {
  const farm = await startFarm({
    network: loopback(20).network,
    miners: KINDS.length * perKind,
    mix: Object.fromEntries(FAMILY_NAMES.map((name) => [name, KINDS.filter(({ family }) => family === name).length])),
    seed: 11,
    freeze: true,
    speed: SPEED,
    bootS: BOOT_S,
    ...options,
    portMap: PORTS,
  });
  const transport = createTransport({
    clock: systemClock,
    log: silentLog,
    portMap: new Map(Object.entries(PORTS).map(([from, to]) => [Number(from), to])),
  });
  const stock = new Map(
    KINDS.map((kind) => {
      const devices = farm.devices.filter(({ family, spec }) => family === kind.family && spec.model === kind.model);
      const shelf: { readonly devices: Device[]; known?: Promise<Known> } = { devices };
      return [nameOf(kind), shelf];
    }),
  );
  const shelfOf = (kind: Kind) => {
    const shelf = stock.get(nameOf(kind));
    if (shelf === undefined) throw new Error(`no ${nameOf(kind)} in the farm`);
    return shelf;
  };
  const recognise = async ({ ip }: Device, { driver: wanted }: Kind): Promise<Known> => {
    const open = new Set<number>();
    for (const port of [80, 4028, 4433]) if ((await transport.probe(ip, port, 5_000)) === 'open') open.add(port);
    const { evidence } = await gatherEvidence(transport.link(ip), open, { families, clock: systemClock });
    const found = matchDriver(drivers, evidence);
    if (found?.driver !== wanted) throw new Error(`${ip} is no ${wanted.id} but ${found?.driver.id}`);
    const { confidence: _, ...known } = found.identity;
    return known;
  };
  const plainLink = ({ ip, login }: Device) =>
    transport.link(ip, login && { user: login.user, password: new Secret(login.password) });
  const known = (kind: Kind) => {
    const shelf = shelfOf(kind);
    const [first] = shelf.devices;
    if (first === undefined) throw new Error(`no ${nameOf(kind)} left`);
    shelf.known ??= recognise(first, kind);
    return shelf.known;
  };

  return {
    take(kind) {
      // The first is kept for being recognised.
      const { devices } = shelfOf(kind);
      const device = devices.length > 1 ? devices.pop() : undefined;
      if (device === undefined) throw new Error(`no ${nameOf(kind)} left`);
      return device;
    },
    giveBack: (kind, device) => void shelfOf(kind).devices.splice(1, 0, device),
    known,
    link(device, loses) {
      const link = plainLink(device);
      const sent: MinerRequest[] = [];
      return {
        ip: link.ip,
        sent,
        async send(request, limits) {
          const place = sent.push(request) - 1;
          const answer = await link.send(request, limits);
          if (place === loses)
            throw new PeerError('peer.reset', 'lose an answer', 'soon', undefined, { wasSent: true });
          return answer;
        },
      };
    },
    async look(kind, device) {
      const { reading } = await visit({
        driver: kind.driver,
        known: await known(kind),
        link: plainLink(device),
        memory: new VisitMemory(),
        rhythms: { slowMs: 300_000, staticMs: 3_600_000 },
        clock: systemClock,
        deadlineMs: 20_000,
      });
      return reading;
    },
    async stop() {
      await transport.close();
      await farm.stop();
    },
  };
}

/** Until it holds. Devices may be away for a moment. */
export const soon = (work: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(work, { timeout: 30_000, interval: 20 });
