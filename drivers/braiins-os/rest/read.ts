// REST of Braiins OS as a Reading. Each answer gives its own fields; what is missing stays away. Quantities come
// wrapped in their unit.
import * as kit from '../../../src/driver/kit/index.ts';
import { boardsIn, poolsIn } from '../parts.ts';
import type { restAsks } from './asks.ts';
import { errorsOf } from './errors.ts';
import { CONTROL_BOARDS, RESTING, STATUS, TUNER_MODES } from './numbers.data.ts';

type Answers = kit.Answers<typeof restAsks>;

/** Its averages count the time before it started as nothing hashed. */
const FULL_S = 900;

export function readRest(answers: Answers, usualFans: number | undefined): kit.Draft {
  const { details, stats, cooling, network } = answers;
  const rates = stats.at('miner_stats', 'real_hashrate');
  const nowHs = rateHs(rates, 'last_5s');
  const psu = details.at('psu_info');
  const uptimeS = details.seconds('bosminer_uptime_s');
  const boards = boardsIn(answers.hashboards.rows('hashboards'), 'id', board);
  const hottestChipC = kit.largest(boards?.map((one) => one?.chipTempMaxC) ?? []);
  const mode = miningMode(answers);
  return {
    mac: kit.firstMac(network.asWritten('mac_address'), details.asWritten('mac_address')),
    serialNumber: details.asWritten('serial_number'),
    hostname: kit.first(details.text('hostname'), network.text('hostname')),
    firmwareVersion: details.at('bos_version').text('current'),
    apiVersion: apiVersion(answers.version),
    controlBoard: CONTROL_BOARDS[details.int('control_board_soc_family') ?? 0],

    hashrateHs: nowHs,
    hashrateWindow: nowHs === undefined ? undefined : '5s',
    hashrateSettledHs: (uptimeS ?? FULL_S) < FULL_S ? undefined : rateHs(rates, 'last_15m'),
    hashrateAverageHs: rateHs(rates, 'since_restart'),
    hashrate24hHs: rateHs(rates, 'last_24h'),
    powerW: stats.at('power_stats', 'approximated_consumption').watts('watt'),
    powerLimitW: powerLimitW(answers),
    uptimeS,
    systemUptimeS: details.seconds('system_uptime_s'),

    // The device's own word. Of any other the rate tells, which may be 0 while it runs.
    isMining: RESTING.includes(details.count('status') ?? 0) ? false : undefined,
    miningMode: mode,
    isLightOn: kit.toBoolean(answers.locate.raw),
    tempC: kit.first(hottestChipC, tempC(cooling, 'highest_temperature', 'temperature')),

    boards,
    // There are always four places, filled from the first.
    fans: kit.listedFans(cooling.rows('fans', 32), usualFans, { index: 'position', rpm: 'rpm' }, (fan) =>
      kit.scale(fan.number('target_speed_ratio', { min: 0, max: 1 }), 100),
    ),
    psus: [{ model: psu.text('model_name'), serialNumber: psu.text('serial_number') }],
    pools: poolsOf(answers.pools),
    errors: errorsOf(answers.errors, stats, nowHs),
    // What the firmware aims at, else the sticker's, which counts for a machine that is not tuned.
    expected: {
      hashrateHs: kit.first(
        kit.positive(rateHs(stats.at('miner_stats'), 'nominal_hashrate')),
        mode === 'normal' ? kit.positive(rateHs(details, 'sticker_hashrate')) : undefined,
      ),
    },
  };
}

export function restModel({ details }: Answers): string | undefined {
  const identity = details.at('miner_identity');
  return identity.text('name') ?? identity.text('miner_model');
}

const rateHs = (of: kit.Answer, key: string) => of.at(key).rateHs('gigahash_per_second', 'G');
const tempC = (of: kit.Answer, ...keys: readonly string[]) => of.at(...keys).tempC('degree_c');

/** What it is set to holds for one that is awake. `paused` is what it was told; what suspended itself is not asleep. */
function miningMode({ details, configuration }: Answers): kit.Reading['miningMode'] {
  const status = details.count('status', 99);
  if (status === STATUS.paused) return 'sleep';
  // What it is tuned to is its mode only while it does not sleep.
  if (status === undefined || status === STATUS.suspended) return undefined;
  const tuner = configuration.at('tuner');
  const isTuned = tuner.bool('enabled');
  if (isTuned === undefined) return undefined;
  return isTuned ? TUNER_MODES[tuner.int('tuner_mode') ?? 0] : 'normal';
}

/** What is in force, which is below what is set while the firmware scales down. */
function powerLimitW({ configuration, tunerState }: Answers): number | undefined {
  const tuner = configuration.at('tuner');
  if (tuner.bool('enabled') === false || (tuner.count('tuner_mode', 9) ?? 1) !== 1) return undefined;
  return kit.first(
    tunerState.at('mode_state', 'powertargetmodestate', 'current_target').watts('watt'),
    powerTargetW(configuration),
  );
}

export const powerTargetW = (configuration: kit.Answer) => configuration.at('tuner', 'power_target').watts('watt');

function board(row: kit.Answer): Omit<kit.BoardDraft, 'slot'> {
  const stats = row.at('stats');
  return {
    serialNumber: row.text('serial_number'),
    hashrateHs: rateHs(stats.at('real_hashrate'), 'last_5s'),
    expectedHashrateHs: kit.positive(rateHs(stats, 'nominal_hashrate')),
    chips: row.count('chips_count', 100_000),
    frequencyMhz: kit.positive(kit.scale(row.at('current_frequency').number('hertz', { min: 0, max: 1e10 }), 1e-6)),
    voltageV: row.at('current_voltage').positive('volt', 100),
    boardTempsC: [tempC(row, 'board_temp')],
    chipTempMaxC: tempC(row, 'highest_chip_temp', 'temperature'),
    inletTempC: tempC(row, 'lowest_inlet_temp'),
    outletTempC: tempC(row, 'highest_outlet_temp'),
    isAlive: row.bool('enabled') === false ? false : undefined,
  };
}

export const poolsOf = (groups: kit.Answer) =>
  poolsIn(groups, (row) => {
    const stats = row.at('stats');
    return {
      isAlive: row.bool('alive'),
      isActive: row.bool('active'),
      accepted: stats.count('accepted_shares'),
      rejected: stats.count('rejected_shares'),
      stale: stats.count('stale_shares'),
      difficulty: stats.positive('last_difficulty', 1e30),
    };
  });

function apiVersion(version: kit.Answer): string | undefined {
  const parts = ['major', 'minor', 'patch'].map((key) => version.count(key));
  return parts.includes(undefined) ? undefined : parts.join('.');
}
