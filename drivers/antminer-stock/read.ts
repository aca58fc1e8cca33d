// Turns the answers of one stock Antminer into a Reading. Everything that a sensor means only on some machines is
// decided here.
import * as kit from '../../src/driver/kit/index.ts';
import { mergeStats, readStats, statsType, toWatts } from '../_dialects/bitmain.ts';
import type { Board } from '../_dialects/bitmain-boards.ts';
import { isBlinkingForm } from '../_dialects/bitmain-forms.ts';
import { modeName, settingOf } from '../_dialects/bitmain-modes.ts';
import { bitmainReading } from '../_dialects/bitmain-reading.ts';
import { controlBoard, isBlinking, isFineWord, webPools } from '../_dialects/bitmain-web.ts';
import { CODES } from './errors.data.ts';

type OnTcp = 'stats' | 'pools' | 'version';
type Pages = 'statsPage' | 'poolsPage' | 'summary' | 'conf' | 'system' | 'minerType' | 'warning' | 'power';
type Answers = Readonly<Record<OnTcp | Pages | 'blink' | 'oldBlink' | 'oldBlinkForm', kit.Answer>>;

/** `miner_power: 3250`: nothing but a name, a colon and the figure, so that no error page is taken for one. */
export const wattsIn = ({ body }: kit.Answer) =>
  toWatts(body?.match(/^[^<:]{0,40}:\s*"?(\d+(?:\.\d+)?)\s*W?"?\s*\}?\s*$/i)?.[1]);

export const warningIn = ({ body }: kit.Answer) => body?.match(/"error_message"\s*:\s*"([^"]{0,128})/)?.[1]?.trim();

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const { stats: onTcp, statsPage, summary, system, minerType } = answers;
  const version = answers.version.row('VERSION');
  const reported = kit.first(
    ...[minerType.text('miner_type'), system.text('minertype'), statsType(onTcp), statsType(statsPage)].map(realModel),
    ...[version.text('Type'), known.model].map(realModel),
  );
  const row = kit.findAntminer(reported);
  // Neither port tells all on every build: what one answer lacks the other may have.
  const elsewhere = summary.row('SUMMARY');
  const stats = mergeStats(readStats(onTcp, row, { elsewhere }), readStats(statsPage, row, { elsewhere }));
  // The running process knows its mode best.
  const mode = modeName(stats.mode ?? settingOf(answers.conf), row?.model);
  const isOk = isFineWord(stats.psuStatus);
  const reading = bitmainReading(stats, answers, { expected: row?.expected, mode });
  return {
    ...reading,
    serialNumber: kit.firstSerial(system.asWritten('serinum'), system.asWritten('serial_no')),
    model: row?.model ?? reported,
    firmwareVersion: kit.first(
      ...[system.text('system_filesystem_version'), stats.compileTime, version.text('CompileTime')],
    ),
    controlBoard: controlBoard(minerType.text('subtype'), system.text('system_kernel_version')),
    powerW: stats.powerW ?? wattsIn(answers.power),
    isLightOn: kit.first(...[reading.isLightOn, isBlinking(answers.oldBlink), isBlinkingForm(answers.oldBlinkForm)]),
    boards: stats.boards?.map((board) => toBoard(board, row)),
    // Newest builds say how their supply is.
    psus: isOk === undefined ? undefined : [{ isOk }],
    pools: reading.pools ?? webPools(answers.poolsPage.rows('POOLS')),
    errors: errors(reading.errors, warningIn(answers.warning)),
  };
}

/**
 * Board names (`BHB42XXX`) mean that the controller could not read its boards: any better name is to be preferred, none
 * is honest.
 */
const realModel = (name: string | undefined) =>
  name === undefined || /^BHB\w*X\b/i.test(name.trim()) ? undefined : name.trim();

function toBoard({ reading, picC }: Board, row: kit.Model | undefined): kit.BoardDraft {
  const { boardTempsC = [], chipTempsC = [] } = reading;
  if (row?.expected.cooling === 'liquid') return { ...reading, ...hydroTemps(boardTempsC, chipTempsC, picC) };
  return { ...reading, ...(/^[ST]19/.test(row?.model ?? '') && airTemps(picC)) };
}

type Sensors = Board['picC'];

/**
 * What the sensors of a hydro board measure differs from build to build, and shows: where two of four "chips" are left
 * (S21, S19 XP+), these are the water; where the first "PIC" is hotter than the first "PCB" (S19, S21+, S21 XP), that
 * PIC is a chip and two of the PCBs are the water; where it is colder (S21j XP, S23), all are named as they should be,
 * and none is in the water. Else it is not known which is which.
 */
function hydroTemps(pcbC: Sensors, chipC: Sensors, [pic]: Sensors): Partial<kit.BoardDraft> {
  const [first, second, ...others] = chipC;
  if (first !== undefined && second !== undefined && others.length > 0 && others.every((tempC) => tempC === undefined))
    return { chipTempsC: [], inletTempC: first, outletTempC: second };
  const [pcb] = pcbC;
  if (pcb === undefined || pic === undefined) return { boardTempsC: [] };
  if (pic < pcb) return {};
  return {
    boardTempsC: [pcbC[1], pcbC[3]],
    chipTempMaxC: kit.largest([pic, ...chipC]),
    inletTempC: pcb,
    outletTempC: pcbC[2],
  };
}

/** Coolant leaves warmer than it came: readings the other way round come from another sensor layout and say nothing. */
function airTemps([outA, outB, inA, inB]: Sensors): Partial<kit.BoardDraft> {
  const inletTempC = kit.mean([inA, inB]);
  const outletTempC = kit.mean([outA, outB]);
  if (inletTempC === undefined || outletTempC === undefined || inletTempC > outletTempC) return {};
  return { inletTempC, outletTempC };
}

/** With those of the helper on port 6060, which names one code, several, or something that is no code. */
function errors(faults: readonly kit.ErrorDraft[] | undefined, warning: string | undefined): kit.Draft['errors'] {
  if (warning === undefined) return faults;
  if (kit.isNoFault(warning)) return faults ?? [];
  const parts = warning.split(/[\s,;]+/).filter((part) => part !== '');
  const codes = parts.every((part) => /^[A-Z]\d*:\d+$/i.test(part)) ? parts : [warning];
  return [
    ...(faults ?? []),
    ...[...new Set(codes)].map((code) => ({
      code,
      ...((Object.hasOwn(CODES, code) ? CODES[code] : undefined) ?? UNKNOWN),
    })),
  ];
}

const UNKNOWN = { category: 'unknown' } as const;
