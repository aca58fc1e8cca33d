// Turns the answers of one miner with MSKMiner firmware into a Reading: Antminer's statistics with a few keys of its
// own.
import type { Known } from '../../src/driver/contract.ts';
import { first } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { toReading } from '../../src/driver/kit/draft.ts';
import { findAntminer, findModel } from '../../src/driver/kit/models/models.ts';
import type { Reading } from '../../src/model/reading.ts';
import { readStats, statsRows, statsType, toWatts } from '../_dialects/bitmain.ts';
import { expectation } from '../_dialects/bitmain-expectation.ts';
import { fansOf } from '../_dialects/bitmain-fans.ts';
import { rateReader, rateUnitOf } from '../_dialects/bitmain-units.ts';
import { poolReadings } from '../_dialects/cgminer.ts';
import { psusOf, withDuty } from '../_dialects/rwglr.ts';
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
  const answer = new Answer(replies.stats);
  const rows = statsRows(answer);
  const split = splitType(first(version?.Type, statsType(answer)));
  const model = split.row ?? findAntminer(known.model);
  const stats = readStats(answer, model);
  const boards = stats.boards?.map(({ reading }) => reading);
  // The whole stands beside the rates of the dialect, in the unit of the machine. What concerns the supply stands in a
  // row of its own.
  const told = (...keys: readonly string[]) => keys.flatMap((key) => rows.map((row) => row.value(key)));
  const unit = rows.map((row) => rateUnitOf(row, { model })).find((one) => one !== undefined);
  const totalHs = first(...rows.map((row) => rateReader(unit)(row, 'total_rate')));
  const hashrateHs = first(totalHs, stats?.nowHs);
  const window = totalHs === undefined ? ('5s' as const) : ('realtime' as const);
  return toReading({
    mac: replies.info?.network_info.result.macaddr,
    make: 'Antminer',
    model: first(split.name, known.model),
    firmwareVersion: first(split.version, version?.Miner, version?.CompileTime),
    apiVersion: version?.API,
    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : window,
    hashrateSettledHs: stats?.settledHs,
    hashrateAverageHs: stats?.averageHs,
    powerW: first(...told('total_power', 'power', 'Power', 'watt', 'chain_power').map(toWatts)),
    uptimeS: stats?.elapsedS,
    deviceTimeS: stats?.whenS,
    isMining: hashrateHs === undefined ? stats?.isHashing : hashrateHs > 0,
    boards,
    fans: withDuty(fansOf(stats, model?.expected), rows),
    psus: psusOf(rows),
    pools: poolReadings(replies.pools?.POOLS),
    expected: expectation(model?.expected, stats),
  });
}
