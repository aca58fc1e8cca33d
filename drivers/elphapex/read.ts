// Turns the answers of one Elphapex into a Reading. Board sensors are left out: every slot repeats the same four numbers.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, toNumber, toTempC } from '../../src/driver/fields.ts';
import type { BoardReading, MiningMode, PsuReading, Reading } from '../../src/model/reading.ts';
import { type Board, readStats, type Stats, toWatts, type Units } from '../_families/bitmain.ts';
import { fansOf } from '../_families/bitmain-fans.ts';
import { controlBoard, isBlinking, statusFaults, webPools } from '../_families/bitmain-web.ts';
import { positive, present } from '../_families/cgminer.ts';
import { findModel, type Model } from '../_families/models.ts';
import type { Replies } from './replies.ts';

/** No chip is that hot in C: above it the figure is in thousandths. */
const MILLI_ABOVE = 200;
/** No chip is that fast in MHz: above it the figure is in kHz. */
const KHZ_ABOVE = 10_000;

const UNITS: Units = {
  toChipC(value) {
    const figure = toNumber(value);
    return toTempC(figure !== undefined && Math.abs(figure) > MILLI_ABOVE ? figure / 1_000 : figure);
  },
  toMhz(value) {
    const figure = toNumber(value, { min: 0, max: KHZ_ABOVE * 1_000 });
    return figure !== undefined && figure > KHZ_ABOVE ? figure / 1_000 : figure;
  },
};

export function read(replies: Replies, known: Known): Reading {
  const { system, power } = replies;
  const heads = [replies.stats, replies.summary, replies.pools];
  const info = heads.map((reply) => reply?.INFO).find((entry) => entry !== undefined);
  const reported = first(system?.minertype, info?.type, known.model);
  const model = findModel('elphapex-stock', reported);
  const stats = readStats(replies.stats, model, UNITS);
  const mode = miningMode(replies.conf?.['fc-work-mode']);
  const boards = stats?.boards.map(toBoard);
  const nowHs = first(stats?.nowHs, stats?.averageHs);
  const outputW = toWatts(power?.power_output);
  return present({
    mac: system?.macaddr,
    serialNumber: info?.dev_sn,
    hostname: system?.hostname,
    make: 'Elphapex',
    model: model?.model ?? reported,
    firmwareVersion: first(...[info?.miner_version, system?.system_filesystem_version].map(shortVersion)),
    apiVersion: first(...heads.map((reply) => reply?.STATUS?.api_version)),
    controlBoard: first(info?.hw_version, controlBoard(undefined, system?.system_kernel_version)),

    hashrateHs: nowHs,
    hashrateWindow:
      nowHs === undefined ? undefined : stats?.nowHs === undefined ? ('average' as const) : ('5s' as const),
    hashrateSettledHs: stats?.settledHs,
    hashrateAverageHs: stats?.averageHs,
    // The makers of these units count what the supply gives; what it takes from the wall is not told.
    powerW: first(outputW, stats?.powerW),
    psuOutputPowerW: outputW,
    uptimeS: stats?.elapsedS,
    deviceTimeS: replies.stats?.STATUS?.timestamp,

    isMining: mode === 'sleep' ? false : nowHs === undefined ? undefined : nowHs > 0,
    miningMode: mode,
    miningModePreset: replies.conf?.['fc-freq-level'],
    isLightOn: isBlinking(replies.blink),

    tempC: largest(boards?.map((board) => board.chipTempMaxC) ?? []),
    boards,
    fans: fansOf(stats, model),
    psus: psus(power),
    pools: webPools(replies.pools?.POOLS),
    errors: statusFaults(replies.summary),
    expected: expectation(model, stats, mode),
  });
}

/** 2 and 3 exist and nobody knows which is which. */
function miningMode(number: number | undefined): MiningMode | undefined {
  return number === 0 ? 'normal' : number === 1 ? 'sleep' : undefined;
}

/** `DG1+_SW_V1.0.2` is 1.0.2. */
const shortVersion = (written: string | undefined) => written?.split('_V').at(-1);

function toBoard({ slot, reading: { boardTempsC: _, ...rest } }: Board): BoardReading {
  return { slot, ...rest };
}

function psus(power: Replies['power']): PsuReading[] | undefined {
  const psu: PsuReading = present({
    serialNumber: power?.power_sn,
    // Tenths, divided: a tenth has no exact factor.
    tempC: power?.power_temp === undefined ? undefined : toTempC(power.power_temp / 10),
    outputPowerW: toWatts(power?.power_output),
  });
  return Object.keys(psu).length === 0 ? undefined : [psu];
}

/** The device's own rate where it has one. A home unit may fill only one of the four slots that its table row counts. */
function expectation(
  model: Model | undefined,
  stats: Stats | undefined,
  mode: MiningMode | undefined,
): Reading['expected'] {
  const { hashrateHs: nameplateHs, boards, ...parts } = model?.expected ?? {};
  const hashrateHs = first(positive(stats?.idealHs), mode === undefined || mode === 'normal' ? nameplateHs : undefined);
  return present({ ...parts, boards: model?.model === 'DG1Home' ? undefined : boards, hashrateHs });
}
