// Turns the answers of one ePIC miner into a Reading (atlas 9).
import * as kit from '../../src/driver/kit/index.ts';
import { boardsOf, hottestC, idealHsOf, rateOf } from './boards.ts';
import { type Tuning, tuningOf } from './tuning.ts';

type Answers = Readonly<Record<'summary' | 'temps' | 'hashrate' | 'network' | 'capabilities', kit.Answer>>;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const { summary, network, capabilities } = answers;
  const reported = capabilities.text('Model');
  const { row, model, expected } = kit.knownModel('epic-umcos', reported, known.model);
  const [session, supply] = [summary.at('Session'), summary.at('Power Supply Stats')];
  const control = capabilities.at('Control Board Version');
  const cpuSerial = control.text('cpuSerial', 128);
  const tuning = tuningOf(summary);
  const mode = modeOf(summary, tuning);
  const boards = boardsOf(answers);
  const rate = machineRate(summary);
  return {
    mac: kit.firstMac(network.at('dhcp').asWritten('mac_address'), network.at('static').asWritten('mac_address')),
    serialNumber: kit.firstSerial(capabilities.asWritten('Miner Serial Number'), cpuSerial),
    controllerSerialNumber: cpuSerial,
    hostname: summary.text('Hostname'),
    make: row?.make ?? makeOf(reported) ?? known.make,
    model,
    firmwareVersion: summary.text('Software'),
    controlBoard: control.text('cpuHardware'),

    ...rate,
    hashrateAverageHs: session.rateHs('Average MHs', 'M'),
    // Where the supply tells nothing: what the boards draw, if all of them tell it.
    powerW: kit.first(
      supply.watts('Input Power'),
      kit.sumOfAll(summary.rows('HBs', 16)?.map((board) => board.watts('Input Power')) ?? []),
    ),
    psuOutputPowerW: supply.watts('Output Power'),
    powerLimitW: tuning?.unit === 'W' ? tuning.inForce : undefined,
    uptimeS: session.seconds('Uptime'),

    isMining: isMining(summary, rate.hashrateHs),
    miningMode: mode,
    miningModePreset: kit.first(
      kit.tunedTo(tuning?.target, tuning?.unit).miningModePreset,
      summary.at('PresetInfo').text('Preset', 64),
      summary.text('Preset', 64),
    ),
    isLightOn: summary.at('Misc').bool('Locate Miner State'),

    tempC: hottestC(boards),
    boards,
    fans: fans(summary),
    psus: [{ outputPowerW: supply.watts('Output Power'), outputVoltageV: supply.positive('Output Voltage', 100) }],
    pools: pools(summary),
    errors: errors(summary),
    expected: expectation(expected, summary, capabilities, tuning, mode),
  };
}

/** The firmware writes `AntMiner S19 XP`, and runs on machines of ePIC's own. */
export function makeOf(reported: string | undefined): string | undefined {
  if (reported === undefined) return undefined;
  return /^antminer\b/i.test(reported) ? 'Antminer' : 'ePIC';
}

const stateOf = (summary: kit.Answer) => summary.at('Status').text('Operating State', 64)?.toLowerCase();

/**
 * The sum of the boards. Machines of ePIC's own (epic-miner 2.x, 4.x) have a rate of the whole alone, the mean since it
 * started.
 */
function machineRate(summary: kit.Answer): Pick<kit.Draft, 'hashrateHs' | 'hashrateWindow'> {
  const rows = summary.rows('HBs', 16);
  const rates = rows?.map(rateOf) ?? [];
  const isUntold = rates.every((hs) => hs === undefined);
  const state = stateOf(summary);
  if (state === 'idling' && rows !== undefined && isUntold) return { hashrateHs: 0, hashrateWindow: 'realtime' };
  if (!isUntold) return { hashrateHs: kit.sumOfAll(rates), hashrateWindow: 'realtime' };
  const isOwn = !summary.at('Status').isThere || /^epic[- ]miner\b/i.test(summary.text('Software') ?? '');
  const isOfWhole = isOwn && (state === undefined || state === 'mining') && rates.length > 0;
  const hs = isOfWhole ? summary.at('Session').rateHs('Average MHs', 'M') : undefined;
  // What mines by its own word has not told its rate with a 0.
  return { hashrateHs: state === undefined ? hs : kit.positive(hs), hashrateWindow: 'average' };
}

/** The device's own word where it means rest; else the rate. A word that is not known says nothing. */
function isMining(summary: kit.Answer, hashrateHs: number | undefined): boolean | undefined {
  const state = stateOf(summary);
  if (state !== undefined && /^(idling|idle|stopped|initializing|shutdown)/.test(state)) return false;
  if (hashrateHs !== undefined) return hashrateHs > 0;
  return state === 'mining' ? true : undefined;
}

const lastError = (summary: kit.Answer) => {
  const error = summary.at('Status').text('Last Error');
  return error === undefined || kit.isNoFault(error) ? undefined : error;
};

/**
 * It idles when it is told to, but also by itself: after an error, and, if it is set so, while its pool is lost. Only
 * the first is sleep.
 */
function modeOf(summary: kit.Answer, tuning: Tuning | undefined): kit.Reading['miningMode'] {
  const state = stateOf(summary);
  if (state === 'idling') {
    const isCommanded = /stop/i.test(summary.at('Status').text('Last Command') ?? '');
    const lostPool =
      summary.bool('IdleOnConnectionLost') === true && summary.at('Stratum').bool('IsPoolConnected') === false;
    return isCommanded || (lastError(summary) === undefined && !lostPool) ? 'sleep' : undefined;
  }
  if (state === undefined || tuning === undefined) return undefined;
  if (tuning.unit === undefined) return tuning.isOn ? undefined : 'normal';
  return tuning.unit === 'W' ? 'power_tuning' : 'hashrate_tuning';
}

/** `Fans Speed N`: null = not fitted, 0 = stands still. The duty is one for all. */
function fans(summary: kit.Answer): kit.FanDraft[] | undefined {
  const speeds = summary.at('Fans Rpm');
  if (!speeds.isThere) return undefined;
  const dutyPercent = summary.at('Fans').percent('Fans Speed');
  const places = Array.from({ length: 32 }, (_, index) => ({ index, rpm: speeds.rpm(`Fans Speed ${index + 1}`) }));
  return places.filter(({ rpm }) => rpm !== undefined).map((fan) => ({ ...fan, dutyPercent }));
}

/** Shares are counted for the machine: told with the pool in use. The first generation tells only that one. */
function pools(summary: kit.Answer): kit.PoolDraft[] | undefined {
  const [stratum, session] = [summary.at('Stratum'), summary.at('Session')];
  const ofActive = {
    isAlive: stratum.bool('IsPoolConnected'),
    accepted: session.count('Accepted'),
    rejected: session.count('Rejected'),
    difficulty: session.positive('Difficulty'),
  };
  const rows = summary.rows('StratumConfigs', 8);
  const current = stratum.text('Current Pool', 512);
  if (rows === undefined && current !== undefined) {
    const user = stratum.text('Current User', 512) ?? '';
    return [{ index: 0, url: kit.poolUrl(current), user, isActive: true, ...ofActive }];
  }
  const id = stratum.int('Config Id', { min: 0, max: 63 });
  return kit.setPools(
    rows,
    (row) => row.poolAddress('pool'),
    (row, address, index) => ({
      ...{ index, url: kit.poolUrl(address), user: row.text('login', 512) ?? '' },
      isActive: id === undefined ? undefined : id === index,
      ...(id === index && ofActive),
    }),
  );
}

/** One sentence; it may stay after the trouble has gone. */
function errors(summary: kit.Answer): kit.ErrorDraft[] | undefined {
  if (!summary.at('Status').isThere) return undefined;
  const message = lastError(summary);
  if (message === undefined) return [];
  const severity = stateOf(summary) === 'mining' ? 'minor' : 'major';
  return [{ code: message.slice(0, 128), message, category: kit.categoryOfWords(message), severity }];
}

/**
 * The target of the tuner; else what the boards' clocks are worth, for as many boards as belong there; else what the
 * machine leaves the factory with, which holds while nothing is tuned.
 */
function expectation(
  { hashrateHs: nameplateHs, ...table }: kit.Expectation,
  summary: kit.Answer,
  capabilities: kit.Answer,
  tuning: Tuning | undefined,
  mode: kit.Reading['miningMode'],
) {
  const parts = kit.withOwnBuild(table, {
    boards: capabilities.int('Max HBs', { min: 1, max: 63 }),
    chipsPerBoard: capabilities.at('Performance Estimator').int('Chip Count', { min: 1, max: 100_000 }),
  });
  const ideals = summary.rows('HBs', 16)?.flatMap((row) => idealHsOf(row) ?? []) ?? [];
  const meanHs = parts.boards === undefined ? undefined : kit.mean(ideals);
  const factoryHs = kit.positive(kit.rateHs(capabilities.positive('Default Hashrate', 1e5), 'T')) ?? nameplateHs;
  const hashrateHs = kit.first(
    tuning?.unit === 'TH/s' ? kit.rateHs(tuning.inForce, 'T') : undefined,
    kit.scale(meanHs, Math.max(parts.boards ?? 0, ideals.length)),
    mode === 'normal' || mode === 'sleep' ? factoryHs : undefined,
  );
  return { ...parts, hashrateHs };
}
