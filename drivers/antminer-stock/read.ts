// Turns the answers of one stock Antminer into a Reading. Everything that a sensor means only on some machines is decided here.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, mean } from '../../src/driver/fields.ts';
import type { BoardReading, ErrorReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { type Board, expectation, readStats, type Stats, statsType } from '../_families/bitmain.ts';
import { fansOf } from '../_families/bitmain-fans.ts';
import { controlBoard, isBlinking, statusFaults, webPools } from '../_families/bitmain-web.ts';
import { poolReadings, present } from '../_families/cgminer.ts';
import { findAntminer, type Model } from '../_families/models.ts';
import { CODES } from './errors.data.ts';
import type { Replies } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const { system, minerType } = replies;
  const answer = replies.stats ?? replies.statsPage;
  const version = replies.version?.VERSION?.[0];
  const reported = first(
    ...[minerType?.miner_type, system?.minertype, statsType(answer), version?.Type].map(realModel),
    realModel(known.model),
  );
  const model = findAntminer(reported);
  const stats = readStats(answer, model);
  const mode = miningMode(replies, stats);
  const boards = stats?.boards.map((board) => toBoard(board, model));
  return present({
    mac: system?.macaddr,
    serialNumber: first(system?.serinum, system?.serial_no),
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

    isMining: isMining(mode, stats?.nowHs),
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
    pools: poolReadings(replies.pools?.POOLS) ?? webPools(replies.poolsPage?.POOLS),
    errors: errors(replies),
    expected: expectation(model, stats, mode),
  });
}

/** Board names (`BHB42XXX`) mean that the controller could not read its boards: any better name is to be preferred, none is honest. */
const realModel = (name: string | undefined) =>
  name === undefined || /^BHB\w*X\b/i.test(name.trim()) ? undefined : name.trim();

/** The running process knows its mode best; where the two settings disagree neither is believed. 5 is "not mining" of the newest builds. */
function miningMode({ conf }: Replies, stats: Stats | undefined): MiningMode | undefined {
  const written = conf?.['bitmain-work-mode'];
  const other = conf?.['miner-mode'];
  const isSure = written === undefined || other === undefined || written === other;
  switch (stats?.mode ?? (isSure ? first(written, other) : undefined)) {
    case 0:
      return 'normal';
    case 1:
    case 5:
      return 'sleep';
    case 2:
      return 'high';
    case 3:
      return 'low';
    default:
      return undefined;
  }
}

function isMining(mode: MiningMode | undefined, hashrateHs: number | undefined): boolean | undefined {
  if (mode === 'sleep') return false;
  return hashrateHs === undefined ? undefined : hashrateHs > 0;
}

function toBoard({ slot, reading, pcbC, chipC, picC }: Board, model: Model | undefined): BoardReading {
  if (model?.expected.cooling === 'liquid') {
    // On hydro boards two of the "PCB" sensors sit in the water and the first PIC sensor on a chip.
    const { boardTempsC: _, ...rest } = reading;
    const chipTempMaxC = largest([picC[0], ...chipC]);
    return present({ slot, ...rest, chipTempMaxC, ...waterTemps(pcbC[0], pcbC[2]) });
  }
  return present({ slot, ...reading, ...(isS19Class(model) && airTemps(picC)) });
}

const waterTemps = (inletTempC: number | undefined, outletTempC: number | undefined) => ({ inletTempC, outletTempC });

const isS19Class = (model: Model | undefined) => /^[ST]19/.test(model?.model ?? '');

/** Coolant leaves warmer than it came: readings the other way round come from another sensor layout and say nothing. */
function airTemps([outA, outB, inA, inB]: Board['picC']): Partial<BoardReading> {
  const inletTempC = mean([inA, inB]);
  const outletTempC = mean([outA, outB]);
  if (inletTempC === undefined || outletTempC === undefined || inletTempC > outletTempC) return {};
  return { inletTempC, outletTempC };
}

/** Faults of the status list and of the helper on port 6060, which names one code, several, or something that is no code. */
function errors({ summary, warning }: Replies): ErrorReading[] | undefined {
  const faults = statusFaults(summary);
  if (warning === undefined) return faults;
  const written = warning.trim();
  if (written === '' || /^none$/i.test(written)) return faults ?? [];
  const parts = written.split(/[\s,;]+/).filter((part) => part !== '');
  const codes = parts.every((part) => /^[A-Z]\d*:\d+$/i.test(part)) ? parts : [written];
  return [...(faults ?? []), ...[...new Set(codes)].map(toError)];
}

const toError = (code: string): ErrorReading => ({ code, ...(CODES[code] ?? { category: 'unknown' }) });
