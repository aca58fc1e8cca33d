// What the web of a VNish miner tells of its rates, boards, power, fans and faults.
import * as kit from '../../src/driver/kit/index.ts';
import { boardsIdealHs, stateOf, sumHs } from './parts.ts';
import { DEAD, MINING, PSU_SENSORS } from './words.data.ts';

type RateHs = (of: kit.Answer, key: string) => number | undefined;

type Answers = Readonly<Record<'summary' | 'info' | 'factory' | 'status', kit.Answer>>;

export function readWeb({ summary, info, factory, status }: Answers, model: kit.Model | undefined) {
  const miner = summary.at('miner');
  const rateHs = rateIn(info, model);
  const boards = boardsOf(miner, rateHs, factory);
  const boardsHs = sumHs(boards);
  const inTera = (key: string) => (model?.algorithm === 'sha256' ? teraHs(miner, key, boardsHs) : undefined);
  const cooling = miner.at('cooling');
  const isImmersed = /^immers/i.test(cooling.at('settings', 'mode').text('name', 32) ?? '');
  // In a tank the fans are listed as lost.
  const fanCount = isImmersed ? 0 : kit.positive(cooling.int('fan_num', { min: 0, max: 31 }));
  const psuC = kit.largest(PSU_SENSORS.map((key) => miner.at('psu', 'temps').tempC(key)));
  const usualFans = fanCount ?? model?.expected.fans;
  const dutyPercent = cooling.percent('fan_duty');
  const draft: kit.Draft = {
    hashrateHs: kit.first(rateHs(miner, 'hr_realtime'), inTera('instant_hashrate'), boardsHs),
    hashrateAverageHs: kit.first(rateHs(miner, 'hr_average'), inTera('average_hashrate')),
    powerW: kit.first(powerW(miner, 'power_consumption'), wattsOf(miner)),
    tempC: kit.largest(boards?.map((board) => board.chipTempMaxC) ?? []) ?? miner.at('chip_temp').tempC('max'),
    boards,
    fans: kit.listedFans(cooling.rows('fans', 32), usualFans, { index: 'id', rpm: 'rpm' }, () => dutyPercent),
    psus: [{ model: factory.text('psu_model'), serialNumber: factory.text('psu_serial'), tempC: psuC }],
    errors: errorsOf(miner, status),
    expected: {
      cooling: isImmersed ? 'liquid' : undefined,
      // The rate of the preset.
      hashrateHs: kit.positive(rateHs(miner, 'hr_nominal')) ?? boardsIdealHs(boards, model),
    },
  };
  return { draft, fanCount, stockHs: kit.positive(rateHs(miner, 'hr_stock')) };
}

/** Without the name of the unit it is proven for SHA-256 machines only: GH/s. */
function rateIn(info: kit.Answer, model: kit.Model | undefined): RateHs {
  const unit = kit.rateUnit(info.text('hr_measure', 16)) ?? (model?.algorithm === 'sha256' ? 'G' : undefined);
  if (unit !== undefined) return (of, key) => of.rateHs(key, unit);
  return (of, key) => (of.number(key) === 0 ? 0 : undefined);
}

/** What versions before `hr_…` have: TH/s, which the boards prove, of whose rates it is a good part. */
function teraHs(miner: kit.Answer, key: string, boardsHs = 0): number | undefined {
  const hs = miner.rateHs(key, 'T');
  return hs !== undefined && hs > boardsHs / 10 && hs < boardsHs * 2 ? hs : undefined;
}

/** While it is not mining, all its chips count as bad. */
function boardsOf(miner: kit.Answer, rateHs: RateHs, factory: kit.Answer): kit.BoardDraft[] | undefined {
  const isOld = wattsOf(miner) !== undefined;
  const parts = factory.rows('chains');
  return miner.rows('chains')?.flatMap((row, place): kit.BoardDraft[] => {
    const id = idOf(row) ?? place + 1;
    const state = stateOf(row.at('status'), 'state');
    if (state === 'disconnected') return [];
    const qualities = ['red', 'orange', 'grey'].map((quality) => row.at('chip_statuses').count(quality));
    const boardTempsC = measuredC(row, 'pcb_temp_sens');
    return [
      {
        slot: id - 1,
        serialNumber: parts?.find((part) => idOf(part) === id)?.text('serial'),
        hashrateHs: rateHs(row, 'hashrate_rt'),
        expectedHashrateHs: kit.positive(rateHs(row, 'hashrate_ideal')),
        // By quality: all chips that the board has.
        chips: kit.sumOfAll(qualities),
        badChips: MINING.includes(state) ? qualities[0] : undefined,
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
        isAlive: DEAD.includes(state) ? false : undefined,
      },
    ];
  });
}

const idOf = (chain: kit.Answer) => chain.int('id', { min: 0, max: 63 });

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
function wattsOf(miner: kit.Answer): number | undefined {
  const whole = powerW(miner, 'power_usage');
  const parts = miner.rows('chains')?.map((row) => row.number('power_usage', { min: 0, max: 10_000 }));
  const ofBoards = kit.sumOfAll(parts ?? []);
  if (whole === undefined || ofBoards === undefined || miner.has('power_consumption')) return undefined;
  return Math.abs(whole - ofBoards) <= whole / 50 ? whole : undefined;
}

/** The key of the efficiency was once that of the power: so little no running miner takes. */
const powerW = (of: kit.Answer, key: string) => of.number(key, { min: 10, max: 100_000 });

/** There is one fault of the whole, and one of each board. */
function errorsOf(miner: kit.Answer, status: kit.Answer): kit.ErrorDraft[] | undefined {
  const whole = miner.at('miner_status').isThere ? miner.at('miner_status') : status;
  const chains = miner.rows('chains');
  if (!whole.isThere && chains === undefined) return undefined;
  const boards = (chains ?? []).flatMap((chain): kit.ErrorDraft[] => {
    const [state, message] = ['state', 'description'].map((key) => chain.at('status').text(key, 512));
    // Of all states only these are a fault: a board that is stopped or tuned has a description, too.
    if (message === undefined || state === undefined || !/fail|error|fault/i.test(state)) return [];
    const id = idOf(chain);
    return [{ code: `chain:${state}`, category: 'hashboard', message, index: id && id - 1 }];
  });
  if (stateOf(whole, 'miner_state') !== 'failure') return boards;
  const code = kit.toText(whole.value('failure_code'), 64);
  const message = whole.text('description', 512);
  const category = kit.categoryOfWords(message ?? '');
  return [{ code: kit.isFault(code) ? code : 'failure', category, severity: 'major', message }, ...boards];
}
