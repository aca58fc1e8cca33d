// The hashboards of a VNish miner, as its web lists them.
import * as kit from '../../src/driver/kit/index.ts';

export type RateHs = (of: kit.Answer, key: string) => number | undefined;

const MINING = ['mining', 'auto-tuning'];
/** A word for what the machine or a board does. */
export const stateOf = (of: kit.Answer, key: string) => of.text(key, 32)?.toLowerCase();
export const isMiningState = (state: string | undefined) => state !== undefined && MINING.includes(state);
export const isAliveState = (state: string | undefined) =>
  state === 'failure' || state === 'disabled' ? false : undefined;

/** While it is not mining, all its chips count as bad. */
export function boardsOf(miner: kit.Answer, rateHs: RateHs, factory: kit.Answer): kit.BoardDraft[] | undefined {
  const isOld = wattsOf(miner) !== undefined;
  return miner.rows('chains')?.flatMap((row, place): kit.BoardDraft[] => {
    const id = idOf(row) ?? place + 1;
    const state = stateOf(row.at('status'), 'state');
    if (state === 'disconnected') return [];
    const qualities = ['red', 'orange', 'grey'].map((quality) => row.at('chip_statuses').count(quality));
    const boardTempsC = measuredC(row, 'pcb_temp_sens');
    return [
      {
        slot: id - 1,
        serialNumber: factory
          .rows('chains')
          ?.find((chain) => idOf(chain) === id)
          ?.text('serial'),
        hashrateHs: rateHs(row, 'hashrate_rt'),
        expectedHashrateHs: kit.positive(rateHs(row, 'hashrate_ideal')),
        // By quality: all chips that the board has.
        chips: kit.sumOfAll(qualities),
        badChips: isMiningState(state) ? qualities[0] : undefined,
        frequencyMhz: row.mhz('frequency'),
        voltageV: row.milli('voltage', { min: 1_000, max: 100_000 }),
        // Builds that do not measure it write 0.
        powerW: row.positive(isOld && !row.has('power_consumption') ? 'power_usage' : 'power_consumption', 10_000),
        boardTempsC: boardTempsC.length > 0 ? boardTempsC : [row.at('pcb_temp').tempC('max')],
        chipTempMaxC: row.at('chip_temp').tempC('max'),
        chipTempAvgC: kit.mean(measuredC(row, 'chip_temp_sens')),
        inletTempC: row.tempC('inlet_water_temp'),
        outletTempC: row.tempC('outlet_water_temp'),
        hwErrors: row.count('hw_errors'),
        isAlive: isAliveState(state),
      },
    ];
  });
}

export const idOf = (chain: kit.Answer) => chain.int('id', { min: 0, max: 63 });

/** A sensor that does not measure shows something all the same. */
const measuredC = (row: kit.Answer, key: string): number[] =>
  (row.rows(key) ?? [])
    .filter((sensor) => sensor.text('status') === 'measure')
    .map((sensor) => sensor.tempC('temp'))
    .filter((tempC) => tempC !== undefined);

/**
 * `power_usage` was once the power, where later it is the efficiency: it is the power where that of the boards makes it
 * up.
 */
export function wattsOf(miner: kit.Answer): number | undefined {
  const whole = powerW(miner, 'power_usage');
  const ofBoards = kit.sumOfAll(
    miner.rows('chains')?.map((row) => row.number('power_usage', { min: 0, max: 10_000 })) ?? [],
  );
  if (whole === undefined || powerW(miner, 'power_consumption') !== undefined || ofBoards === undefined)
    return undefined;
  return Math.abs(whole - ofBoards) <= whole / 50 ? whole : undefined;
}

/** The key of the efficiency was once that of the power: so little no running miner takes. */
export const powerW = (of: kit.Answer, key: string) => of.number(key, { min: 10, max: 100_000 });
