// What VNish tells on TCP `stats`: all that the versions before AnthillOS have. The keys are those of the firmware that
// it replaced, with a few of its own.
import * as kit from '../../src/driver/kit/index.ts';
import { readStats, statsData, statsRows } from '../_dialects/bitmain.ts';
import { toFans } from '../_dialects/bitmain-fans.ts';
import { isAliveState, isMiningState, stateOf } from './boards.ts';

const NO_RATES = { nowHs: undefined, settledHs: undefined, averageHs: undefined, idealHs: undefined };
const NO_BOARD_RATES = { hashrateHs: undefined, expectedHashrateHs: undefined };

/**
 * Which unit `GHS` stands for is proven for SHA-256 machines, and by what the machine should do beside its nameplate:
 * of all others no rate is told.
 */
export function readTcp(tcpStats: kit.Answer, model: kit.Model | undefined) {
  const isOurs = statsRows(tcpStats).some((row) => row.has('Elapsed') || row.has('GHS 5s'));
  const answer = isOurs ? tcpStats : new kit.Answer(undefined);
  const data = statsData(answer);
  const stats = readStats(answer, model);
  const isProven =
    data.has('rate_unit') ||
    model?.algorithm === 'sha256' ||
    (stats.idealHs !== undefined && model?.expected.hashrateHs !== undefined);
  /** The device's own word for what it does. */
  const state = stateOf(data, 'state');
  const boards = stats.boards?.map(({ slot, chain = slot + 1, reading }): kit.BoardDraft => {
    const ofBoard = stateOf(data, `chain_state${chain}`);
    return {
      ...reading,
      ...(!isProven && NO_BOARD_RATES),
      // Its sensors are the coolest and the hottest: their middle is no mean of the chips.
      chipTempAvgC: undefined,
      // While a board does not mine its map says nothing of its chips.
      badChips: isMiningState(ofBoard ?? state ?? 'mining') ? reading.badChips : undefined,
      voltageV: data.milli(`chain_vol${chain}`, { min: 1_000, max: 100_000 }),
      powerW: boardW(data, chain) ?? reading.powerW,
      isAlive: isAliveState(ofBoard),
    };
  });
  const fans = toFans(stats.fanSlots, stats.fanCount ?? model?.expected.fans ?? 0);
  return {
    ...stats,
    ...(!isProven && NO_RATES),
    boards: boards?.length === 0 ? undefined : boards,
    fans: fans.length === 0 ? undefined : fans.map((fan) => ({ ...fan, dutyPercent: data.percent('fan_pwm') })),
    state,
    powerW: kit.sumOfAll(stats.boards?.map(({ chain }) => boardW(data, chain)) ?? []),
  };
}

/** Builds that do not measure it print 0 for every board. */
const boardW = (data: kit.Answer, chain: number | undefined) =>
  data.number(`chain_consumption${chain}`, { min: 1, max: 10_000 });
