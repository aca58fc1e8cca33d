// Turns the answers of one Innosilicon into a Reading (atlas 19). The web knows most, TCP the chips; where the web
// refuses us, TCP has rates too.
import * as kit from '../../src/driver/kit/index.ts';
import type { ASKS } from './asks.data.ts';
import { ERRORS } from './errors.data.ts';
import { MODES, STEPS, TUNINGS } from './words.data.ts';

type Answers = Readonly<Record<keyof typeof ASKS | 'all' | 'fault', kit.Answer>>;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const { type, overview, webDevs, stats } = answers;
  const web = answers.all.at('all');
  const build = overview.at('version');
  const reported = kit.first(...[type, overview, web].map((answer) => answer.text('type', 64)), known.model);
  const { model, expected } = kit.knownModel('innosilicon-stock', reported);
  const isMega = countsMillions(reported, answers);
  const ageS = ageOf(answers);
  const uptimeS = kit.first(web.seconds('uptime'), kit.uptimeWordsS(web.value('uptime')));
  const duties = stats.rows('STATS')?.map((row) => row.percent('Fan duty')) ?? [];
  const dutyPercent = kit.first(web.percent('fansSpeed'), webDevs.at('HARDWARE').percent('Fan duty'), ...duties);
  const fans = dutyPercent === undefined ? 0 : (expected.fans ?? 0);
  return {
    model,
    mac: kit.firstMac(web.asWritten('mac'), build.asWritten('ethaddr')),
    hostname: overview.text('hostname'),
    firmwareVersion: build.text('build_date'),
    apiVersion: answers.version.row('VERSION').text('API'),
    controlBoard: kit.first(build.text('hwver'), web.text('hwver')),

    ...ratesOf(answers, isMega, ageS),
    powerW: web.watts('power'),
    uptimeS: ageS ?? uptimeS,
    systemUptimeS: ageS === undefined ? undefined : uptimeS,

    ...tuningOf(web.at('running_mode')),
    boards: boardsOf(answers, isMega),
    // One duty for all fans; how fast they turn is not told, nor how many they are.
    fans: Array.from({ length: fans }, (_, index) => ({ index, dutyPercent })),
    pools: kit.first(...[answers.pools, answers.webPools, webDevs].map(kit.cgminerPools)),
    errors: errorsOf(answers.fault),
    expected,
  };
}

const devicesOf = ({ devs, webDevs }: Answers) => kit.first(devs.rows('DEVS'), webDevs.rows('DEVS')) ?? [];

/** Of the mining program. */
function ageOf(answers: Answers): number | undefined {
  const told = [answers.stats.rows('STATS'), answers.summary.rows('SUMMARY'), devicesOf(answers)];
  const age = (row: kit.Answer) => row.seconds('Elapsed') ?? row.seconds('Device Elapsed');
  return kit.first(...told.map((rows = []) => kit.largest(rows.map(age))));
}

/**
 * An A8 counts thousands, an A9 solutions, A10, A11 and B29 hashes, all under names that mean millions elsewhere. What
 * may be one has no unit that is proven.
 */
function countsMillions(reported: string | undefined, { summary, devs, stats, version }: Answers): boolean {
  const described = [summary, devs, stats, version].map((answer) => answer.row('STATUS').text('Description'));
  const names = [reported, ...described].filter((name) => name !== undefined);
  return names.length > 0 && !names.some((name) => /\b(a[89]|a1\d|b\d\d)/i.test(name));
}

/**
 * `Hash Rate H` is in hashes, `Hash Rate` in the unit beside it; without one in millions, where that is sure. Where the
 * two differ the first is too large for the numbers of its controller. TCP has windows of its own.
 */
function rateOf(row: kit.Answer, isMega: boolean): number | undefined {
  const onTcp = kit.first(...(['1m', '5s', 'av'] as const).map((window) => kit.windowHs(row, window)));
  if (isMega && onTcp !== undefined) return onTcp;
  const exact = row.rateHs('Hash Rate H', '');
  const unit = kit.rateUnit(row.text('Unit', 16));
  if (unit === undefined) return exact ?? (isMega ? row.rateHs('Hash Rate', 'M') : undefined);
  const shown = row.rateHs('Hash Rate', unit);
  return exact === undefined || (shown !== undefined && Math.abs(exact - shown) > shown / 50) ? shown : exact;
}

function ratesOf({ all, summary, webDevs }: Answers, isMega: boolean, ageS: number | undefined): kit.Draft {
  const wholeHs = rateOf(all.at('all', 'total_hash'), isMega);
  if (wholeHs !== undefined) return ofAge(wholeHs, ageS);
  const row = summary.row('SUMMARY');
  if (row.isThere) return isMega ? kit.hashrates(row) : {};
  // Where the whole is told nowhere it is the sum of its boards.
  const sum = (of: (row: kit.Answer) => number | undefined) => kit.sumOfAll(webDevs.rows('DEVS')?.map(of) ?? []);
  if (!isMega) return ofAge(rateOf(webDevs.at('TotalHash'), false) ?? sum((board) => rateOf(board, false)), ageS);
  const windows = ['MHS 1m', 'MHS 15m', 'MHS av'].map((key) => [key, sum((board) => board.number(key))]);
  return kit.hashrates(new kit.Answer(Object.fromEntries(windows)));
}

/** The web shows the longest average that the mining program is old enough for. */
function ofAge(hashrateHs: number | undefined, ageS: number | undefined): kit.Draft {
  if (ageS === undefined) return { hashrateHs, hashrateWindow: 'realtime' };
  if (ageS < 900) return { hashrateHs, hashrateWindow: ageS < 300 ? '5s' : '1m' };
  return { hashrateHs, hashrateWindow: ageS < 3_600 ? '5m' : '15m', hashrateSettledHs: hashrateHs };
}

function tuningOf(running: kit.Answer): kit.Draft {
  const mode = running.word('mode', TUNINGS);
  const step = STEPS[running.count('level', 4) ?? 2];
  return mode === undefined ? {} : { miningMode: MODES[mode], miningModePreset: `${mode}${step}` };
}

/** The same chains by their numbers, from up to three answers: what a later one says counts. */
function boardsOf(answers: Answers, isMega: boolean): kit.BoardDraft[] | undefined {
  // Pools have rows among the statistics, too.
  const chains = answers.stats.rows('STATS')?.filter((row) => row.has('Chain ID')) ?? [];
  const rows = [...chains, ...devicesOf(answers), ...(answers.all.at('all').rows('chain') ?? [])];
  // What tells of no chain does not say that there are none.
  return kit.joinedBoards(rows.map((row) => boardOf(row, isMega)))?.filter(isBoard);
}

const boardOf = (row: kit.Answer, isMega: boolean): kit.BoardDraft => ({
  slot: kit.first(...['Chain ID', 'ASC', 'ID'].map((key) => row.count(key, 63))) ?? -1,
  // The statistics have none but the average since the start.
  hashrateHs: row.has('Chain ID') ? undefined : rateOf(row, isMega),
  chips: row.count('Num active chips', 100_000),
  chipTempMaxC: row.tempC('Temp max'),
  chipTempAvgC: kit.first(...['Average Temp', 'Temp', 'Temperature'].map((key) => row.tempC(key))),
  hwErrors: row.count('Hardware Errors'),
  isAlive: kit.poolIsAlive(row.text('Status')),
});

/** One without chips, rate and temperature is an empty place. */
const isBoard = ({ chips, hashrateHs, chipTempAvgC, chipTempMaxC }: kit.BoardDraft) =>
  (hashrateHs ?? 0) > 0 || (chips ?? 0) > 0 || (chipTempAvgC ?? chipTempMaxC) !== undefined;

/** One number, 0 for no fault; undefined where that cannot be read. */
export function errorsOf(fault: kit.Answer): kit.ErrorDraft[] | undefined {
  const code = fault.text('code', 16);
  if (code === undefined || !/^(0x[\da-f]+|\d+)$/i.test(code)) return undefined;
  const [message = fault.at('detail').text('msg'), category = 'unknown' as const] = ERRORS[code] ?? [];
  return [{ code, message, category }];
}
