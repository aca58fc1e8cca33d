// What VNish tells on TCP `stats`: all that the versions before AnthillOS have. The keys are those of the firmware that
// it replaced, with a few of its own.
import { scale, sumOfAll, toNumber, toText } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { toReading } from '../../src/driver/kit/draft.ts';
import type { Model } from '../../src/driver/kit/models/models.ts';
import type { BoardReading, FanReading } from '../../src/model/reading.ts';
import { readStats, type Stats, statsType } from '../_dialects/bitmain.ts';
import { toFans } from '../_dialects/bitmain-fans.ts';
import { positive, present } from '../_dialects/cgminer.ts';
import type { Replies } from './replies.ts';

export type TcpStats = Partial<Omit<Stats, 'boards'>> & {
  readonly boards?: readonly BoardReading[];
  readonly fans?: readonly FanReading[];
  /** The device's own word for what it does. */
  readonly state?: string;
  readonly consumptionW?: number;
};

const RUNS = /^(mining|auto-tuning)$/i;

export const typeOnTcp = ({ tcpStats }: Replies): string | undefined => statsType(new Answer(tcpStats));

/**
 * Which unit `GHS` stands for is proven for SHA-256 machines, and by what the machine should do beside its nameplate:
 * of all others no rate is told.
 */
export function readTcpStats({ tcpStats }: Replies, model: Model | undefined): TcpStats | undefined {
  const data = tcpStats?.STATS?.find((row) => row.Elapsed !== undefined || row['GHS 5s'] !== undefined);
  const read = readStats(new Answer(tcpStats), model);
  if (data === undefined) return undefined;
  const isProven =
    data.rate_unit !== undefined ||
    model?.algorithm === 'sha256' ||
    (read.idealHs !== undefined && model?.expected.hashrateHs !== undefined);
  const plain = toReading({ boards: read.boards?.map(({ reading }) => reading) }).boards ?? [];
  const boards = plain.map((reading, place): BoardReading => {
    const { slot } = reading;
    const chain = read.boards?.[place]?.chain ?? slot + 1;
    // Its sensors are the coolest and the hottest: their middle is no mean of the chips.
    const { hashrateHs, expectedHashrateHs, chipTempAvgC: _, frequencyMhz, badChips, slot: __, ...parts } = reading;
    const state = toText(data[`chain_state${chain}`], 32)?.toLowerCase();
    // While a board does not mine its map says nothing of its chips.
    const isMining = RUNS.test(state ?? toText(data.state, 32) ?? 'mining');
    return {
      slot,
      ...parts,
      ...present({ frequencyMhz: positive(frequencyMhz), badChips: isMining ? badChips : undefined }),
      ...present(isProven ? { hashrateHs, expectedHashrateHs } : {}),
      ...present({
        voltageV: scale(toNumber(data[`chain_vol${chain}`], { min: 1_000, max: 100_000 }), 1e-3),
        powerW: boardWatts(data, chain),
      }),
      ...present({ isAlive: state === 'failure' || state === 'disabled' ? false : undefined }),
    };
  });
  const { nowHs, settledHs, averageHs, idealHs, boards: _, ...rest } = read;
  const dutyPercent = toNumber(data.fan_pwm, { min: 0, max: 100 });
  return {
    ...present(rest),
    ...present(isProven ? { nowHs, settledHs, averageHs, idealHs } : {}),
    ...present({
      boards: boards.length === 0 ? undefined : boards,
      fans: fans(read, model, dutyPercent),
      state: toText(data.state, 32)?.toLowerCase(),
      consumptionW: consumption(data, read),
    }),
  };
}

/** Builds that do not measure it print 0 for every board. */
function consumption(data: Readonly<Record<string, unknown>>, { boards }: Stats): number | undefined {
  return sumOfAll((boards ?? []).map(({ chain }) => boardWatts(data, chain)));
}

const boardWatts = (data: Readonly<Record<string, unknown>>, chain: number | undefined) =>
  toNumber(data[`chain_consumption${chain}`], { min: 1, max: 10_000 });

function fans(stats: Stats, model: Model | undefined, dutyPercent: number | undefined): FanReading[] | undefined {
  const found = toFans(stats.fanSlots, stats.fanCount ?? model?.expected.fans ?? 0);
  return found.length === 0 ? undefined : found.map((fan): FanReading => present({ ...fan, dutyPercent }));
}
