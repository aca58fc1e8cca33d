// Turns the answers of one stock Antminer into a Reading. Everything that a sensor means only on some machines is
// decided here.
import type { Known } from '../../src/driver/contract.ts';
import { first, firstSerial, isNoFault, largest, mean } from '../../src/driver/fields.ts';
import { findAntminer, type Model } from '../../src/driver/kit/models/models.ts';
import type { BoardReading, ErrorReading, PsuReading, Reading } from '../../src/model/reading.ts';
import { mergeStats, readStats, type Stats, statsType } from '../_dialects/bitmain.ts';
import type { Board } from '../_dialects/bitmain-boards.ts';
import { expectation } from '../_dialects/bitmain-expectation.ts';
import { fansOf } from '../_dialects/bitmain-fans.ts';
import { modeName, settingOf } from '../_dialects/bitmain-modes.ts';
import { controlBoard, isBlinking, isFineWord, statusFaults, webPools } from '../_dialects/bitmain-web.ts';
import { poolReadings, present } from '../_dialects/cgminer.ts';
import { CODES } from './errors.data.ts';
import type { Replies } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const { system, minerType } = replies;
  const version = replies.version?.VERSION?.[0];
  const reported = first(
    ...[
      minerType?.miner_type,
      system?.minertype,
      statsType(replies.stats),
      statsType(replies.statsPage),
      version?.Type,
    ].map(realModel),
    realModel(known.model),
  );
  const model = findAntminer(reported);
  // Neither port tells all on every build: what one answer lacks the other may have.
  const elsewhere = replies.summary?.SUMMARY?.[0];
  const stats = mergeStats(
    readStats(replies.stats, model, { elsewhere }),
    readStats(replies.statsPage, model, { elsewhere }),
  );
  // The running process knows its mode best.
  const mode = modeName(first(stats?.mode, settingOf(replies.conf)), model);
  const boards = stats?.boards?.map((board) => toBoard(board, model));
  return present({
    mac: system?.macaddr,
    serialNumber: firstSerial(system?.serinum, system?.serial_no),
    hostname: system?.hostname,
    make: 'Antminer',
    model: model?.model ?? reported,
    firmwareVersion: first(system?.system_filesystem_version, stats?.compileTime, version?.CompileTime),
    apiVersion: version?.API,
    controlBoard: controlBoard(minerType?.subtype, system?.system_kernel_version),

    hashrateHs: stats?.nowHs,
    hashrateWindow: stats?.nowHs === undefined ? undefined : ('5s' as const),
    hashrateSettledHs: stats?.settledHs,
    hashrateAverageHs: stats?.averageHs,
    powerW: first(stats?.powerW, replies.power),
    uptimeS: stats?.elapsedS,
    deviceTimeS: stats?.whenS,

    isMining: mode === 'sleep' ? false : stats?.isHashing,
    miningMode: mode,
    isLightOn: first(isBlinking(replies.blink ?? replies.oldBlink), replies.oldBlinkForm?.isBlinking),

    tempC: first(
      largest(boards?.map((board) => board.chipTempMaxC) ?? []),
      largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
    ),
    inletTempC: mean(boards?.map((board) => board.inletTempC) ?? []),
    outletTempC: mean(boards?.map((board) => board.outletTempC) ?? []),

    boards,
    fans: fansOf(stats, model),
    psus: psusOf(stats),
    pools: poolReadings(replies.pools?.POOLS) ?? webPools(replies.poolsPage?.POOLS),
    errors: errors(replies),
    expected: expectation(model, stats, mode),
  });
}

/**
 * Board names (`BHB42XXX`) mean that the controller could not read its boards: any better name is to be preferred, none
 * is honest.
 */
const realModel = (name: string | undefined) =>
  name === undefined || /^BHB\w*X\b/i.test(name.trim()) ? undefined : name.trim();

/** Newest builds say how their supply is. */
function psusOf(stats: Stats | undefined): PsuReading[] | undefined {
  const isOk = isFineWord(stats?.psuStatus);
  return isOk === undefined ? undefined : [{ isOk }];
}

function toBoard({ slot, reading, pcbC, chipC, picC }: Board, model: Model | undefined): BoardReading {
  if (model?.expected.cooling === 'liquid') return present({ slot, ...reading, ...hydroTemps(pcbC, chipC, picC) });
  return present({ slot, ...reading, ...(isS19Class(model) && airTemps(picC)) });
}

type Sensors = Board['pcbC'];
type Temps = { readonly [Name in Exclude<keyof BoardReading, 'slot'>]?: BoardReading[Name] | undefined };

/**
 * What the sensors of a hydro board measure differs from build to build, and shows: where two of four "chips" are left
 * (S21, S19 XP+), these are the water; where the first "PIC" is hotter than the first "PCB" (S19, S21+, S21 XP), that
 * PIC is a chip and two of the PCBs are the water; where it is colder (S21j XP, S23), all are named as they should be,
 * and none is in the water. Else it is not known which is which.
 */
function hydroTemps(pcbC: Sensors, chipC: Sensors, picC: Sensors): Temps {
  const [first, second, ...others] = chipC;
  if (first !== undefined && second !== undefined && others.length > 0 && others.every((tempC) => tempC === undefined))
    return { chipTempMaxC: undefined, chipTempAvgC: undefined, inletTempC: first, outletTempC: second };
  const [pcb, pic] = [pcbC[0], picC[0]];
  if (pcb === undefined || pic === undefined) return { boardTempsC: undefined };
  if (pic < pcb) return {};
  const boardTempsC = [pcbC[1], pcbC[3]].filter((tempC) => tempC !== undefined);
  return {
    boardTempsC: boardTempsC.length === 0 ? undefined : boardTempsC,
    chipTempMaxC: largest([pic, ...chipC]),
    inletTempC: pcb,
    outletTempC: pcbC[2],
  };
}

const isS19Class = (model: Model | undefined) => /^[ST]19/.test(model?.model ?? '');

/** Coolant leaves warmer than it came: readings the other way round come from another sensor layout and say nothing. */
function airTemps([outA, outB, inA, inB]: Board['picC']): Partial<BoardReading> {
  const inletTempC = mean([inA, inB]);
  const outletTempC = mean([outA, outB]);
  if (inletTempC === undefined || outletTempC === undefined || inletTempC > outletTempC) return {};
  return { inletTempC, outletTempC };
}

/**
 * Faults of the status list and of the helper on port 6060, which names one code, several, or something that is no
 * code.
 */
function errors({ summary, warning }: Replies): ErrorReading[] | undefined {
  const faults = statusFaults(summary);
  if (warning === undefined) return faults;
  const written = warning.trim();
  if (isNoFault(written)) return faults ?? [];
  const parts = written.split(/[\s,;]+/).filter((part) => part !== '');
  const codes = parts.every((part) => /^[A-Z]\d*:\d+$/i.test(part)) ? parts : [written];
  return [...(faults ?? []), ...[...new Set(codes)].map(toError)];
}

const toError = (code: string): ErrorReading => ({ code, ...(CODES[code] ?? { category: 'unknown' }) });
