// Turns the answers of one miner with Hiveon firmware into a Reading. Old machines count three chains to a board.
import type { Known } from '../../src/driver/contract.ts';
import { first, mean } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { toReading } from '../../src/driver/kit/draft.ts';
import { findAntminer, findModel, type Model } from '../../src/driver/kit/models/models.ts';
import type { MiningMode, Reading } from '../../src/model/reading.ts';
import { readStats, statsRows, statsType } from '../_dialects/bitmain.ts';
import { expectation } from '../_dialects/bitmain-expectation.ts';
import { fansOf } from '../_dialects/bitmain-fans.ts';
import { modeName, settingOf } from '../_dialects/bitmain-modes.ts';
import { controlBoard, isBlinking, statusFaults } from '../_dialects/bitmain-web.ts';
import { poolReadings } from '../_dialects/cgminer.ts';
import { psusOf, withDuty } from '../_dialects/rwglr.ts';
import type { Replies } from './replies.ts';

/** The chain of each board of a T9 that has its ambient sensor. */
const T9_AMBIENT = [2, 3, 4] as const;

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
  const answer = new Answer(replies.stats);
  const rows = statsRows(answer);
  const version = replies.version?.VERSION?.[0];
  const { name, row } = modelOf(first(version?.Type, statsType(answer), system?.minertype, known.model));
  const stats = readStats(answer, row);
  const mode = miningMode(replies.conf, stats?.mode, row);
  const isT9 = name === 'T9';
  const boards = stats.boards?.map(({ reading }) => reading);
  return toReading({
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

    isMining: mode === 'sleep' ? false : stats?.isHashing,
    miningMode: mode,
    isLightOn: first(isBlinking(new Answer(replies.blink)), replies.blinkForm?.isBlinking),

    inletTempC: isT9 ? ambientC(rows) : undefined,
    boards,
    fans: withDuty(fansOf(stats, row?.expected), rows),
    psus: psusOf(rows),
    pools: poolReadings(replies.pools?.POOLS),
    errors: statusFaults(new Answer(replies.summary)),
    expected: expectation(row?.expected, stats, mode),
  });
}

/**
 * As on stock: the running process knows it best, and where the two names of the setting disagree neither is believed.
 */
function miningMode(
  conf: Replies['conf'],
  running: number | undefined,
  row: Model | undefined,
): MiningMode | undefined {
  const mode = modeName(first(running, settingOf(new Answer(conf))), row);
  return mode === 'normal' || mode === 'sleep' ? mode : undefined;
}

/** `temp3_2`: the air at a board. */
function ambientC(rows: readonly Answer[]): number | undefined {
  return mean(T9_AMBIENT.flatMap((chain) => rows.map((row) => row.tempC(`temp3_${chain}`))));
}
