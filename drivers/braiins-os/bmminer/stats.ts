// The first generation of Braiins OS (2018 and 2019, Antminer S9): it is built on Bitmain's mining program, and has
// statistics in Bitmain's dialect in the place of sensors. It is read only.
import * as kit from '../../../src/driver/kit/index.ts';
import { readStats, speaksOfBoards, statsRows, statsType } from '../../_dialects/bitmain.ts';
import { fansOf } from '../../_dialects/bitmain-fans.ts';
import type { tcpAsks } from '../tcp/asks.ts';
import { programOf, summaryOf } from '../tcp/read.ts';

/** BOSminer answers with sensors or fans; what is no word of its own it answers with an error. */
const lacksSensors = (answer: unknown) => new kit.Answer(answer).row('temps').list('TEMPS') === undefined;

export const bmminerAsks = {
  tcpStats: { every: 'poll', insteadOf: 'tcp', isLacking: lacksSensors, ...kit.tcp('stats') },
} satisfies Readonly<Record<string, kit.Question>>;

type Answers = kit.Answers<typeof bmminerAsks & typeof tcpAsks>;

/** `braiins-am1-s9`: the control board and the machine. */
const TYPE = /^braiins-am\d+-/i;
/** `bOS_am1-s9-20190124-0_d3cc7c87`: the day and the build. */
const BUILD = /^bOS_am\d+-[^-]+-(\d{8}\S*)/i;

const SETTLED_S = 900;

export const nameOfType = (type: string | undefined): string | undefined =>
  type !== undefined && TYPE.test(type) ? `Antminer ${type.replace(TYPE, '').toUpperCase()}` : undefined;

export const bmminerModel = (answers: Answers) =>
  nameOfType(kit.first(programOf(answers).text('Type'), statsType(answers.tcpStats)));

/** Of a later program, statistics without boards say nothing. */
export function readBmminer(answers: Answers, model: kit.Model | undefined): kit.Draft {
  const { tcpStats } = answers;
  if (!speaksOfBoards(tcpStats)) return {};
  const stats = readStats(tcpStats, model);
  const summary = summaryOf(answers);
  const voltages = statsRows(tcpStats).find((row) => row.has('voltage1'));
  return {
    firmwareVersion: programOf(answers).text('Miner')?.match(BUILD)?.[1],
    hashrateHs: stats.nowHs,
    hashrateWindow: stats.nowHs === undefined ? undefined : '5s',
    hashrateSettledHs: (summary.seconds('Elapsed') ?? 0) < SETTLED_S ? undefined : summary.rateHs('Hashrate15m', 'G'),
    hashrateAverageHs: stats.averageHs,
    hashrate24hHs: summary.rateHs('Hashrate24h', 'G'),
    uptimeS: stats.elapsedS,
    deviceTimeS: stats.whenS,
    isMining: stats.nowHs === undefined ? stats.isHashing : undefined,
    boards: stats.boards?.map(({ chain, reading }) => ({
      ...reading,
      voltageV: voltages?.positive(`voltage${chain}`, 100),
    })),
    fans: fansOf(stats, model?.expected),
    expected: { hashrateHs: stats.idealHs },
  };
}
