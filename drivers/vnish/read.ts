// Turns the answers of one VNish miner into a Reading (atlas 8).
import * as kit from '../../src/driver/kit/index.ts';
import { statsType } from '../_dialects/bitmain.ts';
import { boardsOf, idOf, isMiningState, powerW, type RateHs, stateOf, wattsOf } from './boards.ts';
import { pools } from './pools.ts';
import { readTcp } from './tcp.ts';
import { PLATFORMS } from './words.data.ts';

type Answers = {
  readonly [K in
    | 'summary'
    | 'info'
    | 'status'
    | 'perf'
    | 'factory'
    | 'tcpPools'
    | 'tcpStats'
    | 'tcpSummary']: kit.Answer;
};

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const { summary, info, status, perf, factory, tcpStats, tcpPools } = answers;
  const miner = summary.at('miner');
  // Older versions tell it beside the rest.
  const system = info.at('system').isThere ? info.at('system') : summary.at('system');
  const reported = kit.first(info.text('miner'), miner.text('miner_type'), statsType(tcpStats), known.model);
  const row = modelOf(reported);
  const rateHs = rateIn(info, row);
  const stats = readTcp(tcpStats, row);
  const boards = boardsOf(miner, rateHs, factory) ?? stats.boards;
  // Older versions have no rate for the whole that we could read; that of the boards they all have.
  const boardsHs = kit.sumOfAll(boards?.map((board) => board.hashrateHs) ?? []);
  const inTera = (key: string) => (row?.algorithm === 'sha256' ? teraHs(miner, key, boardsHs) : undefined);
  const nowHs = kit.first(rateHs(miner, 'hr_realtime'), inTera('instant_hashrate'), stats.nowHs, boardsHs);
  const tcp = answers.tcpSummary.row('SUMMARY');
  const onTcp = ratesOnTcp(tcp, row);
  const beside = stateOf(status, 'miner_state');
  const state = kit.first(
    stateOf(miner.at('miner_status'), 'miner_state'),
    stats.state,
    isAsleep(beside) ? beside : undefined,
  );
  const preset = perf.at('current_preset').text('name', 64);
  const mode = miningMode(kit.first(state, beside), (nowHs ?? 0) > 0, preset);
  const cooling = miner.at('cooling');
  const isImmersed = /^immers/i.test(cooling.at('settings', 'mode').text('name', 32) ?? '');
  // In a tank the fans are listed as lost.
  const fanCount = isImmersed ? 0 : kit.positive(cooling.int('fan_num', { min: 0, max: 31 }));
  const hottestChipC = kit.largest(boards?.map((board) => board.chipTempMaxC) ?? []);
  const platform = info.text('platform', 16);
  return {
    mac: system.at('network_status').asWritten('mac'),
    serialNumber: info.asWritten('serial'),
    hostname: system.at('network_status').text('hostname'),
    model: row?.model ?? reported,
    firmwareVersion: kit.first(
      info.text('fw_version'),
      versionIn(statsType(tcpStats)),
      versionIn(miner.text('miner_type')),
    ),
    controlBoard: PLATFORMS[platform ?? ''] ?? platform,

    ...onTcp,
    ...kit.present({
      hashrateHs: nowHs,
      hashrateWindow: nowHs === undefined ? undefined : stats.nowHs === nowHs ? ('5s' as const) : ('realtime' as const),
      hashrateSettledHs: stats.settledHs,
      hashrateAverageHs: kit.first(rateHs(miner, 'hr_average'), inTera('average_hashrate'), stats.averageHs),
      tempC: kit.first(hottestChipC, miner.at('chip_temp').tempC('max')),
    }),
    powerW: kit.first(powerW(miner, 'power_consumption'), wattsOf(miner), stats.powerW),
    powerLimitW: presetWatts(preset, info),
    uptimeS: kit.first(tcp.seconds('Elapsed'), stats.elapsedS),
    systemUptimeS: secondsOf(system.text('uptime', 64)),

    isMining: summary.value('miner') === null ? false : isMining(state, kit.first(nowHs, onTcp?.hashrateHs)),
    miningMode: mode,
    miningModePreset: preset,
    isLightOn: status.bool('find_miner'),

    boards,
    fans: cooling.isThere
      ? kit.listedFans(cooling.rows('fans', 32), fanCount ?? row?.expected.fans, { index: 'id', rpm: 'rpm' }, () =>
          cooling.percent('fan_duty'),
        )
      : stats.fans,
    psus: [
      {
        model: factory.text('psu_model'),
        serialNumber: factory.text('psu_serial'),
        tempC: kit.largest(PSU_SENSORS.map((key) => miner.at('psu', 'temps').tempC(key))),
      },
    ],
    pools: pools(miner, tcpPools),
    errors: errorsOf(miner, status),
    expected: {
      ...kit.withOwnBuild(row?.expected, { fans: kit.first(fanCount, stats.fanCount) }),
      ...(isImmersed && { cooling: 'liquid' }),
      hashrateHs: kit.first(
        // The rate of the preset.
        kit.positive(rateHs(miner, 'hr_nominal')),
        stats.idealHs,
        boardsIdealHs(boards, row),
        // The factory's own rate counts only where no preset is set.
        mode === 'normal' ? (kit.positive(rateHs(miner, 'hr_stock')) ?? row?.expected.hashrateHs) : undefined,
      ),
    },
  };
}

/** `Antminer S19j Pro (Vnish 1.2.6)`. */
export function modelOf(reported: string | undefined): kit.Model | undefined {
  if (reported === undefined) return undefined;
  const names = [reported, `Antminer ${reported}`];
  return kit.knownModel('vnish', ...names).row ?? kit.knownModel('antminer-stock', ...names).row;
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

/** `GHS` on TCP is proven for SHA-256 machines only. */
function ratesOnTcp(row: kit.Answer, model: kit.Model | undefined) {
  const isNamedOtherwise = !row.has('GHS 5s') && !row.has('GHS av');
  return isNamedOtherwise || model?.algorithm === 'sha256' ? kit.hashrates(row) : undefined;
}

const versionIn = (type: string | undefined) => /vnish\s+v?(\d[\w.-]*)/i.exec(type ?? '')?.[1];

const ASLEEP = ['stopped', 'paused'];
const IDLE = [...ASLEEP, 'initializing', 'starting', 'restarting', 'shutting-down', 'failure'];

export const isAsleep = (state: string | undefined) => state !== undefined && ASLEEP.includes(state);

/** The word for what it does, and the rate beside it; a word that is not known says nothing. */
function isMining(state: string | undefined, nowHs: number | undefined): boolean | undefined {
  if (state !== undefined && IDLE.includes(state)) return false;
  if (nowHs !== undefined) return nowHs > 0;
  return isMiningState(state) ? true : undefined;
}

/** A preset is no mode of ours, and what is set holds for one that is awake. */
function miningMode(state: string | undefined, isHashing: boolean, preset = ''): kit.Draft['miningMode'] {
  if (isAsleep(state)) return 'sleep';
  if (state === undefined && !isHashing) return undefined;
  return preset.toLowerCase() === 'disabled' ? 'normal' : undefined;
}

/** Presets of SHA-256 machines are named by their watts, those of others are not. */
const presetWatts = (preset = '', info: kit.Answer): number | undefined =>
  kit.rateUnit(info.text('hr_measure', 16)) === 'G' && /^\d{2,5}$/.test(preset.trim()) ? Number(preset) : undefined;

/** `10 days, 18:00`, `1:05`, `12 min`. */
export function secondsOf(uptime: string | undefined): number | undefined {
  const [, days, hours, minutes, alone] =
    /^(?:(\d{1,5})\s*days?,?\s*)?(?:(\d{1,2}):(\d{2})(?::\d{2})?|(\d{1,2})\s*min\w*)?$/i.exec(uptime?.trim() ?? '') ??
    [];
  if (days === undefined && hours === undefined && alone === undefined) return undefined;
  return (Number(days ?? 0) * 24 + Number(hours ?? 0)) * 3_600 + Number(minutes ?? alone ?? 0) * 60;
}

const PSU_SENSORS = ['pfc', 'llc1', 'llc2', 'pfc_temp', 'llc1_temp', 'llc2_temp'];

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

/** What the boards say of themselves, where all that belong there do. */
function boardsIdealHs(boards: readonly kit.BoardDraft[] = [], model: kit.Model | undefined): number | undefined {
  const ideals = boards.map((board) => board.expectedHashrateHs);
  return ideals.length < (model?.expected.boards ?? 1) ? undefined : kit.sumOfAll(ideals);
}
