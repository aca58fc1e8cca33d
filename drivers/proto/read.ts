// Turns the answers of one Proto rig into a Reading (atlas 12). Slots count from 1, telemetry from 0. Telemetry values
// carry their unit.
import * as kit from '../../src/driver/kit/index.ts';
import { FAULTS } from './errors.data.ts';
import { MACHINE } from './names.data.ts';

type Locked = 'mining' | 'telemetry' | 'cooling' | 'pools' | 'errors' | 'target';
type Answers = Readonly<Record<Locked | 'system' | 'network' | 'hardware', kit.Answer>>;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const mining = answers.mining.at('mining-status');
  const miner = answers.telemetry.at('miner');
  const system = answers.system.at('system-info');
  const hardware = answers.hardware.at('hardware-info');
  const others = [hardware.at('cb-info'), answers.network.at('network-info')];
  const machine = kit.namedFields(MACHINE, mining, system, ...others);
  const { model, expected } = kit.knownModel('proto-os', machine.model, known.model);
  const status = statusOf(answers.mining);
  const boards = boardsOf(answers);
  const hashrateHs = kit.first(rateOf(miner), mining.rateHs('hashrate_ghs', 'G'));
  return {
    ...machine,
    model,
    firmwareVersion: system.at('os').text('version'),
    apiVersion: system.at('web_server').text('version'),
    hashrateHs,
    hashrateWindow: 'realtime',
    hashrateAverageHs: mining.rateHs('average_hashrate_ghs', 'G'),
    powerW: kit.positive(figure(miner.at('power'), 'value', 'W')) ?? machine.powerW,
    ...(status !== undefined && { isMining: isAtWork(status) && hashrateHs !== 0 }),
    ...tuning(status, mining, answers.target),
    ...heat(answers.telemetry.rows('hashboards'), mining),

    boards,
    fans: answers.cooling
      .at('cooling-status')
      .rows('fans', 32)
      ?.map((fan) => ({ index: slotOf(fan), rpm: fan.rpm('rpm'), dutyPercent: fan.percent('speed_percentage') })),
    psus: answers.telemetry.rows('psus', 16)?.map((psu, place) => supply(psu, place, hardware)),
    pools: kit.setPools(answers.pools.rows('pools'), (row) => row.poolAddress('url'), pool),
    errors: answers.errors.rows(undefined, 256)?.map(fault),
    expected: expectation(expected, boards, mining, hardware),
  };
}

/** `value`, `input` or `output` in W or V, with `W`, `kW` or `mW` in `unit`. */
function figure(metric: kit.Answer, key: string, unit: 'W' | 'V', max = 100_000): number | undefined {
  const factor = { [unit]: 1, [`k${unit}`]: 1_000, [`m${unit}`]: 0.001 }[metric.text('unit', 16) ?? ''];
  const value = factor && kit.scale(metric.number(key, { min: 0 }), factor);
  return value !== undefined && value <= max ? value : undefined;
}

/** Of the rig or of a board. */
function rateOf(of: kit.Answer): number | undefined {
  const rate = of.at('hashrate');
  const unit = kit.rateUnit(rate.text('unit', 16));
  return unit === undefined ? undefined : rate.rateHs('value', unit);
}

const idealHsOf = (mining: kit.Answer) => kit.positive(mining.rateHs('ideal_hashrate_ghs', 'G'));

export const statusOf = (mining: kit.Answer) => mining.at('mining-status').name('status', 32);
export const isStopped = (status = '') => /^(stopped|curtailed)$/i.test(status);
const isAtWork = (status = '') => /^(mining|degradedmining)$/i.test(status);

export const PERFORMANCE = { low: 'Efficiency', high: 'MaximumHashrate' } as const;

/** A power target that is not the one from the factory is what it tunes to, whatever the performance mode. */
function tuning(status: string | undefined, mining: kit.Answer, target: kit.Answer): kit.Draft {
  const powerLimitW = kit.first(mining.watts('power_target_watts'), target.watts('power_target_watts'));
  const usualW = target.number('default_power_target_watts', { min: 0, max: 100_000 }) ?? powerLimitW;
  const { miningMode, ...tuned } = kit.tunedTo(powerLimitW === usualW ? undefined : powerLimitW, 'W');
  const mode = target.word('performance_mode', [PERFORMANCE.low, PERFORMANCE.high]);
  const usual = mode && (mode === PERFORMANCE.low ? 'low' : 'high');
  // What it is set to holds for one that is awake.
  const awake = status === undefined ? undefined : (miningMode ?? usual);
  return { powerLimitW, ...tuned, miningMode: isStopped(status) ? 'sleep' : awake };
}

/**
 * Of all boards that are heard of, listed or not. The hottest chip: where the chips are not told one by one their mean
 * stands in, if it is hotter than the sensors on the boards, which lie 15 to 20 C below the chips.
 */
function heat(heard: readonly kit.Answer[] = [], mining: kit.Answer): kit.Draft {
  const sensors = (key: string) => heard.map((row) => row.at('temperature').tempC(key));
  const [inlets, outlets] = [sensors('inlet'), sensors('outlet')];
  const hottestChipC = kit.largest(heard.flatMap((row) => chipsC(row.at('asics', 'temperature')) ?? []));
  const others = [mining.tempC('average_asic_temp_c'), ...inlets, ...outlets, ...sensors('average')];
  return {
    tempC: hottestChipC ?? kit.largest(others),
    inletTempC: kit.mean(inlets),
    outletTempC: kit.mean(outlets),
  };
}

/** Of what counts from 1; -1 where it is not told. */
const slotOf = (row: kit.Answer) => (row.int('slot', { min: 1, max: 64 }) ?? 0) - 1;
const indexOf = (row: kit.Answer) => row.int('index', { min: 0, max: 63 }) ?? -1;
const serialOf = (row: kit.Answer) => row.partSerial('serial_number');

/** Only slots that hold a board are listed; telemetry is matched by serial number, else by place. */
function boardsOf(answers: Answers): kit.BoardDraft[] | undefined {
  const mining = answers.mining.at('mining-status');
  const heard = answers.telemetry.rows('hashboards');
  const listed = answers.hardware.at('hardware-info').rows('hashboards-info', 63);
  const rows =
    listed?.flatMap((row) => (slotOf(row) < 0 ? [] : [{ slot: slotOf(row), serial: row.partSerial('hb_sn'), row }])) ??
    heard?.map((row) => ({ slot: indexOf(row), serial: serialOf(row), row }));
  const idealHs = idealHsOf(mining);
  const isCounted = countsThem(mining, heard ?? []);
  return rows?.map(({ slot, serial, row }) => {
    const told =
      heard?.find((each) => serial !== undefined && serialOf(each) === serial) ??
      heard?.find((each) => indexOf(each) === slot && (serial ?? serialOf(each)) === (serialOf(each) ?? serial)) ??
      NOT_HEARD;
    const sensors = told.at('temperature');
    const [inletTempC, outletTempC] = [sensors.tempC('inlet'), sensors.tempC('outlet')];
    return {
      slot,
      serialNumber: serial,
      hashrateHs: rateOf(told),
      voltageV: kit.positive(figure(told.at('voltage'), 'value', 'V', 100)),
      powerW: kit.positive(figure(told.at('power'), 'value', 'W')),
      isAlive: isCounted ? (rateOf(told) ?? 0) > 0 : undefined,
      expectedHashrateHs: idealHs === undefined || listed === undefined ? undefined : idealHs / rows.length,
      chips: row.int('mining_asic_count', { min: 1, max: 100_000 }),
      chipTempsC: chipsC(told.at('asics', 'temperature')),
      boardTempsC: [inletTempC, outletTempC, sensors.tempC('average')],
      inletTempC,
      outletTempC,
    };
  });
}

const NOT_HEARD = new kit.Answer(undefined);

/** One value per chip; 0 is none. */
const chipsC = (chips: kit.Answer) =>
  /^(\u00b0 ?)?C$/i.test(chips.text('unit', 16) ?? 'C')
    ? chips.list('values', 1_024)?.map((value) => kit.toTempC(value))
    : undefined;

/** At work it counts the boards that hash but names none of them: they are those with a rate, if they are as many. */
function countsThem(mining: kit.Answer, heard: readonly kit.Answer[]): boolean {
  const hashing = heard.filter((row) => (rateOf(row) ?? 0) > 0).length;
  return isAtWork(mining.text('status', 32)) && hashing > 0 && hashing === mining.int('hashboards_mining');
}

function supply(psu: kit.Answer, place: number, hardware: kit.Answer) {
  const serial = serialOf(psu);
  const slot = indexOf(psu) < 0 ? place : indexOf(psu);
  const part = hardware
    .rows('psus-info', 16)
    ?.find((row) => (serial === undefined ? slotOf(row) === slot : row.partSerial('psu_sn') === serial));
  const [power, voltage] = [psu.at('power'), psu.at('voltage')];
  return {
    serialNumber: kit.first(serial, part?.partSerial('psu_sn')),
    model: part?.text('model'),
    tempC: psu.at('temperature').tempC('average'),
    inputPowerW: kit.positive(figure(power, 'input', 'W')),
    outputPowerW: figure(power, 'output', 'W'),
    inputVoltageV: kit.positive(figure(voltage, 'input', 'V', 1_000)),
    outputVoltageV: figure(voltage, 'output', 'V', 1_000),
  };
}

function pool(row: kit.Answer, url: string, place: number): kit.PoolDraft {
  const status = row.text('status', 32)?.toLowerCase();
  return {
    index: row.int('priority', { min: 0, max: 63 }) ?? place,
    url,
    user: row.text('user', 512) ?? '',
    isAlive: status === undefined ? undefined : status !== 'dead',
    isActive: status === undefined ? undefined : status === 'active',
    accepted: kit.first(row.count('accepted'), row.count('accepted_shares')),
    rejected: kit.first(row.count('rejected'), row.count('rejected_shares')),
    difficultyAccepted: row.number('difficulty_accepted_shares', { min: 0 }),
    difficultyRejected: row.number('difficulty_rejected_shares', { min: 0 }),
    difficulty: kit.first(row.positive('current_difficulty'), row.positive('difficulty')),
  };
}

function fault(row: kit.Answer): kit.ErrorDraft | undefined {
  const code = kit.first(row.asWritten('code'), row.asWritten('error_code'));
  if (code === undefined) return undefined;
  const source = row.text('source', 64)?.toLowerCase() ?? '';
  const { category = 'unknown', severity = 'minor', message } = FAULTS[source]?.[code] ?? {};
  const index = source === 'rig' || slotOf(row) < 0 ? undefined : slotOf(row);
  return { code, category, severity, message: row.text('message') ?? message, index };
}

/**
 * What the rig lists is what is there now: a lost board must not become what is expected. So boards are expected only
 * by a model that has its number, or where the rig counts more than it lists; else what it steadily had is held against
 * it. What most boards have is what a board should have.
 */
function expectation(
  table: kit.Expectation,
  boards: readonly kit.BoardDraft[] | undefined,
  mining: kit.Answer,
  hardware: kit.Answer,
) {
  const installed = mining.int('hashboards_installed', { min: 0, max: 63 }) ?? 0;
  return {
    ...table,
    boards: table.boards ?? (boards !== undefined && installed > boards.length ? installed : undefined),
    chipsPerBoard: table.chipsPerBoard ?? usual(boards?.map(({ chips }) => chips) ?? []),
    fans: table.fans ?? kit.positive(hardware.rows('fans-info', 31)?.length),
    hashrateHs: idealHsOf(mining),
  };
}

/** What more than half of them are. */
const usual = (counts: readonly (number | undefined)[]) =>
  counts.find((count) => count && counts.filter((other) => other === count).length > counts.length / 2);
