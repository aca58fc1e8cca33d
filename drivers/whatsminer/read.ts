// Turns what one Whatsminer told, over any of its APIs, into a Reading. Where each API has its facts is in api2 and
// api3, and what they are called there in names.data.ts.
import * as kit from '../../src/driver/kit/index.ts';
import { errorReading, type Fault } from './errors.ts';
import { MODES, WINDOWS } from './names.data.ts';

export type Told = {
  /** The facts of `MACHINE`. */
  readonly machine: kit.Answer;
  /** By window. */
  readonly ratesHs: Readonly<Record<string, number | undefined>>;
  /** The facts of `BOARD` of each. */
  readonly boards: readonly kit.Answer[] | undefined;
  /** Undefined where nothing proves it: then no rate of a board is told. */
  readonly boardUnit: 'M' | 'T' | undefined;
  readonly pools: kit.PoolDraft[] | undefined;
  readonly faults: readonly Fault[] | undefined;
  /** The mining process does not run. */
  readonly isDown: boolean;
  readonly clockS: number | undefined;
};

/** Words in place of data: the mining process does not run. */
export const isDown = (value: unknown) => typeof value === 'string' && /process is down|connect failed/i.test(value);

export function draftOf(told: Told, known: kit.Known): kit.Draft {
  const { machine, ratesHs, clockS } = told;
  const { model, expected } = kit.knownModel('whatsminer-stock', machine.text('type') ?? known.model);
  const window = WINDOWS.find((each) => ratesHs[each] !== undefined);
  const hashrateHs = window && ratesHs[window];
  const isHashing = (hashrateHs ?? 0) > 0;
  // 0 W beside a hashrate is a PSU that does not say.
  const watts = (name: string) => (isHashing ? machine.watts(name) : machine.number(name, { min: 0, max: 100_000 }));
  const isOff = isSuspended(machine);
  const isMining = isOff || told.isDown ? false : hashrateHs === undefined ? undefined : isHashing;
  const mode = modeOf(machine);
  const led = machine.text('led')?.toLowerCase();
  const isLiquid = machine.bool('isLiquid') ?? (machine.number('coolant', { min: 1, max: 120 }) && true);
  // An air model in a tank says `liquid` itself; hydro models do not always, but the table knows them.
  const cooling = isLiquid ? 'liquid' : (expected.cooling ?? (isLiquid === false ? 'air' : undefined));
  const boards = told.boards?.flatMap((row, place) => board(row, place, told.boardUnit) ?? []);
  return {
    model,
    mac: machine.text('mac', 128),
    serialNumber: machine.text('serialNumber', 128),
    hostname: machine.text('hostname'),
    // `'20210322.22.REL'` comes with its quotes, the API with the maker's name.
    firmwareVersion: machine.text('firmware')?.replaceAll("'", '').trim(),
    apiVersion: machine.text('api')?.replace(/^whatsminer\s+v?/i, ''),
    // `CB6V10 / H616`.
    controlBoard: [machine.text('board', 120) ?? [], platformOf(machine) ?? []].flat().join(' / ') || undefined,
    hashrateHs,
    hashrateWindow: window,
    hashrateSettledHs: ratesHs['15m'],
    hashrateAverageHs: ratesHs.average,
    isMining,
    miningMode: kit.modeNow(isOff, hashrateHs, mode),
    powerW: watts('power') ?? watts('otherPower'),
    powerLimitW: machine.watts('powerLimit'),
    uptimeS: machine.seconds('elapsed'),
    systemUptimeS: machine.seconds('uptime'),
    // A device clock before 2001 was never set.
    deviceTimeS: (clockS ?? 0) >= 1e9 ? clockS : undefined,
    isLightOn: led === undefined ? undefined : led !== 'auto',
    tempC: kit.first(machine.tempC('hottestChip'), kit.hottestC(boards ?? []), machine.tempC('hottestBoard')),
    inletTempC: machine.tempC('ambient'),
    // Rows without anything in them, as a stopped machine may print them, say nothing of boards.
    boards: boards?.length === 0 && told.boards?.length !== 0 ? undefined : boards,
    fans: fansOf(machine, cooling, isLiquid === false || isMining === false),
    psus: [psu(machine)],
    pools: told.pools,
    errors: told.faults?.map((fault) => errorReading(fault, model)),
    expected: {
      ...kit.withOwnBuild(expected, { boards: machine.int('boards', { min: 1, max: 63 }) }),
      cooling,
      ...(cooling === 'liquid' && expected.cooling === 'air' && { fans: 0 }),
      // Both are of the normal mode; how much less the low one does is not told.
      hashrateHs: mode === 'low' ? undefined : (factoryHs(machine) ?? expected.hashrateHs),
    },
  };
}

/** On purpose. */
export const isSuspended = (machine: kit.Answer): boolean | undefined =>
  machine.bool('isOff') ?? (machine.bool('isWorking') === undefined ? undefined : !machine.bool('isWorking'));

export const modeOf = (machine: kit.Answer) => MODES[machine.text('powerMode')?.toLowerCase() ?? ''];

/** The chip of the control board. */
export const platformOf = (machine: kit.Answer) => machine.text('platform', 120)?.replace(/^ALLWINNER_/i, '');

const factoryHs = (row: kit.Answer) =>
  kit.positive(row.rateHs('factoryThs', 'T')) ?? kit.positive(row.rateHs('factoryGhs', 'G'));

const BOARD_RATES = [...WINDOWS, '15m'] as const;
export const highestRate = (row: kit.Answer) => kit.largest(BOARD_RATES.map((name) => row.positive(name))) ?? 0;

export const slotOf = (row: kit.Answer, place: number) => row.int('slot', { min: 0, max: 63 }) ?? place;

/** A slot without chips, serial number and rate is empty. */
function board(row: kit.Answer, place: number, unit: Told['boardUnit']): kit.BoardDraft | undefined {
  const chips = row.count('chips', 100_000);
  const serialNumber = row.text('serialNumber');
  if (highestRate(row) === 0 && serialNumber === undefined && !chips) return undefined;
  return {
    slot: slotOf(row, place),
    serialNumber,
    hashrateHs: unit && boardRateHs(row, unit),
    expectedHashrateHs: factoryHs(row),
    chips,
    frequencyMhz: row.mhz('frequency'),
    boardTempsC: [row.tempC('temperature')],
    chipTempMaxC: row.tempC('hottestChip'),
    chipTempAvgC: row.tempC('averageChip'),
    hwErrors: row.count('hwErrors'),
    isAlive: row.bool('isEnabled') === false ? false : kit.aliveByWord(row.text('status')),
  };
}

/**
 * Old firmware has no live rate per board. Its average since the start is the steadiest figure, but hides for hours
 * that a board fell out or came back: where the last minutes disagree with it, they count.
 */
function boardRateHs(row: kit.Answer, unit: 'M' | 'T'): number | undefined {
  const [live, average, recent] = [row.rateHs('realtime', unit), row.rateHs('average', unit), row.rateHs('5m', unit)];
  if (live !== undefined) return live;
  if (average === undefined || recent === undefined) return kit.first(recent, average, row.rateHs('1m', unit));
  return Math.abs(recent - average) > 0.1 * average ? recent : average;
}

/**
 * 0 and 0 rpm are two stopped fans on air, no fans in liquid, else not known. The model does not tell it alone: any air
 * model may stand in a tank, and not all firmware says so. But on air none hashes without its fans.
 */
function fansOf(machine: kit.Answer, cooling: kit.Expectation['cooling'], isStopped: boolean) {
  const rpms = [machine.rpm('fanIn'), machine.rpm('fanOut')];
  if (rpms.some(kit.positive) || (cooling === 'air' && isStopped)) return kit.fansOf(rpms, 2);
  return cooling === 'liquid' && rpms.some((rpm) => rpm === 0) ? [] : undefined;
}

const psu = (machine: kit.Answer) => ({
  serialNumber: machine.text('psuSerial'),
  model: machine.text('psuModel'),
  tempC: machine.tempC('psuTemp'),
  fanRpm: machine.rpm('psuFan'),
  inputVoltageV: mainsV(machine.number('socket')) ?? mainsV(machine.number('vin')),
  // 0.01 V. Small numbers (M3) are a level, no voltage.
  outputVoltageV: kit.scale(machine.number('vout', { min: 500, max: 6_000 }), 0.01),
});

/** In 0.01 V or V: only one of the two can be a mains voltage. */
function mainsV(written = 0): number | undefined {
  const volts = written > 5_000 ? written / 100 : written;
  return volts >= 80 && volts <= 600 ? volts : undefined;
}
