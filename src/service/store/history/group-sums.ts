// The arithmetic of groups of miners, hour by hour. As in the cells of a farm, minutes in which a miner is known stand
// for those of the same ten minutes in which it is not; an hour is the mean of its cells with data. Pure.
import { type FarmPart, listAlgorithms, NOT_KNOWN, onlyAlgorithm } from './algorithms.ts';
import { type HistoryBucket, MISSED_MS } from './history.ts';
import { HOUR_MS, larger, MINUTE_MS } from './history-sums.ts';
import { type HourSums, pairedOf } from './miner/hour-sums.ts';

const CELL_MINUTES = 10;
const HS_PER_THS = 1e12;

type Rates = { hashrate: number; isKnown: boolean; pairedPower: number; pairedHashrate: number };
type Hour = {
  accounted: number;
  online: number;
  miners: number;
  power: number;
  isPowerKnown: boolean;
  temperature: number;
  temperatureCount: number;
  temperatureMax: number | null;
  readonly rates: Map<string, Rates>;
};

type Member = { readonly group: string | null; readonly created_at: number; readonly reported_at: number };

export type Group = ReturnType<typeof newGroup>;

/** Of hours since the epoch in [first, end). */
export function groupsOf(members: readonly Member[], first: number, end: number): Map<string | null, Group> {
  return new Map(
    [...Map.groupBy(members, ({ group }) => group)].map(([value, of]) => [value, newGroup(of, first, end)]),
  );
}

function newGroup(members: readonly Member[], first: number, end: number) {
  const hours = Array.from(
    { length: end - first },
    (): Hour => ({
      ...{ accounted: 0, online: 0, miners: 0, power: 0, isPowerKnown: false },
      ...{ temperature: 0, temperatureCount: 0, temperatureMax: null, rates: new Map() },
    }),
  );
  const present = minersPresent(members, first, end);
  return {
    hourAt: (hour: number) => hours[hour - first],
    /** Members that were there at some time of the hour. */
    presentAt: (hour: number) => present[hour - first] ?? 0,
    /** Of one member. */
    add(algorithm: string | null, of: ReadonlyMap<number, HourSums>): void {
      for (const [at, sums] of of) {
        const hour = hours[at - first];
        if (hour !== undefined) addTo(hour, algorithm ?? NOT_KNOWN, sums);
      }
    },
  };
}

function addTo(hour: Hour, algorithm: string, sums: HourSums): void {
  if (sums.accounted === 0) return;
  const cells = Math.ceil(sums.accounted / CELL_MINUTES);
  hour.accounted += sums.accounted;
  hour.miners++;
  hour.online += (sums.online / sums.accounted) * cells;
  if (sums.powerCount > 0) {
    hour.power += (sums.power / sums.powerCount) * cells;
    hour.isPowerKnown = true;
  }
  hour.temperature += sums.temperature;
  hour.temperatureCount += sums.temperatureCount;
  hour.temperatureMax = larger(hour.temperatureMax, sums.temperatureMax);
  const rates = hour.rates.get(algorithm) ?? { hashrate: 0, isKnown: false, pairedPower: 0, pairedHashrate: 0 };
  hour.rates.set(algorithm, rates);
  if (sums.hashrateCount > 0) {
    rates.hashrate += (sums.hashrate / sums.hashrateCount) * cells;
    rates.isKnown = true;
  }
  const paired = pairedOf(sums);
  rates.pairedPower += paired.power;
  rates.pairedHashrate += paired.hashrate;
}

/** At each hour: how many came before its end and were not gone at its begin. */
function minersPresent(members: readonly Member[], first: number, end: number): number[] {
  const counts = Array.from({ length: end - first }, () => 0);
  for (const { created_at, reported_at } of members) {
    const from = Math.max(first, Math.floor(created_at / HOUR_MS));
    const to = Math.min(end - 1, Math.floor((reported_at + MISSED_MS) / HOUR_MS));
    for (let hour = from; hour <= to; hour++) counts[hour - first] = (counts[hour - first] ?? 0) + 1;
  }
  return counts;
}

/**
 * `farm`: the same hour of the whole farm. Of its six cells those count in which the farm knows the value: a group that
 * has fewer was there for less of it.
 */
export function groupBucket(group: Group, at: number, farm: FarmPart | undefined, nowMs: number): HistoryBucket {
  const fromMs = at * HOUR_MS;
  const hour = group.hourAt(at);
  const present = fromMs >= nowMs ? 0 : group.presentAt(at);
  const lengthMs = Math.max(0, Math.min(HOUR_MS, nowMs - fromMs));
  const accounted = hour?.accounted ?? 0;
  const due = Math.max(accounted, (present * lengthMs) / MINUTE_MS);
  return {
    ...{ fromMs, toMs: fromMs + HOUR_MS, expected_hashrate_avg: null },
    ...ratesOf(hour, farm),
    power_avg: hour?.isPowerKnown ? hour.power / atLeastOne(farm?.whole.power_count) : null,
    temperature_avg: hour && hour.temperatureCount > 0 ? hour.temperature / hour.temperatureCount : null,
    temperature_max: hour?.temperatureMax ?? null,
    miners_online_avg: hour && hour.miners > 0 ? hour.online / atLeastOne(farm?.whole.cells) : null,
    minersTotal: Math.max(hour?.miners ?? 0, present),
    coverage: due === 0 ? 0 : accounted / due,
  };
}

const atLeastOne = (cells: number | undefined) => Math.max(1, cells ?? 1);

function ratesOf(hour: Hour | undefined, farm: FarmPart | undefined) {
  const algorithms = [...(hour?.rates.keys() ?? [])];
  const only = onlyAlgorithm(algorithms);
  const rates = only === undefined ? undefined : hour?.rates.get(only);
  // A miner may have had another algorithm then.
  const cells = farm?.of.find(({ algorithm }) => algorithm === only)?.sums.hashrate_count || farm?.whole.cells;
  return {
    hashrate_avg: rates?.isKnown ? rates.hashrate / atLeastOne(cells) : null,
    efficiency: rates && rates.pairedHashrate > 0 ? (rates.pairedPower / rates.pairedHashrate) * HS_PER_THS : null,
    algorithms: listAlgorithms(algorithms),
  };
}
