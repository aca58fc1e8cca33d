// Turns the answers of one Hammer or Blackminer into a Reading. It has no faults of its own and no power meter.
import type { Known } from '../../src/driver/contract.ts';
import { first } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { type BoardDraft, toReading } from '../../src/driver/kit/draft.ts';
import { findModel } from '../../src/driver/kit/models/models.ts';
import type { Reading } from '../../src/model/reading.ts';
import { readStats, statsType } from '../_dialects/bitmain.ts';
import type { Board } from '../_dialects/bitmain-boards.ts';
import { expectation } from '../_dialects/bitmain-expectation.ts';
import { fansOf } from '../_dialects/bitmain-fans.ts';
import { settingOf } from '../_dialects/bitmain-modes.ts';
import { controlBoard, isBlinking } from '../_dialects/bitmain-web.ts';
import { whichBlackMiner } from '../_dialects/black-miner.ts';
import { poolReadings } from '../_dialects/cgminer.ts';
import type { Replies } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const { system } = replies;
  const version = (replies.version ?? replies.versionElsewhere)?.VERSION?.[0];
  const answer = new Answer(replies.stats ?? replies.statsElsewhere);
  const reported = [version?.Type, statsType(answer), system?.minertype];
  const device = whichBlackMiner(...reported, known.model && `${known.make ?? ''} ${known.model}`.trim());
  const model = device?.row ?? findModel('hammer-stock', system?.minertype);
  // A Blackminer names its keys by the coin it is loaded with: MHS, or GHS as beside Handshake.
  const stats = readStats(answer, model, { isKeyHonest: device?.make === 'Blackminer' });
  const boards = stats?.boards?.map(toBoard);
  const mode = settingOf(new Answer(replies.conf));
  return toReading({
    mac: system?.macaddr,
    hostname: system?.hostname,
    make: device?.make ?? known.make,
    model: first(device?.model, system?.minertype),
    firmwareVersion: first(version?.CompileTime, stats?.compileTime, system?.system_filesystem_version),
    apiVersion: version?.API,
    controlBoard: controlBoard(undefined, system?.system_kernel_version),

    hashrateHs: stats?.nowHs,
    hashrateWindow: stats?.nowHs === undefined ? undefined : ('5s' as const),
    hashrateAverageHs: stats?.averageHs,
    uptimeS: stats?.elapsedS,
    deviceTimeS: stats?.whenS,

    isMining: stats?.isHashing,
    miningMode: mode === 0 ? ('normal' as const) : undefined,
    isLightOn: isBlinking(new Answer(replies.blink)),

    boards,
    fans: fansOf(stats, model?.expected),
    pools: poolReadings((replies.pools ?? replies.poolsElsewhere)?.POOLS),
    expected: expectation(model?.expected, stats),
  });
}

/**
 * A Hammer prints `temp1` four times: board, chip, board, chip of two sensors. Of repeated keys only the last is left,
 * which is the second chip; in what was recorded that is the hotter one. Where chips have a key of their own
 * (`chipTemp1`), `temp1` is the board.
 */
function toBoard({ reading }: Board): BoardDraft {
  if (reading.chipTempsC?.some((tempC) => tempC !== undefined)) return reading;
  return { ...reading, boardTempsC: [], chipTempMaxC: reading.boardTempsC?.[0], chipTempAvgC: undefined };
}
