// Turns the answers of one Elphapex into a Reading. Board sensors are left out: every slot repeats the same four
// numbers.
import * as kit from '../../src/driver/kit/index.ts';
import { readStats, toWatts } from '../_dialects/bitmain.ts';
import type { Units } from '../_dialects/bitmain-boards.ts';
import { bitmainReading } from '../_dialects/bitmain-reading.ts';
import { webPools } from '../_dialects/bitmain-web.ts';

type Asked = 'stats' | 'power' | 'pools' | 'summary' | 'conf' | 'blink' | 'system';
type Answers = Readonly<Record<Asked, kit.Answer>>;

/** No chip is that hot in C: above it the figure is in thousandths. */
const MILLI_ABOVE = 200;

const UNITS: Units = {
  toChipC(value) {
    const figure = kit.toNumber(value);
    return kit.toTempC(figure !== undefined && Math.abs(figure) > MILLI_ABOVE ? figure / 1_000 : figure);
  },
  /** `freq_avg` is 89000 on a machine that is set to 1850: in no unit that we know. */
  toMhz: () => undefined,
  /** `hw` is the number of chips again. */
  hasHwErrors: false,
};

export function read({ stats: answer, power, pools, conf, ...pages }: Answers, known: kit.Known): kit.Draft {
  const { system, summary } = pages;
  const heads = [answer, summary, pools];
  const info = heads.find((head) => head.at('INFO').isThere)?.at('INFO') ?? new kit.Answer(undefined);
  const reported = kit.first(system.text('minertype'), info.text('type'), known.model);
  const { row, model, expected } = kit.knownModel('elphapex-stock', reported);
  const stats = readStats(answer, row, { units: UNITS });
  const mode = MODES[conf.count('fc-work-mode') ?? -1];
  // Of five seconds it now and then counts several times what there was: more than twice what it should make is no
  // rate.
  const mostHs = 2 * (stats.idealHs ?? expected.hashrateHs ?? Number.POSITIVE_INFINITY);
  const isRate = stats.nowHs !== undefined && stats.nowHs <= mostHs;
  const outputW = toWatts(power.value('power_output'));
  // Tenths, divided: a tenth has no exact factor.
  const tenths = power.number('power_temp', { min: -500, max: 2_000 });
  const tempC = tenths === undefined ? undefined : kit.toTempC(tenths / 10);
  const reading = bitmainReading(stats, pages, { expected: expectedOf(model, expected), mode });
  return {
    ...reading,
    serialNumber: info.asWritten('dev_sn'),
    model,
    firmwareVersion: kit
      .first(info.text('miner_version'), system.text('system_filesystem_version'))
      ?.split('_V')
      .at(-1),
    apiVersion: kit.first(...heads.map((head) => head.at('STATUS').text('api_version'))),
    controlBoard: info.text('hw_version') ?? reading.controlBoard,

    hashrateHs: isRate ? stats.nowHs : stats.averageHs,
    hashrateWindow: isRate ? '5s' : 'average',
    // The makers of these units count what the supply gives; what it takes from the wall is not told.
    powerW: outputW ?? stats.powerW,
    psuOutputPowerW: outputW,
    // `when` counts from the start of the system. Before 2017 the clock was never set.
    deviceTimeS: answer.at('STATUS').number('timestamp', { min: 1_483_228_800, max: 4e9 }),
    miningModePreset: conf.text('fc-freq-level', 16),

    boards: stats.boards?.map(({ reading }) => ({ ...reading, boardTempsC: [] })),
    psus: [{ serialNumber: power.asWritten('power_sn'), tempC, outputPowerW: outputW }],
    // `diffa` and `diffr` are of the last share, no sums.
    pools: webPools(pools.rows('POOLS'), { hasSums: false }),
  };
}

/** 2 and 3 exist; their meaning is unknown. */
const MODES: readonly kit.Reading['miningMode'][] = ['normal', 'sleep'];

/** A home unit may fill only one of the four slots that its table row counts. */
function expectedOf(model: string | undefined, { boards, ...others }: kit.Expectation): kit.Expectation {
  return { ...others, ...(boards !== undefined && model !== 'DG1Home' && { boards }) };
}
