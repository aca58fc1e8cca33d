// Turns the answers of one Hammer into a Reading. It has no modes, no faults of its own and no power meter.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest } from '../../src/driver/fields.ts';
import type { BoardReading, Reading } from '../../src/model/reading.ts';
import { type Board, readStats, type Stats, statsType } from '../_families/bitmain.ts';
import { fansOf } from '../_families/bitmain-fans.ts';
import { controlBoard, isBlinking } from '../_families/bitmain-web.ts';
import { whichBlackMiner } from '../_families/black-miner.ts';
import { poolReadings, present } from '../_families/cgminer.ts';
import { findModel } from '../_families/models.ts';
import type { Replies } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const { system } = replies;
  const version = (replies.version ?? replies.versionElsewhere)?.VERSION?.[0];
  const answer = replies.stats ?? replies.statsElsewhere;
  const reported = [version?.Type, statsType(answer), system?.minertype];
  const device = whichBlackMiner(...reported, known.model && `Hammer ${known.model}`);
  const model = device?.row ?? findModel('hammer-stock', system?.minertype);
  const stats = readStats(answer, model);
  const boards = stats?.boards.map((board) => toBoard(board, stats));
  return present({
    mac: system?.macaddr,
    hostname: system?.hostname,
    make: device?.make ?? 'Hammer',
    model: first(device?.model, system?.minertype),
    firmwareVersion: first(version?.CompileTime, stats?.compileTime, system?.system_filesystem_version),
    apiVersion: version?.API,
    controlBoard: controlBoard(undefined, system?.system_kernel_version),

    hashrateHs: stats?.nowHs,
    hashrateWindow: stats?.nowHs === undefined ? undefined : ('5s' as const),
    hashrateAverageHs: stats?.averageHs,
    uptimeS: stats?.elapsedS,
    deviceTimeS: stats?.whenS,

    isMining: stats?.nowHs === undefined ? undefined : stats.nowHs > 0,
    miningMode: stats === undefined ? undefined : ('normal' as const),
    isLightOn: isBlinking(replies.blink),

    tempC: largest(boards?.map((board) => board.chipTempMaxC) ?? []),
    boards,
    fans: fansOf(stats, model),
    pools: poolReadings((replies.pools ?? replies.poolsElsewhere)?.POOLS),
    expected: model?.expected,
  });
}

/**
 * `temp1` comes four times: board, chip, board, chip of two sensors. Of repeated keys only the last is left, which is the second chip; in what was
 * recorded that is the hotter one.
 */
function toBoard({ slot, pcbC, reading: { boardTempsC: _, ...rest } }: Board, stats: Stats): BoardReading {
  return present({
    slot,
    ...rest,
    chipTempMaxC: pcbC[0],
    frequencyMhz: first(rest.frequencyMhz, stats.frequencyMhz),
  });
}
