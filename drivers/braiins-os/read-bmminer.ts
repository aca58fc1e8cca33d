// The first generation as a Reading (2018 and 2019, Antminer S9): it is built on Bitmain's mining program, and its
// statistics are in Bitmain's dialect.
import { first, toNumber } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { toReading } from '../../src/driver/kit/draft.ts';
import type { Model } from '../../src/driver/kit/models/models.ts';
import type { Reading } from '../../src/model/reading.ts';
import { readStats, speaksOfBoards, statsType } from '../_dialects/bitmain.ts';
import { fansOf } from '../_dialects/bitmain-fans.ts';
import { positive, present, rateHs } from '../_dialects/cgminer.ts';
import { hottest } from './parts.ts';
import type { Replies } from './replies.ts';

/** `braiins-am1-s9`: the control board and the machine. */
const TYPE = /^braiins-am\d+-/i;
/** `bOS_am1-s9-20190124-0_d3cc7c87`: the day and the build. */
const BUILD = /^bOS_am\d+-[^-]+-(\d{8}\S*)/i;

const SETTLED_S = 900;

export const nameOfType = (type: string | undefined): string | undefined =>
  type !== undefined && TYPE.test(type) ? `Antminer ${type.replace(TYPE, '').toUpperCase()}` : undefined;

const programOf = ({ tcpDetails }: Replies) => tcpDetails?.version?.[0]?.VERSION?.[0];

export const bmminerName = (replies: Replies) =>
  nameOfType(first(programOf(replies)?.Type, statsType(new Answer(replies.tcpStats))));

export const bmminerExpectedHs = (replies: Replies, model: Model | undefined) =>
  readStats(new Answer(replies.tcpStats), model).idealHs;

export function readBmminer(replies: Replies, model: Model | undefined): Reading {
  const answer = new Answer(replies.tcpStats);
  if (!speaksOfBoards(answer)) return {};
  const stats = readStats(answer, model);
  const summary = replies.tcp?.summary?.[0]?.SUMMARY?.[0];
  const row = replies.tcpStats?.STATS?.find((entry) => entry.voltage1 !== undefined);
  const { boards } = toReading({
    boards: stats.boards?.map(({ chain, reading }) => ({
      ...reading,
      voltageV: positive(toNumber(row?.[`voltage${chain}`], { min: 0, max: 100 })),
    })),
  });
  const build = programOf(replies)?.Miner?.match(BUILD)?.[1];
  return present({
    firmwareVersion: build,
    hashrateHs: stats.nowHs,
    hashrateWindow: stats.nowHs === undefined ? undefined : ('5s' as const),
    hashrateSettledHs: (summary?.Elapsed ?? 0) < SETTLED_S ? undefined : rateHs(summary?.Hashrate15m, 'G'),
    hashrateAverageHs: stats.averageHs,
    hashrate24hHs: rateHs(summary?.Hashrate24h, 'G'),
    uptimeS: stats.elapsedS,
    deviceTimeS: stats.whenS,
    isMining: stats.nowHs === undefined ? stats.isHashing : stats.nowHs > 0,
    tempC: hottest(boards),
    boards,
    fans: fansOf(stats, model?.expected)?.map((fan) => present(fan)),
  });
}
