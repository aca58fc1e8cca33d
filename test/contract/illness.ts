// A farm with a device of each model in each state of `illness.data.ts`: read over real sockets and judged as the agent
// judges, before it falls ill and until every hold is over. It says what was seen and decides nothing.
import { vi } from 'vitest';
import { drivers, families } from '../../drivers/index.ts';
import { type Device, type FaultName, startFarm } from '../../fixtures/farm/farm.ts';
import { FAMILY_NAMES, RARE_FAMILY_NAMES } from '../../fixtures/farm/mix.ts';
import { judge } from '../../src/agent/fleet/anomaly/judge.ts';
import { anomalySettingsSchema } from '../../src/agent/fleet/anomaly/settings.ts';
import type { MinerJudgement } from '../../src/agent/fleet/anomaly/state.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { Driver, Known } from '../../src/driver/contract.ts';
import { gatherEvidence, matchDriver } from '../../src/driver/identify.ts';
import { VisitMemory } from '../../src/driver/visit/memory.ts';
import { visit } from '../../src/driver/visit/visit.ts';
import { toMinerDocument } from '../../src/model/document.ts';
import type { Flag } from '../../src/model/flags/flags.ts';
import type { Reading } from '../../src/model/reading.ts';
import { createTransport, type Transport } from '../../src/transport/transport.ts';
import { loopback } from '../support/loopback.ts';
import { familyData } from './contract-files.ts';
import { STATES, type State } from './illness.data.ts';
import { QUIET } from './quiet.ts';
import { expectTruth, PORTS } from './simulated.ts';

export const FAMILIES: readonly string[] = [...FAMILY_NAMES, ...RARE_FAMILY_NAMES];

/** The models of a family stand in turn; no family has more. */
const MODELS = 4;
const MINUTE_MS = 60_000;
/** Polls after the illness began, minutes apart: the first ones as an agent polls, the later ones past every hold. */
const POLLS_MIN = [1, 1, 1, 10, 10, 10, 10] as const;
const AT_ONCE = 24;

export type Look = {
  readonly reading: Reading;
  readonly flags: readonly Flag[];
  /** What goes up of it. */
  readonly reported: ReturnType<typeof toMinerDocument>;
};

export type Patient = {
  readonly kind: string;
  readonly family: string;
  readonly state: State;
  readonly device: Device;
  readonly driver: Driver;
  readonly known: Known;
  readonly memory: VisitMemory;
  judgement?: MinerJudgement;
  readonly looks: Look[];
  /** What was read and was not so. */
  readonly untrue: string[];
};

/** Real time with jumps. */
function jumpingClock(): Clock & { jump(ms: number): void } {
  let offsetMs = 0;
  return {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + offsetMs,
    monotonicMs: () => systemClock.monotonicMs() + offsetMs,
    elapsedMs: () => systemClock.elapsedMs() + offsetMs,
    jump(ms) {
      offsetMs += ms;
    },
  };
}

const FAULTS: Readonly<Partial<Record<State, FaultName>>> = {
  'dead board': 'board-dead',
  'still fan': 'fan-stopped',
  'dead pool': 'pool-dead',
  'stopped by heat': 'heat-stop',
};

function fallIll({ device, state, family }: Patient): void {
  const fault = FAULTS[state];
  if (fault !== undefined) device.setFault(fault, true);
  if (state === 'asleep') device.setMode('sleep');
  if (state === 'just booted') device.reboot();
  const code = familyData(family).heatCode;
  if (state === 'stopped by heat' && code !== undefined) device.setFault('vendor-error', true, code);
}

async function admit(transport: Transport, devices: readonly Device[]): Promise<Patient[]> {
  const byKind = Map.groupBy(devices, ({ family, spec }) => `${family} ${spec.model}`);
  const patients: Patient[] = [];
  for (const [kind, all] of byKind) {
    const [first] = all;
    if (first === undefined) continue;
    const open = new Set<number>();
    for (const port of [80, 4028, 4433, 8359])
      if ((await transport.probe(first.ip, port, 5_000)) === 'open') open.add(port);
    const { evidence } = await gatherEvidence(transport.link(first.ip), open, { families, clock: systemClock });
    const found = matchDriver(drivers, evidence);
    if (found === undefined) throw new Error(`${kind} is not recognised`);
    const { confidence: _, ...known } = found.identity;
    const states = STATES.filter((state) => state !== 'asleep' || !isSleepless(kind));
    for (const [nth, state] of states.entries()) {
      const device = all[nth];
      if (device === undefined) throw new Error(`too few of ${kind}`);
      const memory = new VisitMemory();
      patients.push({
        ...{ kind, family: device.family, state, device, driver: found.driver, known, memory },
        ...{ looks: [], untrue: [] },
      });
    }
  }
  return patients;
}

export const familyOf = (kind: string): string => kind.slice(0, kind.indexOf(' '));
export const modelOf = (kind: string): string => kind.slice(kind.indexOf(' ') + 1);
const isSleepless = (kind: string): boolean => familyData(familyOf(kind), modelOf(kind)).sleepless !== undefined;

export async function examineAll(): Promise<Patient[]> {
  const clock = jumpingClock();
  const miners = FAMILIES.length * STATES.length * MODELS;
  const mix = Object.fromEntries(FAMILIES.map((family) => [family, 1]));
  const farm = await startFarm({
    ...{ network: loopback(21).network, miners, mix, seed: 3, freeze: true, clock, bootS: 0.02, portMap: PORTS },
  });
  const transport = createTransport({
    clock: systemClock,
    log: silentLog,
    portMap: new Map(Object.entries(PORTS).map(([from, to]) => [Number(from), to])),
  });
  const settings = anomalySettingsSchema.parse({});
  const look = async (patient: Patient, isSettled: boolean) => {
    const { device, driver, known, memory, looks, untrue } = patient;
    const { login } = device;
    const { reading, unparsable, isLoginRefused } = await visit({
      // No pauses: they are the devices' need, not the test's.
      driver: { ...driver, quirks: {} },
      link: transport.link(device.ip, login && { user: login.user, password: new Secret(login.password) }),
      ...{ known, memory, clock, rhythms: { slowMs: 300_000, staticMs: 600_000 }, deadlineMs: 20_000 },
    });
    const context = { ...QUIET, warmUpS: driver.quirks.warmUpS };
    const sample = { kind: 'ok', reading, unparsable, loginRefused: isLoginRefused, context } as const;
    const { judgement, believed } = judge(patient.judgement, sample, settings, clock.nowMs());
    patient.judgement = judgement;
    const reported = toMinerDocument({
      ...{ reading: believed, previous: looks.at(-1)?.reported, ip: device.ip, driverId: driver.id, known },
      ...{ isMining: judgement.history.mining?.is, isLastCheckOk: true, unstableReason: null, flags: judgement.flags },
      ...{ hashrate24hHs: undefined, lastReadingAtMs: clock.nowMs() },
    });
    looks.push({ reading, flags: judgement.flags, reported });
    if (isSettled) untrue.push(...differences(reading, device));
  };
  const lookAtAll = async (patients: readonly Patient[], isSettled: boolean) => {
    const queue = [...patients];
    const work = async () => {
      for (let patient = queue.pop(); patient !== undefined; patient = queue.pop()) await look(patient, isSettled);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  try {
    const patients = await admit(transport, farm.devices);
    await lookAtAll(patients, true);
    for (const patient of patients) fallIll(patient);
    await vi.waitUntil(() => farm.devices.every(({ isUp }) => isUp), { timeout: 30_000, interval: 20 });
    for (const minutes of POLLS_MIN) {
      farm.thaw();
      clock.jump(minutes * MINUTE_MS);
      farm.freeze();
      // What is asked seldom is as old as its rhythm allows.
      await lookAtAll(patients, minutes >= 10);
    }
    return patients;
  } finally {
    await transport.close();
    await farm.stop();
  }
}

/** Where the reading is not what the device reports of itself. */
function differences(reading: Reading, device: Device): string[] {
  try {
    expectTruth(reading, device);
    return [];
  } catch (error) {
    return [String(error)];
  }
}
