// A healthy air-cooled miner whose counters move, and a bench that polls it minute by minute through the judge.
import { judge } from '../../../../../src/agent/fleet/anomaly/judge.ts';
import type { Sample, SampleContext } from '../../../../../src/agent/fleet/anomaly/sample.ts';
import { type AnomalySettings, anomalySettingsSchema } from '../../../../../src/agent/fleet/anomaly/settings.ts';
import { judgementSchema, type MinerJudgement } from '../../../../../src/agent/fleet/anomaly/state.ts';
import type { AnomalyType } from '../../../../../src/model/flags/anomaly-types.ts';
import type { Flag } from '../../../../../src/model/flags/flags.ts';
import { type Reading, readingSchema } from '../../../../../src/model/reading.ts';

export const START_MS = Date.UTC(2026, 2, 1);
export const NAMEPLATE_HS = 110e12;
export const DEFAULTS: AnomalySettings = anomalySettingsSchema.parse({});

const QUIET: SampleContext = {
  macState: 'ok',
  serialState: 'ok',
  isRebooting: false,
  opsMaintenance: false,
  ipChanged: false,
};

/** Noise that repeats for the same minute. */
const noise = (minute: number): number => ((minute * 7_919) % 997) / 997;

/** As the device would answer `minute` minutes after our start, with `uptimeS` on its clock. */
export function healthy(minute: number, uptimeS = 86_400 + minute * 60): Reading {
  const hashrateHs = NAMEPLATE_HS * (0.98 + 0.04 * noise(minute)) + minute * 1_234_567;
  const accepted = Math.floor(uptimeS / 10);
  return {
    mac: 'AA:00:00:00:00:01',
    serialNumber: 'SMTTA1BCDEF000001',
    model: 'S19 Pro',
    firmwareVersion: 'FR-1.12',
    hashrateHs,
    hashrateWindow: '5s',
    hashrateSettledHs: NAMEPLATE_HS * 0.99,
    powerW: 3_250 + 20 * noise(minute + 3),
    powerLimitW: 3_400,
    uptimeS,
    isMining: true,
    miningMode: 'normal',
    tempC: 70,
    inletTempC: 25,
    outletTempC: 45,
    boards: [0, 1, 2].map((slot) => ({
      slot,
      hashrateHs: hashrateHs / 3,
      chips: 114,
      badChips: 0,
      boardTempsC: [60, 62],
      chipTempMaxC: 70 + 2 * noise(minute + slot),
      hwErrors: Math.floor(uptimeS / 100),
      isAlive: true,
    })),
    fans: [0, 1, 2, 3].map((index) => ({ index, rpm: 5_000 + index * 100 })),
    psus: [{ isOk: true }],
    pools: [
      {
        index: 0,
        url: 'stratum+tcp://eu.pool.example:3333',
        user: 'farm.w1',
        isAlive: true,
        isActive: true,
        accepted,
        rejected: Math.floor(accepted / 500),
        difficultyAccepted: accepted * 65_536,
      },
    ],
    errors: [],
    expected: { boards: 3, chipsPerBoard: 114, fans: 4, cooling: 'air', hashrateHs: NAMEPLATE_HS },
  };
}

export type Change = (reading: Reading) => Reading;
export const same: Change = (reading) => reading;

/** A change that replaces or (with undefined) removes fields. */
export function put(fields: { [K in keyof Reading]?: Reading[K] | undefined }): Change {
  return (reading) => {
    const next: Record<string, unknown> = { ...reading, ...fields };
    for (const [name, value] of Object.entries(next)) if (value === undefined) delete next[name];
    return readingSchema.parse(next);
  };
}

export type Bench = {
  judgement: MinerJudgement | undefined;
  /** What of the newest sample goes into documents and averages. */
  believed: Reading | undefined;
  minute: number;
  settings: AnomalySettings;
  /** Wall clock against minutes; a test may step it. */
  skewMs: number;
  poll(
    change?: Change,
    context?: Partial<SampleContext>,
    more?: Partial<Extract<Sample, { kind: 'ok' }>>,
  ): MinerJudgement;
  polls(
    count: number,
    change?: Change,
    context?: Partial<SampleContext>,
    more?: Partial<Extract<Sample, { kind: 'ok' }>>,
  ): MinerJudgement;
  fail(
    consecutive: number,
    code?: Extract<Sample, { kind: 'failed' }>['code'],
    context?: Partial<SampleContext>,
  ): MinerJudgement;
  /** Through JSON and the schema, as a restart does. */
  restart(): void;
  types(): AnomalyType[];
  flag(type: AnomalyType): Flag | undefined;
};

export function createBench(settings: AnomalySettings = DEFAULTS): Bench {
  const take = (sample: Sample): MinerJudgement => {
    const nowMs = START_MS + bench.minute * 60_000 + bench.skewMs;
    const judged = judge(bench.judgement, sample, bench.settings, nowMs);
    bench.judgement = judged.judgement;
    bench.believed = judged.believed;
    bench.minute++;
    return judged.judgement;
  };
  const bench: Bench = {
    judgement: undefined,
    believed: undefined,
    minute: 0,
    settings,
    skewMs: 0,
    poll: (change = same, context = {}, more = {}) =>
      take({
        kind: 'ok',
        reading: change(healthy(bench.minute)),
        unparsable: [],
        loginRefused: false,
        ...more,
        context: { ...QUIET, ...context },
      }),
    polls(count, change, context, more) {
      let last = bench.poll(change, context, more);
      for (let poll = 1; poll < count; poll++) last = bench.poll(change, context, more);
      return last;
    },
    fail: (consecutive, code = 'peer.timeout', context = {}) =>
      take({ kind: 'failed', code, consecutive, context: { ...QUIET, ...context } }),
    restart() {
      bench.judgement = judgementSchema.parse(JSON.parse(JSON.stringify(bench.judgement)));
    },
    types: () => (bench.judgement?.flags ?? []).map((flag) => flag.type),
    flag: (type) => bench.judgement?.flags.find((flag) => flag.type === type),
  };
  return bench;
}
