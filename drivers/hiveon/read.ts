// Turns the answers of one miner with Hiveon firmware into a Reading. Old machines count three chains to a board.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, mean, sumOfAll, toTempC } from '../../src/driver/fields.ts';
import type { BoardReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { type Board, expectation, readStats, statsType } from '../_families/bitmain.ts';
import { fansOf } from '../_families/bitmain-fans.ts';
import { controlBoard, isBlinking, statusFaults } from '../_families/bitmain-web.ts';
import { poolReadings, present } from '../_families/cgminer.ts';
import { findAntminer, findModel, type Model } from '../_families/models.ts';
import type { Replies } from './replies.ts';

/** Chains of each board of a T9, the first with its ambient sensor. */
const T9_BOARDS = [
  [2, 9, 10],
  [3, 11, 12],
  [4, 13, 14],
] as const;

/** `Antminer S19 HIVEON`, `Antminer T9 (Hiveon)`: the firmware adds its own name to the model's. */
export function modelOf(reported: string | undefined): { readonly name?: string; readonly row?: Model } {
  const bare = reported?.replace(/[\s([-]*hiveon.*$/i, '').trim();
  if (bare === undefined || bare === '') return {};
  const row = findModel('hiveon', bare) ?? findAntminer(bare);
  return { name: row?.model ?? bare, ...(row && { row }) };
}

/** Machines from before the web of 2020. Undefined when the model is not known: then it is asked everything. */
export function generationOf(model: string | undefined): 'old' | 'modern' | undefined {
  if (model === undefined) return undefined;
  return /^([STL]\d(?!\d)|S1[157]|T1[57])/.test(model) ? 'old' : 'modern';
}

export function read(replies: Replies, known: Known): Reading {
  const { system } = replies;
  const version = replies.version?.VERSION?.[0];
  const { name, row } = modelOf(first(version?.Type, statsType(replies.stats), system?.minertype, known.model));
  const stats = readStats(replies.stats, row);
  const mode = miningMode(replies.conf);
  const isT9 = name === 'T9';
  const boards =
    stats && (isT9 ? t9Boards(stats.boards) : stats.boards.map(({ slot, reading }) => ({ slot, ...reading })));
  return present({
    mac: system?.macaddr,
    hostname: system?.hostname,
    make: 'Antminer',
    model: name,
    firmwareVersion: first(version?.Miner, version?.CompileTime, system?.system_filesystem_version),
    apiVersion: version?.API,
    controlBoard: controlBoard(undefined, system?.system_kernel_version),

    hashrateHs: stats?.nowHs,
    hashrateWindow: stats?.nowHs === undefined ? undefined : ('5s' as const),
    hashrateSettledHs: stats?.settledHs,
    hashrateAverageHs: stats?.averageHs,
    powerW: stats?.powerW,
    uptimeS: stats?.elapsedS,
    deviceTimeS: stats?.whenS,

    isMining: mode === 'sleep' ? false : stats?.nowHs === undefined ? undefined : stats.nowHs > 0,
    miningMode: mode,
    isLightOn: first(isBlinking(replies.blink), replies.blinkForm?.isBlinking),

    tempC: first(
      largest(boards?.map((board) => board.chipTempMaxC) ?? []),
      largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
    ),
    inletTempC: isT9 ? ambientC(replies) : undefined,
    boards,
    fans: fansOf(stats, row),
    pools: poolReadings(replies.pools?.POOLS),
    errors: statusFaults(replies.summary),
    expected: expectation(row, stats, mode),
  });
}

/** As on stock; where the two names of the mode disagree neither is believed. */
function miningMode(conf: Replies['conf']): MiningMode | undefined {
  const written = conf?.['bitmain-work-mode'];
  const other = conf?.['miner-mode'];
  if (written !== undefined && other !== undefined && written !== other) return undefined;
  const number = first(written, other);
  return number === 0 ? 'normal' : number === 1 ? 'sleep' : undefined;
}

/** What the dialect took for boards are chains: its slots count from chain 1. */
function t9Boards(chains: readonly Board[]): BoardReading[] {
  return T9_BOARDS.flatMap((numbers, slot) => {
    const parts = chains.flatMap(({ slot: chain, reading }) => (numbers.some((n) => n === chain + 1) ? [reading] : []));
    if (parts.length === 0) return [];
    const temps = parts.flatMap(({ boardTempsC }) => boardTempsC ?? []);
    return [
      present({
        slot,
        hashrateHs: sumOfAll(parts.map(({ hashrateHs }) => hashrateHs)),
        chips: sumOfAll(parts.map(({ chips }) => chips)),
        badChips: sumOfAll(parts.map(({ badChips }) => badChips)),
        hwErrors: sumOfAll(parts.map(({ hwErrors }) => hwErrors)),
        frequencyMhz: mean(parts.map(({ frequencyMhz }) => frequencyMhz)),
        boardTempsC: temps.length === 0 ? undefined : temps,
        chipTempMaxC: largest(parts.map(({ chipTempMaxC }) => chipTempMaxC)),
        chipTempAvgC: mean(parts.map(({ chipTempAvgC }) => chipTempAvgC)),
      }),
    ];
  });
}

/** `temp3_2`: the air at a board. */
function ambientC(replies: Replies): number | undefined {
  const rows = replies.stats?.STATS ?? [];
  return mean(T9_BOARDS.flatMap(([chain]) => rows.map((row) => toTempC(row[`temp3_${chain}`]))));
}
