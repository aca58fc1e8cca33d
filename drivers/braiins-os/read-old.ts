// The generations before REST as Readings: GraphQL, and CGMiner words on TCP for what has nothing else; LuCI pages
// give both the MAC.
import type { z } from 'zod';
import { first, mean, sumOfAll, toNumber, toText } from '../../src/driver/fields.ts';
import type { Model } from '../../src/driver/kit/models/models.ts';
import type { BoardReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { poolReadings, positive, present, rateHs } from '../_dialects/cgminer.ts';
import { boardsBeside } from '../_dialects/empty-list.ts';
import { hashrates } from '../_dialects/windows.ts';
import { appeals } from './errors.ts';
import { countedChips, fansOf, hottest, poolsIn, slotsOf } from './parts.ts';
import type { Replies } from './replies.ts';
import { type poolGroups, type Solver, STOPPED } from './replies-old.ts';

export function readGraphql(replies: Replies, model: Model | undefined): Reading {
  const { bos, bosminer } = replies.gqlSystem?.data ?? {};
  const info = bosminer?.info ?? undefined;
  const isStopped = saysStopped(replies.gqlSystem);
  const nowHs = info?.workSolver?.realHashrate?.mhs5S;
  const solvers = replies.gqlBoards?.data.bosminer?.info?.workSolver?.childSolvers;
  const boards =
    solvers && boardsOf(solvers, { serials: solversOf(replies.gqlSerials), voltages: solversOf(replies.gqlVoltages) });
  const tuning = replies.gqlTuning?.data?.bosminer?.config?.autotuning;
  // What it is tuned to is its mode only while it runs.
  const tuned = miningMode(tuning?.mode);
  const mode = isStopped ? ('sleep' as const) : info && tuned;
  return present({
    hostname: bos?.hostname,
    firmwareVersion: bos?.info?.version?.full,

    hashrateHs: nowHs,
    hashrateWindow: nowHs === undefined ? undefined : ('5s' as const),
    powerW: info?.summary?.power?.approxConsumptionW,
    powerLimitW: tuned === 'hashrate_tuning' ? undefined : first(info?.summary?.power?.limitW, tuning?.powerTarget),
    systemUptimeS: bos?.uptime?.durationS,

    isMining: isStopped ? false : nowHs === undefined ? undefined : nowHs > 0,
    miningMode: mode,
    isLightOn: bos?.faultLight,

    tempC: hottest(boards),
    inletTempC: mean(boards?.map(({ inletTempC }) => inletTempC) ?? []),
    outletTempC: mean(boards?.map(({ outletTempC }) => outletTempC) ?? []),

    boards: boardsBeside(boards, nowHs),
    fans: fansOf(
      info?.fans?.map(({ name, rpm, speed }) => ({ index: name, rpm, duty: speed })),
      model,
    ),
    pools: pools(replies.gqlPools?.data?.bosminer?.info?.poolGroups),
    errors: appeals(replies.gqlEvents?.data?.events?.appeals),
  });
}

/**
 * The mining program is stopped: the system answers, and has nothing of the program, or an error in its place that says
 * so.
 */
function saysStopped(reply: Replies['gqlSystem']): boolean {
  const info = reply?.data?.bosminer?.info;
  const errors = reply?.errors ?? [];
  if (errors.length > 0) return info == null && errors.some(({ message }) => STOPPED.test(message ?? ''));
  return info === null || STOPPED.test(info?.message ?? '');
}

export const graphqlExpectedHs = ({ gqlSystem }: Replies) =>
  positive(gqlSystem?.data?.bosminer?.info?.workSolver?.nominalMhs);

function miningMode(word: string | undefined): MiningMode | undefined {
  switch (word?.toUpperCase()) {
    case 'POWER_TARGET':
      return 'power_tuning';
    case 'HASHRATE_TARGET':
      return 'hashrate_tuning';
    default:
      return undefined;
  }
}

const solversOf = (reply: Replies['gqlSerials']) => reply?.data?.bosminer?.info?.workSolver?.childSolvers;
const nameOf = ({ name }: Solver) => toNumber(name, { min: 0, max: 63 });

/** The names of the sensors changed with the versions: `Chip`, `Max Chip`, `MAX_CHIP`. */
function boardsOf(
  solvers: readonly Solver[],
  others: { readonly serials: readonly Solver[] | undefined; readonly voltages: readonly Solver[] | undefined },
): BoardReading[] {
  const slots = slotsOf(solvers.map(nameOf));
  const taken = new Set<number>();
  return solvers.flatMap((solver, place) => {
    const slot = slots[place];
    if (slot === undefined || taken.has(slot)) return [];
    taken.add(slot);
    const tempOf = (...words: readonly string[]) =>
      solver.temperatures?.find(({ name }) => words.includes(name?.toLowerCase().replaceAll(/[^a-z]/g, '') ?? ''))
        ?.degreesC;
    const same = ({ name }: Solver) => name === solver.name;
    const boardC = tempOf('maxboard', 'board');
    return [
      present({
        slot,
        serialNumber: others.serials?.find(same)?.hwDetails?.hbSerialNumber,
        hashrateHs: solver.realHashrate?.mhs5S,
        expectedHashrateHs: positive(solver.nominalMhs),
        chips: countedChips(solver.hwDetails?.chips, solver.realHashrate?.mhs5S),
        frequencyMhz: positive(solver.hwDetails?.frequencyMhz),
        voltageV: positive(others.voltages?.find(same)?.hwDetails?.voltageV),
        boardTempsC: boardC === undefined ? undefined : [boardC],
        chipTempMaxC: tempOf('maxchip', 'chip'),
        inletTempC: tempOf('inlet'),
        outletTempC: tempOf('outlet'),
      }),
    ];
  });
}

const pools = (groups: z.output<typeof poolGroups>) =>
  poolsIn(groups, ({ status, active, shares }) => ({
    isAlive: status === undefined ? undefined : status.toUpperCase() === 'ALIVE',
    isActive: active,
    accepted: shares?.acceptedSolutions,
    rejected: shares?.rejectedSolutions,
  }));

export function readTcp(replies: Replies, model: Model | undefined): Reading {
  const { tcp, tcpPools } = replies;
  const summary = tcp?.summary?.[0]?.SUMMARY?.[0];
  const tuner = tcp?.tunerstatus?.[0]?.TUNERSTATUS?.[0];
  const rates = summary && hashrates(summary);
  const boards = tcpBoards(replies);
  return present({
    mac: replies.lan?.find(({ macaddr }) => macaddr !== undefined)?.macaddr,
    firmwareVersion: first(replies.bosInfo?.version, programVersion(replies)),
    apiVersion: replies.tcpDetails?.version?.[0]?.VERSION?.[0]?.API,
    ...rates,
    powerW: tuner?.ApproximateMinerPowerConsumption,
    powerLimitW: tuner?.PowerLimit,
    uptimeS: summary?.Elapsed,
    isMining: rates?.hashrateHs === undefined ? undefined : rates.hashrateHs > 0,
    tempC: hottest(boards),
    boards: boardsBeside(boards, rates?.hashrateHs),
    fans: fansOf(
      tcp?.fans?.[0]?.FANS?.map(({ ID, RPM, Speed }) => ({ index: ID, rpm: RPM, duty: Speed })),
      model,
    ),
    pools: poolReadings(tcpPools?.POOLS),
  });
}

/**
 * Of BOSminer, where no page tells the version of the whole. BOSer, which came after it, has the version of a part
 * alone.
 */
function programVersion({ tcpDetails }: Replies): string | undefined {
  const row = tcpDetails?.version?.[0]?.VERSION?.[0] ?? {};
  const [, written] = Object.entries(row).find(([name]) => /^bosminer\b/i.test(name)) ?? [];
  return toText(written);
}

export function tcpExpectedHs({ tcp }: Replies): number | undefined {
  return positive(sumOfAll(tcp?.devs?.[0]?.DEVS?.map((row) => rateHs(row['Nominal MHS'], 'M')) ?? []));
}

function tcpBoards({ tcp, tcpDetails }: Replies): BoardReading[] | undefined {
  const rows = tcp?.devs?.[0]?.DEVS;
  if (rows === undefined) return undefined;
  const slots = slotsOf(rows.map(({ ID }) => ID));
  const taken = new Set<number>();
  return rows.flatMap((row, place) => {
    const slot = slots[place];
    if (slot === undefined || taken.has(slot)) return [];
    taken.add(slot);
    const sensors = tcp?.temps?.[0]?.TEMPS?.find(({ ID }) => ID === row.ID);
    return [
      present({
        slot,
        hashrateHs: hashrates(row).hashrateHs,
        expectedHashrateHs: positive(rateHs(row['Nominal MHS'], 'M')),
        chips: countedChips(
          tcpDetails?.devdetails?.[0]?.DEVDETAILS?.find(({ ID }) => ID === row.ID)?.Chips,
          hashrates(row).hashrateHs,
        ),
        boardTempsC: sensors?.Board === undefined ? undefined : [sensors.Board],
        chipTempMaxC: sensors?.Chip,
        hwErrors: row['Hardware Errors'],
        isAlive: row.Enabled === false ? false : undefined,
      }),
    ];
  });
}
