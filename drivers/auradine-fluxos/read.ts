// Turns the answers of one Auradine machine into a Reading (atlas 10).
import * as kit from '../../src/driver/kit/index.ts';
import { LAMP, LOCATE } from './errors.data.ts';

type Web = 'temperature' | 'fan' | 'psu' | 'mode' | 'led' | 'frequency' | 'ipreport';
type Tcp = 'summary' | 'devs' | 'pools' | 'asccount' | 'version';
type Answers = Readonly<Record<Web | Tcp, kit.Answer>>;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const summary = answers.summary.row('SUMMARY');
  const report = answers.ipreport.row('IPReport');
  const lamp = answers.led.row('LED');
  const code = lampCode(lamp);
  const { model, expected } = kit.knownModel('auradine-fluxos', report.text('model'), known.model);
  const mode = answers.mode.row('Mode');
  const isAsleep = sleeps(mode);
  const { ths, ...tuning } = tuningOf(mode);
  const boards = boardsOf(answers, expected);
  const heat = answers.temperature.rows('Temperature') ?? [];
  const supplies = answers.psu.rows('PSU', 16);
  return {
    mac: report.asWritten('mac'),
    serialNumber: report.asWritten('SerialNo'),
    controllerSerialNumber: report.text('CBSerialNo'),
    hostname: report.text('hostname'),
    model,
    firmwareVersion: report.text('version'),
    apiVersion: answers.version.row('VERSION').text('API'),
    controlBoard: report.text('InternalType', 64),

    ...kit.hashrates(summary),
    powerW: kit.first(
      kit.positive(kit.sumOfAll(supplies?.map((psu) => measure(psu, 'PowerIn', 100_000)) ?? [])),
      summary.watts('Wattage'),
    ),
    uptimeS: summary.seconds('Elapsed'),
    deviceTimeS: kit.whenS(answers.summary),

    ...tuning,
    ...(isAsleep && { isMining: false, miningMode: 'sleep' }),
    isLightOn: code === undefined ? undefined : code === LOCATE,

    tempC: hottestC(answers.devs, boards),
    // Of the coolant, with the control board of a hydro machine.
    ...kit.present({
      inletTempC: kit.first(...heat.map((row) => row.tempC('InletTemp'))),
      outletTempC: kit.first(...heat.map((row) => row.tempC('OutletTemp'))),
    }),

    boards,
    totalChips: answers.asccount.row('ASCCount').count('AsicCount', 100_000) || undefined,
    fans: answers.fan.rows('Fan', 32)?.map((row) => ({ index: idOf(row) - 1, rpm: row.rpm('Speed') })),
    psus: supplies?.map((psu) => ({
      inputPowerW: kit.positive(measure(psu, 'PowerIn', 100_000)),
      outputPowerW: measure(psu, 'PowerOut', 100_000),
      inputVoltageV: kit.positive(measure(psu, 'Vin', 1_000)),
      outputVoltageV: measure(psu, 'Vout', 1_000),
      fanRpm: measure(psu, 'FanSpeed1', 30_000),
    })),
    pools: kit.cgminerPools(answers.pools),
    errors: faults(code, lamp),
    expected: {
      ...expected,
      // The nameplate holds in normal mode, and in sleep for what it wakes to.
      hashrateHs: kit.first(
        kit.rateHs(ths, 'T'),
        isAsleep || tuning.miningMode === 'normal' ? expected.hashrateHs : undefined,
      ),
    },
  };
}

/** `"58.94W"`, `"4052.00 RPM"`. */
const measure = (psu: kit.Answer, key: string, max: number) =>
  kit.toNumber(psu.text(key, 64)?.replace(/\s*[a-z]+$/i, ''), { min: 0, max });

/** Decimal or hexadecimal (`0x0`). */
export function lampCode(lamp: kit.Answer): number | undefined {
  const hex = lamp.text('Code', 32)?.match(/^0x[0-9a-f]{1,8}$/i)?.[0];
  return kit.toNumber(hex === undefined ? lamp.value('Code') : Number(hex), { min: 0, max: 1e6 });
}

export const sleeps = (mode: kit.Answer): boolean => mode.word('Sleep', ['on']) !== undefined;

export const NAMED = { eco: 'low', normal: 'normal', turbo: 'high' } as const;

type Tuning = Pick<kit.Draft, 'miningMode' | 'miningModePreset' | 'powerLimitW'> & {
  readonly ths?: number | undefined;
};

/** In custom mode both figures may be there: then only the device's own word tells which of them it tunes to. */
export function tuningOf(mode: kit.Answer): Tuning {
  const name = mode.word('Mode', ['eco', 'normal', 'turbo', 'custom']);
  if (name !== 'custom') return { miningMode: name && NAMED[name] };
  const [powerW, ths] = [mode.watts('Power'), mode.positive('Ths', 1e5)];
  const kind = mode.text('Tune', 16)?.toLowerCase() ?? (ths === undefined ? 'power' : powerW === undefined && 'ths');
  return {
    ...{ powerLimitW: powerW, ths },
    ...(kind === 'power' && kit.tunedTo(powerW, 'W')),
    ...(kind === 'ths' && kit.tunedTo(ths, 'TH/s')),
  };
}

const idOf = (row: kit.Answer) => row.int('ID', { min: 0, max: 63 }) ?? 0;

/** IDs count from 1; what has ID 0 in `temperature` is the control board. */
function boardsOf({ devs, temperature, frequency, asccount, ipreport }: Answers, { boards: usual }: kit.Expectation) {
  const rows = devs.rows('DEVS')?.filter((row) => idOf(row) > 0);
  const count = asccount.row('ASCCount');
  const perBoard = (count.count('AsicCount', 100_000) || Number.NaN) / (count.count('BoardCount', 63) ?? Number.NaN);
  const serials =
    ipreport
      .row('IPReport')
      .list('HBSerialNo', 16)
      ?.filter((serial) => typeof serial === 'string') ?? [];
  return rows?.map((row): kit.BoardDraft => {
    const id = idOf(row);
    const ofBoard = (list: kit.Answer[] | undefined) => list?.find((each) => idOf(each) === id);
    const heat = ofBoard(temperature.rows('Temperature'));
    const onBoardC = heat?.rows('BoardTemp', 512)?.flatMap((sensor) => sensor.tempC('Temperature') ?? []) ?? [];
    const chips = ofBoard(frequency.rows('Frequency'))?.rows('ChipFrequency', 512) ?? [];
    const isAlive = kit.aliveByWord(row.text('Status'));
    return {
      slot: id - 1,
      // The list of serials has no numbers: it counts only when it is complete.
      serialNumber: serials.length === (usual ?? rows.length) ? kit.toText(serials[id - 1], 128) : undefined,
      hashrateHs: kit.windowHs(row, '5s'),
      // A sum that does not divide belongs to boards that differ.
      chips: isAlive !== false && Number.isInteger(perBoard) ? perBoard : undefined,
      frequencyMhz: kit.mean(chips.map((chip) => chip.mhz('Frequency'))),
      boardTempsC: onBoardC.length === 0 ? [row.tempC('Temperature')] : onBoardC,
      chipTempsC: heat?.rows('ChipTemp', 512)?.map((sensor) => sensor.tempC('Temperature')),
      ...kit.edgesC(onBoardC),
      isAlive,
    };
  });
}

/** Of the chips, if every board that is alive tells of its own; else what `devs` says. */
function hottestC(devs: kit.Answer, boards: readonly kit.BoardDraft[] = []): number | undefined {
  const alive = boards.filter(({ isAlive }) => isAlive !== false).map(({ chipTempsC = [] }) => kit.largest(chipTempsC));
  if (alive.length > 0 && alive.every((tempC) => tempC !== undefined)) return kit.largest(alive);
  return kit.largest(devs.rows('DEVS')?.map((row) => row.tempC('Temperature')) ?? []);
}

function faults(code: number | undefined, lamp: kit.Answer): kit.ErrorDraft[] | undefined {
  if (code === undefined) return undefined;
  const { category = 'unknown', severity = 'minor', message = lamp.text('Msg') } = LAMP[code] ?? {};
  // 0 is no pattern at all.
  return code === 0 || category === 'state' ? [] : [{ code: String(code), category, severity, message }];
}
