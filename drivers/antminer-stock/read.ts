// Turns the answers of one stock Antminer into a Reading. Everything that a sensor means only on some machines is
// decided here.
import type { Known } from '../../src/driver/contract.ts';
import { first, firstSerial, isNoFault, largest, mean } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { type BoardDraft, type ErrorDraft, toReading } from '../../src/driver/kit/draft.ts';
import { findAntminer, type Model } from '../../src/driver/kit/models/models.ts';
import type { ErrorReading, PsuReading, Reading } from '../../src/model/reading.ts';
import { mergeStats, readStats, type Stats, statsType } from '../_dialects/bitmain.ts';
import type { Board } from '../_dialects/bitmain-boards.ts';
import { expectation } from '../_dialects/bitmain-expectation.ts';
import { fansOf } from '../_dialects/bitmain-fans.ts';
import { modeName, settingOf } from '../_dialects/bitmain-modes.ts';
import { controlBoard, isBlinking, isFineWord, statusFaults, webPools } from '../_dialects/bitmain-web.ts';
import { poolReadings } from '../_dialects/cgminer.ts';
import { CODES } from './errors.data.ts';
import type { Replies } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const { system, minerType } = replies;
  const version = replies.version?.VERSION?.[0];
  const reported = first(
    ...[
      minerType?.miner_type,
      system?.minertype,
      statsType(new Answer(replies.stats)),
      statsType(new Answer(replies.statsPage)),
      version?.Type,
    ].map(realModel),
    realModel(known.model),
  );
  const model = findAntminer(reported);
  // Neither port tells all on every build: what one answer lacks the other may have.
  const elsewhere = new Answer(replies.summary).row('SUMMARY');
  const stats = mergeStats(
    readStats(new Answer(replies.stats), model, { elsewhere }),
    readStats(new Answer(replies.statsPage), model, { elsewhere }),
  );
  // The running process knows its mode best.
  const mode = modeName(first(stats?.mode, settingOf(new Answer(replies.conf))), model);
  const boards = stats?.boards?.map((board) => toBoard(board, model));
  return toReading({
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
    isLightOn: first(isBlinking(new Answer(replies.blink ?? replies.oldBlink)), replies.oldBlinkForm?.isBlinking),

    boards,
    fans: fansOf(stats, model?.expected),
    psus: psusOf(stats),
    pools: poolReadings(replies.pools?.POOLS) ?? webPools(new Answer(replies.poolsPage).rows('POOLS')),
    errors: errors(replies),
    expected: expectation(model?.expected, stats, mode),
  });
}

/**
 * Board names (`BHB42XXX`) mean that the controller could not read its boards: any better name is to be preferred, none
 * is honest.
 */
const realModel = (name: string | undefined) =>
  name === undefined || /^BHB\w*X\b/i.test(name.trim()) ? undefined : name.trim();

/** Newest builds say how their supply is. */
function psusOf(stats: Stats): PsuReading[] | undefined {
  const isOk = isFineWord(stats?.psuStatus);
  return isOk === undefined ? undefined : [{ isOk }];
}

function toBoard({ reading, picC }: Board, model: Model | undefined): BoardDraft {
  const { boardTempsC = [], chipTempsC = [] } = reading;
  if (model?.expected.cooling === 'liquid') return { ...reading, ...hydroTemps(boardTempsC, chipTempsC, picC) };
  return { ...reading, ...(isS19Class(model) && airTemps(picC)) };
}

type Sensors = Board['picC'];
type Temps = Partial<BoardDraft>;

/**
 * What the sensors of a hydro board measure differs from build to build, and shows: where two of four "chips" are left
 * (S21, S19 XP+), these are the water; where the first "PIC" is hotter than the first "PCB" (S19, S21+, S21 XP), that
 * PIC is a chip and two of the PCBs are the water; where it is colder (S21j XP, S23), all are named as they should be,
 * and none is in the water. Else it is not known which is which.
 */
function hydroTemps(pcbC: Sensors, chipC: Sensors, picC: Sensors): Temps {
  const [first, second, ...others] = chipC;
  if (first !== undefined && second !== undefined && others.length > 0 && others.every((tempC) => tempC === undefined))
    return { chipTempsC: [], inletTempC: first, outletTempC: second };
  const [pcb, pic] = [pcbC[0], picC[0]];
  if (pcb === undefined || pic === undefined) return { boardTempsC: undefined };
  if (pic < pcb) return {};
  return {
    boardTempsC: [pcbC[1], pcbC[3]],
    chipTempMaxC: largest([pic, ...chipC]),
    inletTempC: pcb,
    outletTempC: pcbC[2],
  };
}

const isS19Class = (model: Model | undefined) => /^[ST]19/.test(model?.model ?? '');

/** Coolant leaves warmer than it came: readings the other way round come from another sensor layout and say nothing. */
function airTemps([outA, outB, inA, inB]: Board['picC']): Partial<BoardDraft> {
  const inletTempC = mean([inA, inB]);
  const outletTempC = mean([outA, outB]);
  if (inletTempC === undefined || outletTempC === undefined || inletTempC > outletTempC) return {};
  return { inletTempC, outletTempC };
}

/**
 * Faults of the status list and of the helper on port 6060, which names one code, several, or something that is no
 * code.
 */
function errors({ summary, warning }: Replies): readonly ErrorDraft[] | undefined {
  const faults = statusFaults(new Answer(summary));
  if (warning === undefined) return faults;
  const written = warning.trim();
  if (isNoFault(written)) return faults ?? [];
  const parts = written.split(/[\s,;]+/).filter((part) => part !== '');
  const codes = parts.every((part) => /^[A-Z]\d*:\d+$/i.test(part)) ? parts : [written];
  return [...(faults ?? []), ...[...new Set(codes)].map(toError)];
}

const toError = (code: string): ErrorReading => ({ code, ...(CODES[code] ?? { category: 'unknown' }) });
