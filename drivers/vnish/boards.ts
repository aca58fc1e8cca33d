// The hashboards of a VNish miner, as its web lists them.
import { first, mean, sumOfAll } from '../../src/driver/fields.ts';
import type { BoardReading } from '../../src/model/reading.ts';
import { positive, present } from '../_dialects/cgminer.ts';
import type { Chain, Replies } from './replies.ts';

type Miner = NonNullable<NonNullable<Replies['summary']>['miner']>;
export type ToHs = (value: number | undefined) => number | undefined;

export const MINING = ['mining', 'auto-tuning'];

/** While it is not mining, all its chips count as bad. */
export function boardsOf(miner: Miner, toHs: ToHs, factory: Replies['factory']): BoardReading[] | undefined {
  const taken = new Set<number>();
  const isOld = wattsOf(miner) !== undefined;
  return miner.chains?.flatMap((row, place) => {
    const id = row.id ?? place + 1;
    const slot = id - 1;
    const state = row.status?.state?.toLowerCase();
    if (slot < 0 || taken.has(slot) || state === 'disconnected') return [];
    taken.add(slot);
    const { red, orange, grey } = row.chip_statuses ?? {};
    const isWhole = red !== undefined && orange !== undefined && grey !== undefined;
    const boardC = row.pcb_temp?.max;
    return [
      present({
        slot,
        serialNumber: factory?.chains?.find((chain) => chain.id === id)?.serial,
        hashrateHs: toHs(row.hashrate_rt),
        expectedHashrateHs: positive(toHs(row.hashrate_ideal)),
        // No chips beside a rate: not counted.
        chips:
          isWhole && (red + orange + grey > 0 || !positive(toHs(row.hashrate_rt))) ? red + orange + grey : undefined,
        badChips: state !== undefined && MINING.includes(state) ? red : undefined,
        frequencyMhz: positive(row.frequency),
        voltageV: row.voltage === undefined ? undefined : row.voltage / 1_000,
        // Builds that do not measure it write 0.
        powerW: positive(first(row.power_consumption, isOld ? row.power_usage : undefined)),
        boardTempsC: first(measured(row.pcb_temp_sens), boardC === undefined ? undefined : [boardC]),
        chipTempMaxC: row.chip_temp?.max,
        chipTempAvgC: mean(measured(row.chip_temp_sens) ?? []),
        inletTempC: row.inlet_water_temp,
        outletTempC: row.outlet_water_temp,
        hwErrors: row.hw_errors,
        isAlive: state === 'failure' || state === 'disabled' ? false : undefined,
      }),
    ];
  });
}

/** A sensor that does not measure shows something all the same. */
function measured(sensors: Chain['pcb_temp_sens']): number[] | undefined {
  const temps = sensors?.flatMap(({ status, temp }) => (status === 'measure' && temp !== undefined ? [temp] : []));
  return temps === undefined || temps.length === 0 ? undefined : temps;
}

/**
 * `power_usage` was once the power, where later it is the efficiency: it is the power where that of the boards makes it
 * up.
 */
export function wattsOf(miner: Miner | undefined): number | undefined {
  const { power_usage: whole, power_consumption: told, chains = [] } = miner ?? {};
  const ofBoards = sumOfAll(chains.map((chain) => chain.power_usage));
  if (whole === undefined || told !== undefined || ofBoards === undefined) return undefined;
  return Math.abs(whole - ofBoards) <= whole / 50 ? positive(whole) : undefined;
}
