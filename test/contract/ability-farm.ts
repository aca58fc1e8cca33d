// A farm with many devices of each simulated family: one that has changed is never used again, so that no command meets
// what another left. For checks of all drivers, or of one that is put in the place of a driver that ships.
import { drivers } from '../../drivers/index.ts';
import { type Device, type FarmOptions, startFarm } from '../../fixtures/farm/farm.ts';
import { chooseVariants, FAMILY_NAMES } from '../../fixtures/farm/mix.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import { type Trial, watched } from '../../src/driver/check/device/bench.ts';
import type { Driver, Identity, Known } from '../../src/driver/contract.ts';
import { Families } from '../../src/driver/family.ts';
import { gatherEvidence, matchDriver } from '../../src/driver/identify.ts';
import { VisitMemory } from '../../src/driver/visit/memory.ts';
import { visit } from '../../src/driver/visit/visit.ts';
import type { Reading } from '../../src/model/reading.ts';
import type { MinerLink, MinerRequest } from '../../src/transport/request.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { PORTS } from './ports.ts';

/** One model of a family, in as many devices as are needed. */
export type Kind = { readonly family: string; readonly model: string; readonly driver: Driver };

export type AbilityFarm = {
  /** One as it left the factory. */
  take(kind: Kind): Device;
  /** It is still as it was. Taken again when there is no fresh one. */
  giveBack(kind: Kind, device: Device): void;
  /** What the shared questions say of it, by the driver of the kind; throws where that one is not chosen. */
  identify(kind: Kind, device: Device): Promise<Identity>;
  /** Of the first of the kind. */
  known(kind: Kind): Promise<Known>;
  /** With the login of now; it notes what goes over it. */
  link(device: Device, trial?: Trial): MinerLink & { readonly sent: MinerRequest[] };
  look(kind: Kind, device: Device): Promise<Reading>;
  stop(): Promise<void>;
};

type Options = Partial<FarmOptions> & {
  readonly network: string;
  readonly perKind: number;
  /** Default: every model of every usual family. */
  readonly kinds?: readonly Kind[];
};

/**
 * Devices live a hundred times faster than we do, so that what they do afterwards is done soon; what they tell stands
 * still.
 */
const SPEED = 100;
const BOOT_S = 15;

const MANY = 16;
export const NONE_LEFT = 'no device is left on the shelf';
const nameOf = ({ family, model }: { readonly family: string; readonly model: string }) => `${family} ${model}`;

/** Every model of these families. */
export const kindsOf = (names: readonly string[], among = drivers): readonly Kind[] =>
  names.flatMap((family) => {
    const variants = chooseVariants({ [family]: 1 }, MANY);
    const id = variants[0]?.driver;
    const driver = among.find((each) => each.id === id);
    if (driver === undefined) throw new Error(`no driver ${id}`);
    return [...new Set(variants.map(({ spec }) => spec.model))].map((model) => ({ family, model, driver }));
  });
export const KINDS = kindsOf(FAMILY_NAMES);

export async function abilityFarm({ perKind, kinds = KINDS, ...options }: Options): Promise<AbilityFarm> {
  const names = [...new Set(kinds.map(({ family }) => family))];
  const farm = await startFarm({
    miners: kinds.length * perKind,
    mix: Object.fromEntries(names.map((name) => [name, kinds.filter(({ family }) => family === name).length])),
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
    kinds.map((kind) => {
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
  const identify = async ({ driver }: Kind, { ip }: Device): Promise<Identity> => {
    const open = new Set<number>();
    for (const port of [80, 4028, 4433]) if ((await transport.probe(ip, port, 5_000)) === 'open') open.add(port);
    const all = drivers.map((each) => (each.id === driver.id ? driver : each));
    const families = new Families(all);
    const { evidence } = await gatherEvidence(transport.link(ip), open, { families, clock: systemClock });
    const found = matchDriver(all, evidence);
    if (found?.driver !== driver) throw new Error(`${ip} is no ${driver.id} but ${found?.driver.id}`);
    return found.identity;
  };
  const plainLink = ({ ip, login }: Device, { password = login?.password, ...trial }: Partial<Trial> = {}) =>
    transport.link(ip, login && { user: login.user, password: new Secret(password ?? ''), ...trial });
  const known = (kind: Kind) => {
    const shelf = shelfOf(kind);
    const [first] = shelf.devices;
    if (first === undefined) throw new Error(`${nameOf(kind)}: ${NONE_LEFT}`);
    shelf.known ??= identify(kind, first).then(({ confidence: _, ...rest }) => rest);
    return shelf.known;
  };

  return {
    take(kind) {
      // The first is kept for being recognised.
      const { devices } = shelfOf(kind);
      const device = devices.length > 1 ? devices.pop() : undefined;
      if (device === undefined) throw new Error(`${nameOf(kind)}: ${NONE_LEFT}`);
      return device;
    },
    giveBack: (kind, device) => void shelfOf(kind).devices.splice(1, 0, device),
    identify,
    known,
    link: (device, trial) => watched(plainLink(device, trial)),
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
