// Turns the answers of one miner with MSKMiner firmware into a Reading: Antminer's statistics with a few keys of its own.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest } from '../../src/driver/fields.ts';
import type { BoardReading, Reading } from '../../src/model/reading.ts';
import { readStats, statsType, toWatts } from '../_families/bitmain.ts';
import { fansOf } from '../_families/bitmain-fans.ts';
import { poolReadings, present, rateHs } from '../_families/cgminer.ts';
import { findAntminer, findModel } from '../_families/models.ts';
import type { Replies } from './replies.ts';

/** `S19-88 v.1.0.3 `: the model, a blank, the version of the firmware. */
export function splitType(type: string | undefined) {
  const [, name, version] = type?.match(/^(.*?)\s+v\.(\S+)\s*$/) ?? [];
  const reported = name ?? type?.trim();
  const row = findModel('mskminer', reported) ?? findAntminer(reported);
  return { name: row?.model ?? reported, version, row };
}

export function read(replies: Replies, known: Known): Reading {
  const version = replies.version?.VERSION?.[0];
  const head = replies.stats?.STATS?.[0];
  const split = splitType(first(version?.Type, statsType(replies.stats)));
  const model = split.row ?? findAntminer(known.model);
  const stats = readStats(replies.stats, model);
  const boards = stats?.boards.map(({ slot, reading }): BoardReading => ({ slot, ...reading }));
  // The whole stands beside the rates of the dialect and in GH/s always.
  const totalHs = rateHs(head?.total_rate, 'G');
  const hashrateHs = first(totalHs, stats?.nowHs);
  const window = totalHs === undefined ? ('5s' as const) : ('realtime' as const);
  return present({
    mac: replies.info?.network_info.result.macaddr,
    make: 'Antminer',
    model: first(split.name, known.model),
    firmwareVersion: first(split.version, version?.Miner, version?.CompileTime),
    apiVersion: version?.API,
    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : window,
    hashrateSettledHs: stats?.settledHs,
    hashrateAverageHs: stats?.averageHs,
    powerW: first(toWatts(head?.total_power), stats?.powerW),
    uptimeS: stats?.elapsedS,
    deviceTimeS: stats?.whenS,
    isMining: hashrateHs === undefined ? undefined : hashrateHs > 0,
    miningMode: stats === undefined ? undefined : ('normal' as const),
    tempC: first(
      largest(boards?.map((board) => board.chipTempMaxC) ?? []),
      largest(boards?.flatMap((board) => board.boardTempsC ?? []) ?? []),
    ),
    boards,
    fans: fansOf(stats, model),
    pools: poolReadings(replies.pools?.POOLS),
    expected: present({ ...model?.expected, hashrateHs: first(stats?.idealHs, model?.expected.hashrateHs) }),
  });
}
