// Turns the answers of one Auradine machine into a Reading (atlas 10).
import * as kit from '../../src/driver/kit/index.ts';
import { LAMP, LOCATE } from './errors.data.ts';
import { COOLANT, MACHINE, MODE_WORDS, MODES, SUPPLY, UNIT_OF } from './names.data.ts';

type Web = 'temperature' | 'fan' | 'psu' | 'mode' | 'led' | 'frequency' | 'ipreport';
type Tcp = 'summary' | 'devs' | 'pools' | 'asccount' | 'version';
type Answers = Readonly<Record<Web | Tcp, kit.Answer>>;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const summary = answers.summary.row('SUMMARY');
  const machine = kit.namedFields(MACHINE, answers.ipreport.row('IPReport'), answers.version.row('VERSION'), summary);
  const { model, expected } = kit.knownModel('auradine-fluxos', machine.model, known.model);
  const mode = answers.mode.row('Mode');
  const isAsleep = sleeps(mode);
  const { ths, ...tuning } = tuningOf(mode);
  const isAsSold = isAsleep || tuning.miningMode === 'normal';
  const lamp = answers.led.row('LED');
  const code = lampCode(lamp);
  const boards = boardsOf(answers, expected);
  const psus = answers.psu.rows('PSU', 16)?.map((row) => kit.namedFields(SUPPLY, withoutUnits(row))) ?? [];
  return {
    ...machine,
    model,
    ...kit.hashrates(summary),
    powerW: kit.sumOfAll(psus.map((psu) => psu.inputPowerW)) ?? machine.powerW,
    deviceTimeS: kit.whenS(answers.summary),
    ...tuning,
    ...(isAsleep && { miningMode: 'sleep' }),
    isLightOn: code === undefined ? undefined : code === LOCATE,
    tempC: hottestC(answers.devs, boards),
    ...kit.namedFields(COOLANT, ...(answers.temperature.rows('Temperature') ?? [])),
    boards,
    totalChips: answers.asccount.row('ASCCount').count('AsicCount', 100_000) || undefined,
    fans: answers.fan.rows('Fan', 32)?.map((row) => ({ index: idOf(row) - 1, rpm: row.rpm('Speed') })),
    psus,
    pools: kit.cgminerPools(answers.pools),
    errors: code === undefined ? undefined : faults(code, lamp),
    // The nameplate holds in normal mode, and in sleep for what it wakes to.
    expected: { ...expected, hashrateHs: kit.rateHs(ths, 'T') ?? (isAsSold ? expected.hashrateHs : undefined) },
  };
}

/** `"58.94W"`, `"4052.00 RPM"`. */
const withoutUnits = (row: kit.Answer) =>
  new kit.Answer(Object.fromEntries(row.keys().map((key) => [key, row.text(key, 64)?.replace(/\s*[a-z]+$/i, '')])));

/** Decimal or hexadecimal (`0x0`). */
export const lampCode = (lamp: kit.Answer) => kit.toNumber(Number(lamp.text('Code', 32)), { min: 0, max: 1e6 });

const idOf = (row: kit.Answer) => row.int('ID', { min: 0, max: 63 }) ?? 0;
export const sleeps = (mode: kit.Answer): boolean => mode.word('Sleep', ['on']) !== undefined;

/** In custom mode both figures may be there: then only the device's own word tells which of them it tunes to. */
export function tuningOf(mode: kit.Answer): kit.Draft & { readonly ths?: number | undefined } {
  const name = mode.word('Mode', MODE_WORDS);
  if (name !== 'custom') return { miningMode: name && MODES[name] };
  const [powerLimitW, ths] = [mode.watts('Power'), mode.positive('Ths', 1e5)];
  const only = ths === undefined ? 'power' : powerLimitW === undefined ? 'ths' : 'both';
  const unit = UNIT_OF[mode.text('Tune', 16)?.toLowerCase() ?? only];
  return { powerLimitW, ths, ...kit.tunedTo(unit === 'W' ? powerLimitW : ths, unit) };
}

/** IDs count from 1; what has ID 0 in `temperature` is the control board. */
function boardsOf({ devs, temperature, frequency, asccount, ipreport }: Answers, { boards: usual }: kit.Expectation) {
  const rows = devs.rows('DEVS')?.filter((row) => idOf(row) > 0);
  const count = asccount.row('ASCCount');
  const perBoard = (count.count('AsicCount', 100_000) || Number.NaN) / (count.count('BoardCount', 63) ?? Number.NaN);
  const listed = ipreport.row('IPReport').list('HBSerialNo', 16);
  const serials = listed?.filter((serial) => typeof serial === 'string') ?? [];
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

function faults(code: number, lamp: kit.Answer): kit.ErrorDraft[] {
  const { category = 'unknown', severity = 'minor', message = lamp.text('Msg') } = LAMP[code] ?? {};
  return category === 'state' ? [] : [{ code: String(code), category, severity, message }];
}
