// What VNish tells on TCP `stats`: all that the versions before AnthillOS have. The keys are those of the firmware that
// it replaced, with a few of its own.
import * as kit from '../../src/driver/kit/index.ts';
import { readStats, type Stats, statsData, statsRows } from '../_dialects/bitmain.ts';
import type { Board } from '../_dialects/bitmain-boards.ts';
import { toFans } from '../_dialects/bitmain-fans.ts';
import { boardsIdealHs, stateOf, sumHs } from './parts.ts';
import { DEAD, MINING } from './words.data.ts';

const NO_RATES = { nowHs: undefined, settledHs: undefined, averageHs: undefined, idealHs: undefined };
const NO_BOARD_RATES = { hashrateHs: undefined, expectedHashrateHs: undefined };

/**
 * Which unit `GHS` stands for is proven for SHA-256 machines, and by what the machine should do beside its nameplate:
 * of all others no rate is told.
 */
export function readTcp(tcpStats: kit.Answer, tcpSummary: kit.Answer, model: kit.Model | undefined) {
  const isOurs = statsRows(tcpStats).some((row) => row.has('Elapsed') || row.has('GHS 5s'));
  const answer = isOurs ? tcpStats : new kit.Answer(undefined);
  const data = statsData(answer);
  const stats = readStats(answer, model);
  const isProven =
    data.has('rate_unit') ||
    model?.algorithm === 'sha256' ||
    (stats.idealHs !== undefined && model?.expected.hashrateHs !== undefined);
  const { nowHs, settledHs, averageHs, idealHs } = isProven ? stats : NO_RATES;
  const boards = stats.boards?.map((board) => boardOf(board, data, isProven));
  const hashrateHs = nowHs ?? sumHs(boards);
  const summary = tcpSummary.row('SUMMARY');
  const draft: kit.Draft = {
    ...ratesOf(summary, model),
    ...kit.present({ hashrateHs, hashrateSettledHs: settledHs, hashrateAverageHs: averageHs }),
    ...(hashrateHs !== undefined && { hashrateWindow: nowHs === undefined ? 'realtime' : '5s' }),
    powerW: kit.sumOfAll(stats.boards?.map(({ chain }) => boardW(data, chain)) ?? []),
    uptimeS: summary.seconds('Elapsed') ?? stats.elapsedS,
    boards: boards?.length === 0 ? undefined : boards,
    fans: fansOf(stats, data, model),
    expected: { hashrateHs: idealHs ?? boardsIdealHs(boards, model) },
  };
  return { draft, state: stateOf(data, 'state'), fanCount: stats.fanCount };
}

/** `GHS` of the summary is proven for SHA-256 machines only. */
const ratesOf = (row: kit.Answer, model: kit.Model | undefined) =>
  (row.has('GHS 5s') || row.has('GHS av')) && model?.algorithm !== 'sha256' ? {} : kit.hashrates(row);

function boardOf({ slot, chain = slot + 1, reading }: Board, data: kit.Answer, isProven: boolean): kit.BoardDraft {
  const state = stateOf(data, `chain_state${chain}`);
  return {
    ...reading,
    ...(!isProven && NO_BOARD_RATES),
    // Its sensors are the coolest and the hottest: their middle is no mean of the chips.
    chipTempAvgC: undefined,
    // While a board does not mine its map says nothing of its chips.
    badChips: MINING.includes(state || stateOf(data, 'state') || 'mining') ? reading.badChips : undefined,
    voltageV: data.milli(`chain_vol${chain}`, { min: 1_000, max: 100_000 }),
    powerW: boardW(data, chain) ?? reading.powerW,
    isAlive: DEAD.includes(state) ? false : undefined,
  };
}

function fansOf({ fanSlots, fanCount }: Stats, data: kit.Answer, model: kit.Model | undefined): kit.Draft['fans'] {
  const fans = toFans(fanSlots, fanCount ?? model?.expected.fans ?? 0);
  return fans.length === 0 ? undefined : fans.map((fan) => ({ ...fan, dutyPercent: data.percent('fan_pwm') }));
}

/** Builds that do not measure it print 0 for every board. */
const boardW = (data: kit.Answer, chain: number | undefined) =>
  data.number(`chain_consumption${chain}`, { min: 1, max: 10_000 });
