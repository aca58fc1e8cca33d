// Turns the answers of one Iceriver into a Reading (atlas 17). Rates of now are of five minutes, and swing by a third;
// the settled ones are of thirty.
import * as kit from '../../src/driver/kit/index.ts';
import { STATES } from './errors.data.ts';

type Answers = { readonly panel: kit.Answer; readonly machine: kit.Answer };

export function read({ panel, machine }: Answers, known: kit.Known): kit.Draft {
  const data = panel.at('data');
  const { model, expected } = kit.knownModel('iceriver-stock', reportedModel(data), known.model);
  const unit = kit.rateUnit(data.text('unit', 4));
  const hashrateHs = data.rateText('rtpow', unit);
  const settledHs = data.rateText('avgpow', unit);
  const boards = data.rows('boards')?.flatMap((row, place) => board(row, place, unit) ?? []);
  // The web page answers for a mining program that does not.
  const fault = kit.positive(panel.int('error'));
  const message = panel.name('message');
  const mode = machine.at('data').count('mode', 16);
  return {
    model,
    mac: data.asWritten('mac'),
    hostname: data.name('host'),
    firmwareVersion: data.name('softver1', 128),

    hashrateHs,
    hashrateWindow: '5m',
    hashrateSettledHs: settledHs,
    hashrateAverageHs: settledHs,
    uptimeS: kit.daysClockS(data.value('runtime')),

    // Without a rate `powstate` says yes, and nothing else: it is false in every warm-up.
    ...(hashrateHs === undefined && data.bool('powstate') === true && { isMining: true }),
    ...(fault !== undefined && { isMining: false }),
    // Any number but 1 is sleep, if nothing is hashed; a miner that hashes is awake, and in which mode its setting does
    // not say.
    miningMode: mode === 1 ? 'normal' : mode !== undefined && hashrateHs === 0 ? 'sleep' : undefined,
    isLightOn: data.bool('locate'),

    boards,
    fans: kit.fansOf(data.list('fans', 32), expected.fans),
    pools: pools(data),
    errors: fault === undefined ? faults(data, expected) : [{ code: `web:${fault}`, message, category: 'software' }],
    expected: expectation(expected, boards, hashrateHs),
  };
}

/**
 * `model` is mostly empty; the mining program is called after it: `5977449_ks3m_miner`, `pbv077c_ks0miner`,
 * `211_10306_miner`.
 */
function reportedModel(data: kit.Answer): string | undefined {
  const program = data.name('softver1', 128)?.match(/_([^_]+?)_?(?:miner)?$/)?.[1];
  return (data.name('model', 64) ?? program)?.toUpperCase();
}

/** A slot with neither chips nor a rate is empty. Slots count from 1. */
function board(row: kit.Answer, place: number, unit: kit.RateUnit | undefined): kit.BoardDraft | undefined {
  const hashrateHs = row.rateText('rtpow', unit);
  // No chips beside a rate: not counted.
  const chips = kit.positive(row.count('chipnum', 100_000));
  if (chips === undefined && kit.positive(hashrateHs) === undefined) return undefined;
  const [inletTempC, outletTempC] = [edgeC(row, 'intmp'), edgeC(row, 'outtmp')];
  return {
    slot: slotOf(row, place),
    hashrateHs,
    expectedHashrateHs: kit.believableHs(row.rateText('idealpow', unit), hashrateHs),
    chips,
    frequencyMhz: row.mhz('freq'),
    boardTempsC: [inletTempC, outletTempC],
    inletTempC,
    outletTempC,
    isAlive: row.bool('state'),
  };
}

const slotOf = (row: kit.Answer, place: number) => (row.int('no', { min: 1, max: 64 }) ?? place + 1) - 1;

/** On the edges of a board. A broken sensor reads about 126 beside cool ones; a real board is off long before. */
function edgeC(row: kit.Answer, key: string): number | undefined {
  const tempC = row.tempC(key);
  return tempC !== undefined && tempC < 120 ? tempC : undefined;
}

/** Addresses may lack their scheme. A pool that nothing is connected to is not dead for that: it may be a reserve. */
export const pools = (data: kit.Answer) =>
  kit.setPools(
    data.rows('pools'),
    (row) => row.poolAddress('addr'),
    (row, addr, place): kit.PoolDraft => {
      // A few builds count in fractions, and write -1 where nothing is connected.
      const connections = row.number('connect', { min: -1, max: 64 });
      const isActive = connections === undefined ? row.bool('connect') : connections > 0;
      return {
        index: slotOf(row, place),
        url: kit.poolUrl(addr),
        user: row.text('user', 512) ?? '',
        isAlive: row.int('state') === 1 || isActive === true ? true : undefined,
        isActive,
        accepted: row.count('accepted'),
        rejected: row.count('rejected'),
      };
    },
  );

/** Whether the rate is as it should be is judged by the rate, not by `powstate`, which is false in every warm-up. */
function faults(data: kit.Answer, { fans: usual }: kit.Expectation): kit.ErrorDraft[] | undefined {
  const reported = STATES.filter(({ code }) => data.bool(code) !== undefined);
  if (reported.length === 0) return undefined;
  // Machines without fans of their own say that their fans are wrong.
  return reported.filter(({ code }) => data.bool(code) === false && !(code === 'fanstate' && usual === 0));
}

/** What the device says of its build, and of what it makes. */
function expectation(table: kit.Expectation, boards: kit.BoardDraft[] = [], hashrateHs: number | undefined) {
  const own = { chipsPerBoard: kit.common(boards.map(({ chips }) => chips)) };
  // One without fans is a home machine, with fewer boards than the table gives to the whole series.
  const usual = table.fans === 0 ? kit.present({ cooling: table.cooling, hashrateHs: table.hashrateHs }) : table;
  return { ...kit.withOwnBuild(usual, own), hashrateHs: kit.idealOr(usual, boards, hashrateHs) };
}
