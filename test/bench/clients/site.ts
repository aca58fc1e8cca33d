// One simulated device of each model of each family, on the real ports of its own loopback address, and what our driver
// reads of it.
import { drivers, families } from '../../../drivers/index.ts';
import { type Device, type Farm, startFarm } from '../../../fixtures/farm/farm.ts';
import { chooseVariants, FAMILY_NAMES, RARE_FAMILY_NAMES } from '../../../fixtures/farm/mix.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { renderError } from '../../../src/base/errors.ts';
import { silentLog } from '../../../src/base/log.ts';
import { Secret } from '../../../src/base/secrets.ts';
import { gatherEvidence, matchDriver, SCAN_PORTS, SIDE_PORTS } from '../../../src/driver/identify.ts';
import { VisitMemory } from '../../../src/driver/visit/memory.ts';
import { visit } from '../../../src/driver/visit/visit.ts';
import { createTransport } from '../../../src/transport/transport.ts';
import { factsOfReading } from './facts.ts';
import type { ClientReading } from './parse.ts';

const NETWORK = '127.44.0.0/24';
const MOST_MODELS = 32;
const READ_MS = 30_000;
const IDENTIFY_PORTS = [...SCAN_PORTS, ...SIDE_PORTS];

/** Time stands still in it: every client reads the same. */
export function startSite(families: readonly string[]): Promise<Farm> {
  const mix = Object.fromEntries(families.map((family) => [family, variantsOf(family).length]));
  const miners = Object.values(mix).reduce((sum, models) => sum + models, 0);
  return startFarm({ network: NETWORK, miners, mix, seed: 3, freeze: true, portMap: {} });
}

export const FAMILIES: readonly string[] = [...FAMILY_NAMES, ...RARE_FAMILY_NAMES];

const variantsOf = (family: string) => [...new Set(chooseVariants({ [family]: 1 }, MOST_MODELS))];

/** The models, with a number where a family has one with several firmwares. */
export function namesOf(devices: readonly { readonly family: string; readonly model: string }[]): string[] {
  const seen = new Map<string, number>();
  return devices.map(({ family, model }) => {
    const nth = (seen.get(`${family}/${model}`) ?? 0) + 1;
    seen.set(`${family}/${model}`, nth);
    return nth === 1 ? model : `${model} ${nth}`;
  });
}

export type Reader = { read(device: Device): Promise<ClientReading>; close(): Promise<void> };

export function ourReader(): Reader {
  const transport = createTransport({ clock: systemClock, log: silentLog });
  const read = async ({ ip, login }: Device) => {
    const open = new Set<number>();
    for (const port of IDENTIFY_PORTS) if ((await transport.probe(ip, port, 2_000)) === 'open') open.add(port);
    const { evidence } = await gatherEvidence(transport.link(ip), open, { families, clock: systemClock });
    const found = matchDriver(drivers, evidence);
    if (found === undefined) return { ip };
    const { confidence: _, ...known } = found.identity;
    const { reading } = await visit({
      driver: found.driver,
      known,
      link: transport.link(ip, login && { user: login.user, password: new Secret(login.password) }),
      memory: new VisitMemory(),
      rhythms: { slowMs: 300_000, staticMs: 3_600_000 },
      clock: systemClock,
      deadlineMs: READ_MS,
    });
    return { ip, facts: factsOfReading(reading) };
  };
  return {
    read: (device) => read(device).catch((error: unknown) => ({ ip: device.ip, error: renderError(error) })),
    close: () => transport.close(),
  };
}
