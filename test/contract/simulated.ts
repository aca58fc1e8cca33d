// One driver against simulated devices of its family on real sockets, for tests of single families: what `farm.test.ts`
// does for all.
import { afterAll, beforeAll, expect } from 'vitest';
import { families } from '../../drivers/index.ts';
import { type Device, type Farm, type FarmOptions, startFarm } from '../../fixtures/farm/farm.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { Driver, Evidence, Known } from '../../src/driver/contract.ts';
import { gatherEvidence, matchDriver } from '../../src/driver/identify.ts';
import { VisitMemory } from '../../src/driver/visit/memory.ts';
import { type VisitOutcome, visit } from '../../src/driver/visit/visit.ts';
import { normaliseMac } from '../../src/model/identity-facts.ts';
import type { Reading } from '../../src/model/reading.ts';
import type { MinerLink, ProbeLink } from '../../src/transport/request.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { loopback } from '../support/loopback.ts';
import { PORTS } from './ports.ts';

export { PORTS } from './ports.ts';

export type Simulated = {
  readonly farm: Farm;
  /** The nth device of the farm, counted from 0. */
  device(nth: number): Device;
  link(ip: string): ProbeLink;
  /** With another login than the one that opens it. */
  linkAs(ip: string, user: string, password: string, onTaken?: () => void): ProbeLink;
  /** What these ports say to the shared questions. */
  evidenceOf(ip: string, ports?: readonly number[]): Promise<Evidence>;
  /** Asks only these ports. Undefined when no driver knows the device by what they say. */
  recognise(
    ip: string,
    ports?: readonly number[],
  ): Promise<{ readonly evidence: Evidence; readonly driver: Driver; readonly known: Known } | undefined>;
  /** As `read`, time after time with one memory. */
  reader(ip: string): () => Promise<VisitOutcome>;
  /**
   * Over `over`, if not with the login that opens it; by another driver, if there is more than one family in the farm.
   */
  read(ip: string, known?: Known, over?: MinerLink, by?: Driver): Promise<VisitOutcome>;
  stop(): Promise<void>;
};

type SimulatedOptions = Omit<FarmOptions, 'portMap' | 'network'> & {
  /** Share of the deadlines of single requests that is waited for: for devices that keep silent. */
  readonly patience?: number;
};

/** A farm for the tests of a file, from before the first of them until after the last. */
export function standing(drivers: Driver | readonly Driver[], options: SimulatedOptions): () => Simulated {
  let site: Simulated | undefined;
  const { network } = loopback();
  beforeAll(async () => {
    site = await simulated(drivers, network, options);
  });
  afterAll(() => site?.stop());
  return () => {
    if (site === undefined) throw new Error('the farm is not there yet');
    return site;
  };
}

/** The first driver reads, unless another one is named. */
async function simulated(
  drivers: Driver | readonly Driver[],
  network: string,
  options: SimulatedOptions,
): Promise<Simulated> {
  const { patience = 1, ...farmOptions } = options;
  const among = [drivers].flat();
  const [first] = among;
  if (first === undefined) throw new Error('no driver is named');
  const farm = await startFarm({ seed: 5, freeze: true, bootS: 0.2, ...farmOptions, network, portMap: PORTS });
  const transport = createTransport({
    clock: systemClock,
    log: silentLog,
    portMap: new Map(Object.entries(PORTS).map(([from, to]) => [Number(from), to])),
  });
  const link = (ip: string): ProbeLink => {
    const login = farm.device(ip)?.login;
    const patient = transport.link(ip, login && { user: login.user, password: new Secret(login.password) });
    return {
      ...patient,
      send: (request, limits) =>
        patient.send(request, limits?.deadlineMs ? { ...limits, deadlineMs: limits.deadlineMs * patience } : limits),
    };
  };
  const evidenceOf = async (ip: string, ports: readonly number[] = [80, 4028, 4433]) => {
    const open = new Set<number>();
    for (const port of ports) if ((await transport.probe(ip, port, 2_000)) === 'open') open.add(port);
    return (await gatherEvidence(transport.link(ip), open, { families, clock: systemClock })).evidence;
  };
  const look = (by: Driver, known: Known, over: MinerLink, memory: VisitMemory) =>
    visit({
      // No pauses: they are the devices' need, not the test's.
      driver: { ...by, quirks: {} },
      known,
      link: over,
      memory,
      rhythms: { slowMs: 300_000, staticMs: 3_600_000 },
      clock: systemClock,
      deadlineMs: 20_000,
    });
  return {
    farm,
    device(nth) {
      const device = farm.devices[nth];
      if (device === undefined) throw new Error(`the farm has no device ${nth}`);
      return device;
    },
    link,
    evidenceOf,
    linkAs: (ip, user, password, onTaken = () => {}) =>
      transport.link(ip, { user, password: new Secret(password), onTaken }),
    async recognise(ip, ports) {
      const evidence = await evidenceOf(ip, ports);
      const found = matchDriver(among, evidence);
      if (found === undefined) return undefined;
      const { confidence: _, ...known } = found.identity;
      return { evidence, driver: found.driver, known };
    },
    reader(ip) {
      const memory = new VisitMemory();
      return () => look(first, {}, link(ip), memory);
    },
    read: (ip, known = {}, over = link(ip), by = first) => look(by, known, over, new VisitMemory()),
    async stop() {
      await transport.close();
      await farm.stop();
    },
  };
}

/** Equal but for the last digits of a sum of fractions. */
const near = (wanted: number | null) => (wanted === null ? undefined : expect.closeTo(wanted, wanted > 1e9 ? -6 : 3));
const orAbsent = <T>(value: T | null) => value ?? undefined;

/** Every field of the truth has the same value in the reading, and what the truth does not tell is absent. */
export function expectTruth(reading: Reading, device: Device): void {
  const truth = device.truth();
  expect({
    make: reading.make,
    model: reading.model,
    mac: reading.mac === undefined ? '' : normaliseMac(reading.mac),
    serial: reading.serialNumber,
    firmware: reading.firmwareVersion,
    hostname: reading.hostname,
    isMining: reading.isMining,
    mode: reading.miningMode,
    hashrate: reading.hashrateHs,
    expected: reading.expected?.hashrateHs,
    power: reading.powerW,
    temp: reading.tempC,
    uptime: reading.uptimeS ?? reading.systemUptimeS,
    light: reading.isLightOn,
    errors: (reading.errors ?? []).map(({ code }) => ({ code })),
    fans: reading.fans?.map(({ index, rpm }) => ({ index, rpm })) ?? [],
    pools: reading.pools?.map((pool) => [pool.url, pool.user, pool.difficultyAccepted, pool.difficultyRejected]) ?? [],
    boards: (reading.boards ?? []).map((board) => [
      board.serialNumber,
      board.hashrateHs,
      board.chips,
      board.frequencyMhz,
    ]),
    psus: reading.psus?.map((psu) => [psu.serialNumber, psu.tempC]) ?? [],
  }).toEqual({
    make: orAbsent(truth.make),
    model: orAbsent(truth.model),
    mac: truth.mac,
    serial: orAbsent(truth.serial_number),
    firmware: orAbsent(truth.firmware_version),
    hostname: orAbsent(truth.hostname),
    isMining: truth.is_mining,
    mode: orAbsent(truth.mining_mode),
    hashrate: near(truth.hashrate),
    expected: near(truth.expected_hashrate),
    power: orAbsent(truth.power),
    temp: orAbsent(truth.temp),
    uptime: orAbsent(truth.uptime),
    light: orAbsent(truth.light_on),
    errors: truth.errors,
    fans: truth.fans.map(({ index, rpm }) => ({ index, rpm: orAbsent(rpm) })),
    pools: truth.pools.map((pool) => [
      pool.url,
      pool.worker_id,
      orAbsent(pool.difficulty_accepted),
      orAbsent(pool.difficulty_rejected),
    ]),
    boards: truth.hashboards.map((board) => [
      orAbsent(board.serial_number),
      near(board.hashrate),
      orAbsent(board.chips),
      orAbsent(board.chip_frequency),
    ]),
    psus: truth.psus.map((psu) => [orAbsent(psu.serial_number), orAbsent(psu.temperature)]),
  });
}
