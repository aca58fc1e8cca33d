// Turns the answers of one Elphapex into a Reading. Board sensors are left out: every slot repeats the same four
// numbers.
import type { Known } from '../../src/driver/contract.ts';
import { first, toNumber, toTempC } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { type BoardDraft, toReading } from '../../src/driver/kit/draft.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import type { MiningMode, PsuReading, Reading } from '../../src/model/reading.ts';
import { readStats, toWatts } from '../_dialects/bitmain.ts';
import type { Board, Units } from '../_dialects/bitmain-boards.ts';
import { expectation } from '../_dialects/bitmain-expectation.ts';
import { fansOf } from '../_dialects/bitmain-fans.ts';
import { controlBoard, isBlinking, statusFaults, webPools } from '../_dialects/bitmain-web.ts';
import { present } from '../_dialects/cgminer.ts';
import type { Replies } from './replies.ts';

/** No chip is that hot in C: above it the figure is in thousandths. */
const MILLI_ABOVE = 200;

const UNITS: Units = {
  toChipC(value) {
    const figure = toNumber(value);
    return toTempC(figure !== undefined && Math.abs(figure) > MILLI_ABOVE ? figure / 1_000 : figure);
  },
  /** `freq_avg` is 89000 on a machine that is set to 1850: in no unit that we know. */
  toMhz: () => undefined,
  /** `hw` is the number of chips again. */
  hasHwErrors: false,
};

export function read(replies: Replies, known: Known): Reading {
  const { system, power } = replies;
  const heads = [replies.stats, replies.summary, replies.pools];
  const info = heads.map((reply) => reply?.INFO).find((entry) => entry !== undefined);
  const reported = first(system?.minertype, info?.type, known.model);
  const model = findModel('elphapex-stock', reported);
  const stats = readStats(new Answer(replies.stats), model, { units: UNITS });
  const mode = miningMode(replies.conf?.['fc-work-mode']);
  const boards = stats?.boards?.map(toBoard);
  const fiveS = atMost(stats?.nowHs, first(stats?.idealHs, model?.expected.hashrateHs));
  const nowHs = first(fiveS, stats?.averageHs);
  const outputW = toWatts(power?.power_output);
  return toReading({
    mac: system?.macaddr,
    serialNumber: info?.dev_sn,
    hostname: system?.hostname,
    make: 'Elphapex',
    model: model?.model ?? reported,
    firmwareVersion: first(...[info?.miner_version, system?.system_filesystem_version].map(shortVersion)),
    apiVersion: first(...heads.map((reply) => reply?.STATUS?.api_version)),
    controlBoard: first(info?.hw_version, controlBoard(undefined, system?.system_kernel_version)),

    hashrateHs: nowHs,
    hashrateWindow: nowHs === undefined ? undefined : fiveS === undefined ? ('average' as const) : ('5s' as const),
    hashrateSettledHs: stats?.settledHs,
    hashrateAverageHs: stats?.averageHs,
    // The makers of these units count what the supply gives; what it takes from the wall is not told.
    powerW: first(outputW, stats?.powerW),
    psuOutputPowerW: outputW,
    uptimeS: stats?.elapsedS,
    deviceTimeS: replies.stats?.STATUS?.timestamp,

    isMining: mode === 'sleep' ? false : stats?.isHashing,
    miningMode: mode,
    miningModePreset: replies.conf?.['fc-freq-level'],
    isLightOn: isBlinking(new Answer(replies.blink)),

    boards,
    fans: fansOf(stats, model?.expected),
    psus: psus(power),
    // `diffa` and `diffr` are of the last share, no sums.
    pools: webPools(new Answer(replies.pools).rows('POOLS'), { hasSums: false }),
    errors: statusFaults(new Answer(replies.summary)),
    expected: expectation(expectedOf(model)?.expected, stats, mode),
  });
}

/**
 * Of five seconds it now and then counts several times what there was: more than twice what it should make is no rate.
 */
function atMost(hs: number | undefined, idealHs = Number.POSITIVE_INFINITY): number | undefined {
  return hs !== undefined && hs > 2 * idealHs ? undefined : hs;
}

/** 2 and 3 exist; their meaning is unknown. */
function miningMode(number: number | undefined): MiningMode | undefined {
  return number === 0 ? 'normal' : number === 1 ? 'sleep' : undefined;
}

/** `DG1+_SW_V1.0.2` is 1.0.2. */
const shortVersion = (written: string | undefined) => written?.split('_V').at(-1);

const toBoard = ({ reading }: Board): BoardDraft => ({ ...reading, boardTempsC: [] });

function psus(power: Replies['power']): PsuReading[] | undefined {
  const psu: PsuReading = present({
    serialNumber: power?.power_sn,
    // Tenths, divided: a tenth has no exact factor.
    tempC: power?.power_temp === undefined ? undefined : toTempC(power.power_temp / 10),
    outputPowerW: toWatts(power?.power_output),
  });
  return Object.keys(psu).length === 0 ? undefined : [psu];
}

/** A home unit may fill only one of the four slots that its table row counts. */
function expectedOf(model: Model | undefined): Model | undefined {
  if (model?.model !== 'DG1Home') return model;
  const { boards: _, ...expected } = model.expected;
  return { ...model, expected };
}
