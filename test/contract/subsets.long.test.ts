// Leaving out answers changes nothing that a driver reports, but for what `prefers` in its `contract.data.ts`
// explains: what is missing may not become a statement.
import { beforeAll, expect, test } from 'vitest';
import { drivers, families } from '../../drivers/index.ts';
import { type Device, startFarm } from '../../fixtures/farm/farm.ts';
import { FAMILY_NAMES, RARE_FAMILY_NAMES } from '../../fixtures/farm/mix.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { Driver, Known } from '../../src/driver/contract.ts';
import { gatherEvidence, matchDriver } from '../../src/driver/identify.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { seeded } from '../fault/seeded.ts';
import { loopback } from '../support/loopback.ts';
import { bytesByAsk, hasRecordings, rawOf, recordings } from './answers.ts';
import { contractOf } from './contract-files.ts';
import { KNOWN, sets } from './recorded-sets.ts';
import { PORTS } from './simulated.ts';
import { type AnswerSet, type Difference, partsOf, readPart, surplus } from './subsets.ts';

const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_123);
/** They stand in turn, and the first of each family is taken: models of a family differ in numbers only. */
const MODELS = 4;
const FAMILIES: readonly string[] = [...FAMILY_NAMES, ...RARE_FAMILY_NAMES];

/** What the devices of a kind are like: their answers differ most in these. */
const STATES: readonly ((device: Device) => void)[] = [
  () => {},
  (device) => device.setMode('sleep'),
  (device) => {
    for (const fault of ['psu-fault', 'vendor-error', 'board-dead', 'fan-stopped', 'pool-dead'] as const)
      device.setFault(fault, true);
    if (device.family !== 'sealminer') device.setMode('low');
  },
];

/** What is written by hand comes from no one device: its answers need not agree. */
const ofDevices = sets.filter(({ recording }) => recordings.includes(recording) || recording.capturedBy !== undefined);
const recorded: readonly AnswerSet[] = ofDevices.map(({ id, recording, driver }) => {
  const known = KNOWN[id] ?? recording.known ?? {};
  return { name: id, driver, known, raw: rawOf(driver, bytesByAsk(driver, recording, known)) };
});

async function capture(): Promise<AnswerSet[]> {
  const miners = FAMILIES.length * STATES.length * MODELS;
  const mix = Object.fromEntries(FAMILIES.map((family) => [family, 1]));
  const farm = await startFarm({ network: loopback(21).network, miners, mix, seed: 3, freeze: true, portMap: PORTS });
  const portMap = new Map(Object.entries(PORTS).map(([from, to]) => [Number(from), to]));
  const transport = createTransport({ clock: systemClock, log: silentLog, portMap });
  try {
    const first = new Map(farm.devices.toReversed().map(({ family, spec }) => [family, spec.model]));
    const kinds = Map.groupBy(
      farm.devices.filter(({ family, spec }) => first.get(family) === spec.model),
      ({ family }) => family,
    );
    const all = await Promise.all([...kinds].map(([kind, devices]) => captureKind(transport, kind, devices)));
    return all.flat();
  } finally {
    await transport.close();
    await farm.stop();
  }
}

async function captureKind(transport: Transport, kind: string, devices: readonly Device[]): Promise<AnswerSet[]> {
  const { driver, known } = await recognise(transport, devices[0]?.ip ?? '');
  return Promise.all(
    STATES.map(async (befall, nth): Promise<AnswerSet> => {
      const device = devices[nth];
      if (device === undefined) throw new Error(`too few of ${kind}`);
      befall(device);
      return { name: `${kind}, state ${nth}`, driver, known, raw: await answersOf(transport, device, driver, known) };
    }),
  );
}

async function recognise(transport: Transport, ip: string): Promise<{ driver: Driver; known: Known }> {
  const open = new Set<number>();
  for (const port of [80, 4028, 4433, 8359]) if ((await transport.probe(ip, port, 5_000)) === 'open') open.add(port);
  const { evidence } = await gatherEvidence(transport.link(ip), open, { families, clock: systemClock });
  const found = matchDriver(drivers, evidence);
  if (found === undefined) throw new Error(`${ip} is not recognised`);
  const { confidence: _, ...known } = found.identity;
  return { driver: found.driver, known };
}

async function answersOf({ link }: Transport, { ip, login }: Device, driver: Driver, { generation }: Known) {
  const over = link(ip, login && { user: login.user, password: new Secret(login.password) });
  const raw: Record<string, unknown> = {};
  for (const [name, ask] of Object.entries(driver.asks)) {
    if (ask.generations && generation && !ask.generations.includes(generation)) continue;
    const answer = await over.send(ask).catch(() => undefined);
    if (answer !== undefined) raw[name] = answer;
  }
  return raw;
}

/** Of every driver: the nameplate stands in while the answer with the figure of the device is missing. */
const ANY_PREFERS = ['expected.hashrateHs'];

const isExplained = (driver: Driver, field: string, used: Set<string>): boolean => {
  if (ANY_PREFERS.includes(field)) return true;
  const fits = contractOf(driver.id).prefers?.some(({ fields }) => fields.includes(field)) === true;
  if (fits) used.add(`${driver.id} ${field}`);
  return fits;
};

const lineOf = (name: string, { field, part, whole, without }: Difference) =>
  `${name} without ${without.join(', ')}: ${field} is ${JSON.stringify(part)} instead of ${JSON.stringify(whole)}`;

/** One line per driver and field that changes. */
function changes(all: readonly AnswerSet[], used: Set<string>): string[] {
  const random = seeded(SEED);
  const lines = new Map<string, string>();
  for (const set of all) {
    const names = Object.keys(set.raw);
    const whole = readPart(set, names);
    for (const part of partsOf(names, random)) {
      for (const found of surplus(readPart(set, part), whole)) {
        const key = `${set.driver.id} ${found.field}`;
        if (lines.has(key) || isExplained(set.driver, found.field, used)) continue;
        lines.set(key, lineOf(set.name, { ...found, without: names.filter((name) => !part.includes(name)) }));
      }
    }
  }
  return [...lines.values()];
}

let simulated: readonly AnswerSet[] = [];
beforeAll(async () => {
  simulated = await capture();
});
const used = new Set<string>();

test('of recordings and cases', () => expect(changes(recorded, used)).toEqual([]));
test(`of simulated devices, seed ${SEED}`, () => expect(changes(simulated, used)).toEqual([]));

test.runIf(hasRecordings)('every preference is needed', () => {
  const all = drivers.flatMap(({ id }) =>
    (contractOf(id).prefers ?? []).flatMap(({ fields }) => fields.map((field) => `${id} ${field}`)),
  );
  const next = 'delete these of `prefers` in contract.data.ts of the driver';
  expect(
    all.filter((row) => !used.has(row)),
    next,
  ).toEqual([]);
});
